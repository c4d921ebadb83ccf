/** Starts the provider stand-in for the whole run, in a process that no test can break. */
import type { TestProject } from "vitest/node";
import { startStandIn } from "../../support/processes.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Origin of the provider stand-in, without a slash at the end. */
    standInUrl: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const standIn = await startStandIn();
  project.provide("standInUrl", standIn.url);
  return () => standIn.stop();
}
