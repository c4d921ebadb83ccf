import { cloudflareTest } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";

/** Node for what is pure, workerd for what needs the platform. */
export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  test: {
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
            main: "./test/contract/objects.ts",
            wrangler: { configPath: "./wrangler.toml" },
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
