/** Who is signed in. Without anybody there is the page to sign in, and nothing else. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Identity } from "../../client/types.ts";

export const IdentityContext = createContext<Identity | null>(null);

/** Viewers see everything and have no buttons. */
export function useIsOperator(): boolean {
  return useContext(IdentityContext)?.role === "operator";
}
