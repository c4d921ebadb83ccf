import { defineConfig } from "vitest/config";

/** Node for what is pure, workerd for what needs the platform. */
export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  test: {
    projects: [
      {
        extends: true,
        test: { name: "unit", include: ["test/unit/**/*.test.ts"], environment: "node" },
      },
    ],
  },
});
