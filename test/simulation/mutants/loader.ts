/**
 * Loads the whole simulator once more with one change in it. The query of a module's URL names its
 * mutant and is handed down to everything it imports, so each mutant has modules of its own.
 */
import { registerHooks } from "node:module";
import type * as Run from "../run.ts";
import type * as Plan from "../plan.ts";
import { MUTANTS, type Mutant } from "./list.ts";

const SOURCES = new URL("../../../src/", import.meta.url).href;
const PARAMETER = "mutant";

function mutantOf(url: string | undefined): Mutant | null {
  const number = url === undefined ? null : new URL(url).searchParams.get(PARAMETER);
  return number === null ? null : (MUTANTS[Number(number)] ?? null);
}

/** @throws where the text is not there exactly once: the mutant would change nothing, or too much */
export function patch(source: string, mutant: Mutant): string {
  const parts = source.split(mutant.search);
  if (parts.length !== 2) {
    throw new Error(
      `mutant "${mutant.name}": its text stands ${parts.length - 1} times in ${mutant.file}`,
    );
  }
  return parts.join(mutant.replace);
}

let isRegistered = false;

function register(): void {
  if (isRegistered) return;
  isRegistered = true;
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      const number = context.parentURL?.startsWith("file:")
        ? new URL(context.parentURL).searchParams.get(PARAMETER)
        : null;
      if (number === null || !specifier.startsWith(".")) return found;
      return { ...found, url: `${found.url}?${PARAMETER}=${number}` };
    },
    load(url, context, next) {
      const loaded = next(url, context);
      const mutant = url.startsWith(SOURCES) ? mutantOf(url) : null;
      if (mutant === null || !url.startsWith(`${SOURCES}${mutant.file}?`)) return loaded;
      const source = loaded.source === undefined ? "" : Buffer.from(loaded.source);
      return { ...loaded, source: patch(source.toString(), mutant) };
    },
  });
}

/** The simulator with this mutant in it. */
export async function simulatorWith(
  mutant: Mutant,
): Promise<{ runPlan: typeof Run.runPlan; drawPlan: typeof Plan.drawPlan }> {
  register();
  const query = `?${PARAMETER}=${MUTANTS.indexOf(mutant)}`;
  const run = (await import(new URL(`../run.ts${query}`, import.meta.url).href)) as typeof Run;
  const plan = (await import(new URL(`../plan.ts${query}`, import.meta.url).href)) as typeof Plan;
  return { runPlan: run.runPlan, drawPlan: plan.drawPlan };
}
