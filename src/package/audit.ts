/**
 * `npm run audit`: asks the registry for known holes in the packages that ship. Not a part of
 * `npm test`, which asks nobody. A registry that gives no answer is no clean bill: that ends with
 * exit code 2 and says that nothing was checked.
 */
import { spawnSync } from "node:child_process";
import { counted } from "../domain/counted.ts";

const EXIT = { clean: 0, found: 1, unchecked: 2 } as const;

/** An advisory; as a text, the name of another package that has one. */
type Cause = string | { readonly title?: string; readonly url?: string };

type Hole = {
  readonly severity?: string;
  readonly range?: string;
  readonly via?: readonly Cause[];
};

/** What `npm audit --json` prints; of an error only one of the last two. */
type Answer = {
  readonly metadata?: { readonly vulnerabilities?: Readonly<Record<string, number>> };
  readonly vulnerabilities?: Readonly<Record<string, Hole>>;
  readonly message?: string;
  readonly error?: { readonly summary?: string };
};

const { stdout, stderr, error } = spawnSync("npm", ["audit", "--omit=dev", "--json"], {
  encoding: "utf8",
});
const answer = parsed(stdout ?? "");
const counts = answer?.metadata?.vulnerabilities;
const total = counts?.["total"];
if (total === undefined) {
  const told = answer?.message ?? answer?.error?.summary;
  const why = told ?? error?.message ?? stderr.trim();
  console.error(`Nothing was checked: the registry gave no answer to \`npm audit\`. ${why}`);
  process.exitCode = EXIT.unchecked;
} else {
  const packages = counted(total, "package");
  console.log(`npm audit --omit=dev: ${packages} with known holes ${JSON.stringify(counts)}`);
  for (const hole of Object.entries(answer?.vulnerabilities ?? {})) console.log(lineOf(...hole));
  process.exitCode = total === 0 ? EXIT.clean : EXIT.found;
}

function lineOf(name: string, { severity, range, via = [] }: Hole): string {
  const causes = via.map((cause) =>
    typeof cause === "string" ? `by ${cause}` : `${cause.title} ${cause.url}`,
  );
  return `  ${name} ${range}: ${severity}, ${causes.join("; ")}`;
}

function parsed(text: string): Answer | null {
  try {
    return JSON.parse(text) as Answer;
  } catch {
    return null;
  }
}
