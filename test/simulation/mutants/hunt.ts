/** Looks for the first seed that notices each mutant. */
import { MUTANTS, type Mutant } from "./list.ts";
import { simulatorWith } from "./loader.ts";

export const SEEDS_AT_MOST = 200;

export type Caught = {
  readonly mutant: string;
  /** Null: no seed has noticed it. */
  readonly checker: string | null;
  readonly detail: string;
  readonly seeds: number;
};

export async function hunt(mutant: Mutant): Promise<Caught> {
  const { runPlan, drawPlan } = await simulatorWith(mutant);
  for (let seed = 1; seed <= SEEDS_AT_MOST; seed += 1) {
    const limits = mutant.theme === undefined ? {} : { theme: mutant.theme };
    const { violation } = await runPlan(drawPlan(seed, limits));
    if (violation === null) continue;
    return { mutant: mutant.name, ...violation, seeds: seed };
  }
  return { mutant: mutant.name, checker: null, detail: "", seeds: SEEDS_AT_MOST };
}

/** All of them, or those whose name contains `part`. */
export async function huntAll(
  part: string,
  tell: (caught: Caught) => void,
): Promise<readonly Caught[]> {
  const all: Caught[] = [];
  for (const mutant of MUTANTS.filter(({ name }) => name.includes(part))) {
    const caught = await hunt(mutant);
    tell(caught);
    all.push(caught);
  }
  return all;
}
