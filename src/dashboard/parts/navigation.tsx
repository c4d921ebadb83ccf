/** Moving between places without loading the page anew; links stay links for everybody else. */
import { createContext, type ComponentChildren } from "preact";
import { useContext, useEffect, useMemo, useState } from "preact/hooks";
import { hrefOf, readPlace, type Place } from "../route.ts";

type Navigation = {
  readonly place: Place;
  readonly go: (place: Place) => void;
  /** The same place in another view of it: no new entry in the browser's history. */
  readonly swap: (place: Place) => void;
};

const NavigationContext = createContext<Navigation | null>(null);

export function NavigationProvider({ children }: { readonly children: ComponentChildren }) {
  const [place, setPlace] = useState(() => readPlace(location.search));
  useEffect(() => {
    const read = (): void => setPlace(readPlace(location.search));
    addEventListener("popstate", read);
    return () => removeEventListener("popstate", read);
  }, []);
  const navigation = useMemo<Navigation>(
    () => ({
      place,
      go: (next) => {
        history.pushState(null, "", hrefOf(next));
        setPlace(next);
      },
      swap: (next) => {
        history.replaceState(null, "", hrefOf(next));
        setPlace(next);
      },
    }),
    [place],
  );
  return <NavigationContext.Provider value={navigation}>{children}</NavigationContext.Provider>;
}

export function useNavigation(): Navigation {
  const navigation = useContext(NavigationContext);
  if (navigation === null) throw new Error("a link stands outside of the page");
  return navigation;
}

export function Link(props: {
  readonly to: Place;
  readonly class?: string;
  readonly current?: boolean;
  readonly children: ComponentChildren;
}) {
  const { go } = useNavigation();
  const { to, children, current = false } = props;
  return (
    <a
      href={hrefOf(to)}
      class={props.class ?? ""}
      {...(current ? { "aria-current": "page" as const } : {})}
      onClick={(event) => {
        // Another tab, another window: what the reader asked for is the browser's to do.
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        go(to);
      }}
    >
      {children}
    </a>
  );
}
