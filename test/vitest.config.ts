import { cloudflareTest } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";
import { CHROMIUM, WITHOUT_CHROMIUM } from "./browser/chromium.ts";
import { PROMTOOL, WITHOUT_PROMTOOL } from "./promtool/promtool.ts";

/** What wrangler.toml requires of a deployment. None of it opens anything. */
const SECRETS = {
  RESEND_API_KEY: "re_test",
  RESEND_WEBHOOK_SECRET: "whsec_dGVzdA==",
  OPERATOR_TOKEN: "operator-token",
  VIEWER_TOKEN: "viewer-token",
  SIGNING_KEY: "signing-key",
};

/** What the whole worker is given; slots of the provider are only as scarce as a test makes them. */
const integrationBindings = (standInUrl: string): Record<string, string> => ({
  ...SECRETS,
  RESEND_BASE_URL: standInUrl,
  RESEND_REQUESTS_PER_SECOND: "1000",
  PUBLIC_URL: "https://mail.example.org",
});

if (CHROMIUM === null) console.log(WITHOUT_CHROMIUM);

/** The dashboard in a real browser, where there is one. */
const BROWSER = {
  extends: true as const,
  test: {
    name: "browser",
    include: ["test/browser/*.test.ts"],
    environment: "node" as const,
    // Each file has a stack and a browser of its own, and half of its time waits for them.
    maxWorkers: 2,
    // A page that shares the machine with every other test is slow for reasons of theirs.
    sequence: { groupOrder: 2 },
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
};

if (PROMTOOL === null) console.log(WITHOUT_PROMTOOL);

/** Metrics and alert rules before Prometheus' own tool, where there is one. */
const BEFORE_PROMTOOL = {
  extends: true as const,
  test: {
    name: "promtool",
    include: ["test/promtool/*.test.ts"],
    environment: "node" as const,
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
};

/** Node for what is pure, workerd for what needs the platform, processes for what has to be killed. */
export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  test: {
    // No test waits for a clock; this is for machines that do much else at the same time.
    testTimeout: 60_000,
    // One more than the two cores: many tests only wait for a stack of their own.
    maxWorkers: 3,
    reporters: ["default", new URL("./support/closing-line.ts", import.meta.url).pathname],
    // The worker's own log has a line for each attempt.
    onConsoleLog: (line) => !line.startsWith('{"event":'),
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["test/{unit,contract,model}/**/*.test.ts"],
          exclude: ["test/**/*-workerd.test.ts"],
          environment: "node",
        },
      },
      {
        extends: true,
        test: {
          name: "simulation",
          include: ["test/simulation/**/*.test.ts"],
          environment: "node",
          testTimeout: 900_000,
        },
      },
      {
        extends: true,
        plugins: [
          cloudflareTest({
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: { bindings: SECRETS },
          }),
        ],
        test: {
          name: "workerd",
          include: ["test/contract/**/*-workerd.test.ts"],
        },
      },
      {
        extends: true,
        plugins: [
          cloudflareTest(({ inject }) => ({
            main: "./test/integration/worker.ts",
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: {
              bindings: integrationBindings(inject("standInUrl")),
              // The product sends nothing there itself; the platform does.
              queueProducers: {
                DISPATCH: "sendonce-dispatch",
                DEAD_LETTERS: "sendonce-dead-letters",
              },
            },
          })),
        ],
        test: {
          name: "integration",
          include: ["test/integration/**/*.test.ts"],
          setupFiles: ["test/integration/harness/each-test.ts"],
          globalSetup: ["test/integration/harness/stand-in-process.ts"],
          // One stand-in serves them all, and its faults are everybody's.
          fileParallelism: false,
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          environment: "node",
          // A limit for what would never come, far beyond what anything takes (test/e2e/stack.ts).
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
      {
        extends: true,
        test: {
          name: "package",
          include: ["test/package/**/*.test.ts"],
          environment: "node",
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
      {
        extends: true,
        test: {
          name: "examples",
          include: ["test/examples/**/*.test.ts"],
          environment: "node",
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
      ...(PROMTOOL === null ? [] : [BEFORE_PROMTOOL]),
      {
        extends: true,
        test: {
          name: "docs",
          include: ["test/docs/**/*.test.ts"],
          environment: "node",
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
      ...(CHROMIUM === null ? [] : [BROWSER]),
    ],
  },
});
