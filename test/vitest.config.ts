import { cloudflareTest } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";

/** What the worker is given; the slots of the provider are only as scarce as a test makes them. */
function integrationBindings(standInUrl: string): Record<string, string> {
  return {
    RESEND_BASE_URL: standInUrl,
    RESEND_REQUESTS_PER_SECOND: "1000",
    RESEND_API_KEY: "re_integration",
    RESEND_WEBHOOK_SECRET: "whsec_aW50ZWdyYXRpb24gaW50ZWdyYXRpb24=",
    OPERATOR_TOKEN: "operator-of-integration",
    VIEWER_TOKEN: "viewer-of-integration",
    SIGNING_KEY: "signing-key-of-integration",
    PUBLIC_URL: "https://mail.example.org",
  };
}

/** Node for what is pure, workerd for what needs the platform. */
export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  test: {
    reporters: ["default", new URL("./support/closing-line.ts", import.meta.url).pathname],
    // The worker's own log has a line for each attempt.
    onConsoleLog: (line) => !line.startsWith('{"event":'),
    // The platform reports each rejected call to an object once more, as handled by nobody, although
    // its caller has handled it (workers-sdk#14736). Only what a test has brought about is forgiven.
    onUnhandledError: (error) => !(error.message ?? "").includes("by the test"),
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
        plugins: [
          cloudflareTest({
            main: "./test/contract/objects.ts",
            wrangler: { configPath: "./wrangler.toml" },
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
          testTimeout: 90_000,
        },
      },
    ],
  },
});
