/**
 * What is done with each command of the documents. A command that no rule knows fails the test, so
 * nothing can be told to a reader that nobody has run. The first rule that fits decides.
 *
 * Most are run as they stand. The few that are not say why, and what is looked at in their stead.
 */

export type Rule = { readonly matches: RegExp } & (
  | {
      readonly how: "run";
      /** Typed where it asks. */
      readonly input?: string;
      /** Bash behind it: what a person does by hand there. */
      readonly after?: string;
    }
  /** Only its flags are held against its own `--help`. */
  | { readonly how: "help"; readonly why: string }
  /** Not run; the scripts of package.json that it names have to be there. */
  | { readonly how: "elsewhere"; readonly why: string }
);

export const DATABASE_ID = "d1000000-0000-4000-8000-000000000000";
const PUT_ID = `sed -i s/00000000-0000-0000-0000-000000000000/${DATABASE_ID}/ wrangler.toml`;

export const RULES: readonly Rule[] = [
  { matches: /^npx wrangler login$/, how: "help", why: "it opens a browser" },
  { matches: /^npx wrangler tail /, how: "help", why: "it runs until it is stopped" },
  { matches: /^npx wrangler d1 create /, how: "run", after: PUT_ID },
  { matches: /^npx wrangler secret put RESEND_API_KEY/, how: "run", input: "re_typed" },
  {
    matches: /^npx wrangler secret put RESEND_WEBHOOK_SECRET/,
    how: "run",
    input: "whsec_dHlwZWQ=",
  },
  {
    matches: /^npx wrangler (?:queues|d1 (?:execute|delete)|secret put|deploy|delete)\b/,
    how: "run",
  },
  { matches: /^export OPERATOR_TOKEN=/, how: "run" },
  { matches: /^export SENDONCE_URL=/, how: "run", after: "export SENDONCE_TOKEN=$STACK_TOKEN" },
  { matches: /^curl -s/, how: "run" },
  { matches: /^(?:export|alias|printf|node -p) /, how: "run" },
  { matches: /^(?:npm run -s )?sendonce /, how: "run" },
  {
    matches: /^npm ci && npm (?:run demo|test)$/,
    how: "elsewhere",
    why: "npm ci fetches packages; the demo has tests of its own, and the tests are running now",
  },
  {
    matches: /^node -e 'const h = /,
    how: "elsewhere",
    why: "test/unit/operations/address-name.test.ts runs it, against the names that the log has",
  },
  {
    matches: /^npm run split /,
    how: "elsewhere",
    why: "test/unit/audience/split.test.ts runs it, on a list that it has made",
  },
  { matches: /^npm ci$/, how: "elsewhere", why: "it fetches packages" },
  { matches: /^git pull$/, how: "elsewhere", why: "it fetches the newest code" },
];

export function ruleFor(command: string): Rule | null {
  return RULES.find(({ matches }) => matches.test(command)) ?? null;
}

/** The names of the scripts of package.json that a command runs. */
export function scriptsIn(command: string): string[] {
  const named = [...command.matchAll(/\bnpm run (?:-s |--silent )?([\w:-]+)/g)];
  const short = [...command.matchAll(/\bnpm (test|start)\b/g)];
  return [...named, ...short].map(([, name = ""]) => name);
}

/** The flags of a command that its own help has to know. */
export const flagsIn = (command: string): string[] => command.match(/(?<= )--[\w-]+/g) ?? [];
