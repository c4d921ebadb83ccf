/**
 * `npm run audit`: asks the registry for known holes in the packages that ship. Not a part of
 * `npm test`, which asks nobody. A registry that gives no answer is no clean bill: that ends with
 * exit code 2 and says that nothing was checked.
 */
import { spawnSync } from "node:child_process";

const EXIT = { clean: 0, found: 1, unchecked: 2 } as const;

type Answer = {
  readonly metadata?: { readonly vulnerabilities?: Readonly<Record<string, number>> };
  readonly message?: string;
  readonly error?: { readonly summary?: string };
};

const { stdout, stderr } = spawnSync("npm", ["audit", "--omit=dev", "--json"], {
  encoding: "utf8",
});
const answer = parsed(stdout);
const counts = answer?.metadata?.vulnerabilities;
if (counts === undefined) {
  const why = answer?.message ?? answer?.error?.summary ?? stderr.trim();
  console.error(`Nothing was checked: the registry gave no answer to \`npm audit\`. ${why}`);
  process.exitCode = EXIT.unchecked;
} else {
  const total = counts["total"] ?? 0;
  console.log(`npm audit --omit=dev: ${total} known holes ${JSON.stringify(counts)}`);
  process.exitCode = total === 0 ? EXIT.clean : EXIT.found;
}

function parsed(text: string): Answer | null {
  try {
    return JSON.parse(text) as Answer;
  } catch {
    return null;
  }
}
