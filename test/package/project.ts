/** An empty project of somebody else, with the package installed from its tarball. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "../support/processes.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export type Packed = { readonly tarball: string; readonly files: readonly string[] };

/** `npm pack`, which builds first. */
export function pack(): Packed {
  const folder = temporaryFolder("pack");
  const args = ["pack", "--json", "--pack-destination", folder];
  const output = execFileSync("npm", args, { cwd: ROOT, encoding: "utf8" });
  // What the build itself prints stands before the JSON, which older npms give as a list.
  const json: unknown = JSON.parse(output.slice(output.search(/^[[{]/m)));
  const [packed] = Object.values(json as Record<string, unknown>);
  const { filename, files } = packed as { filename: string; files: { path: string }[] };
  return { tarball: join(folder, filename), files: files.map(({ path }) => path) };
}

export class Project {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static install(tarball: string): Project {
    const project = new Project(temporaryFolder("project"));
    project.write("package.json", JSON.stringify({ private: true, type: "module" }));
    const args = ["install", "--prefer-offline", "--no-audit", "--no-fund", "--omit=dev", tarball];
    execFileSync("npm", args, { cwd: project.folder, stdio: "pipe" });
    return project;
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), text);
  }

  /** A tool's own package, as it would be installed beside. */
  link(name: string): void {
    const path = join(this.folder, "node_modules", name);
    mkdirSync(dirname(path), { recursive: true });
    if (!existsSync(path)) symlinkSync(join(ROOT, "node_modules", name), path);
  }

  /** Runs a program here. @returns its exit code, and what it wrote */
  run(
    command: string,
    args: readonly string[],
    more: Readonly<Record<string, string>> = {},
  ): { status: number | null; output: string } {
    const { status, stdout, stderr } = spawnSync(command, args, {
      cwd: this.folder,
      encoding: "utf8",
      env: {
        ...process.env,
        WRANGLER_SEND_METRICS: "false",
        WRANGLER_HIDE_BANNER: "true",
        ...more,
      },
    });
    return { status, output: stdout + stderr };
  }

  /** A tool of this repository. */
  tool(path: string, args: readonly string[]): { status: number | null; output: string } {
    return this.run(process.execPath, [join(ROOT, "node_modules", path), ...args]);
  }
}

/** The Node of this repository, and whichever else the machine has. */
export function nodes(): string[] {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const others = folders
    .filter((folder) => folder !== "" && !folder.includes("node_modules"))
    .map((folder) => join(folder, "node"))
    .filter((path) => existsSync(path));
  return [process.execPath, ...others.slice(0, 1)];
}
