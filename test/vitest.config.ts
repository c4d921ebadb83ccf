import { defineConfig } from "vitest/config";

/** Node for what is pure, workerd for what needs the platform. */
export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  test: {
    reporters: ["default", new URL("./support/closing-line.ts", import.meta.url).pathname],
    projects: [
      {
        extends: true,
        test: { name: "unit", include: ["test/unit/**/*.test.ts"], environment: "node" },
      },
    ],
  },
});
