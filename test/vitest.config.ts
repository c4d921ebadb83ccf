import { cloudflareTest } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";

/** What wrangler.toml requires of a deployment. None of it opens anything. */
const SECRETS = {
  RESEND_API_KEY: "re_test",
  RESEND_WEBHOOK_SECRET: "whsec_dGVzdA==",
  OPERATOR_TOKEN: "operator-token",
  VIEWER_TOKEN: "viewer-token",
  SIGNING_KEY: "signing-key",
};

/** Node for what is pure, workerd for what needs the platform, processes for what has to be killed. */
export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  test: {
    // No test waits for a clock; this is for machines that do much else at the same time.
    testTimeout: 60_000,
    reporters: ["default", new URL("./support/closing-line.ts", import.meta.url).pathname],
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
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: { bindings: SECRETS },
          }),
        ],
        test: {
          name: "workerd",
          include: ["test/contract/**/*-workerd.test.ts", "test/integration/**/*.test.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          environment: "node",
          // Each file runs a stack of its own, and two of them at once would only be slower.
          fileParallelism: false,
          // A limit for what would never come, far beyond what anything takes (test/e2e/stack.ts).
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
          fileParallelism: false,
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
    ],
  },
});
