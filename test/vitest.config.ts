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

/** Node for what is pure, workerd for what needs the platform. */
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
        test: {
          name: "simulation",
          include: ["test/simulation/**/*.test.ts"],
          environment: "node",
          testTimeout: 240_000,
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
    ],
  },
});
