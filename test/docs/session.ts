/**
 * A terminal for the documents: bash in a copy of the project, where nothing that is typed reaches
 * further than this machine. `npx wrangler` talks to a stand-in of Cloudflare, `sendonce` to a stack
 * that runs here, and npm's registry is the stand-in as well, which has no packages.
 */
import { spawn } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { temporaryFolder } from "../support/processes.ts";
import { startCloudflareStandIn, type CloudflareStandIn } from "./cloudflare-stand-in.ts";
import { ROOT } from "./document.ts";

const root = fileURLToPath(ROOT);
/** What ends one statement's output and begins the next one's. */
const MARK = "\u001e";

export type Typed = {
  readonly command: string;
  /** What it reads from its standard input. */
  readonly input?: string;
  /** Bash that is run behind it and shows nothing. */
  readonly after?: string;
};
export type Printed = { readonly command: string; readonly code: number; readonly output: string };

export class Session {
  readonly cloudflare: CloudflareStandIn;
  readonly folder: string;
  readonly #env: Readonly<Record<string, string>>;

  private constructor(cloudflare: CloudflareStandIn, env: Readonly<Record<string, string>>) {
    this.cloudflare = cloudflare;
    this.folder = projectFolder();
    this.#env = { ...env, ...cloudflare.env, ...this.#surroundings() };
  }

  static async open(env: Readonly<Record<string, string>>): Promise<Session> {
    return new Session(await startCloudflareStandIn(), env);
  }

  close(): Promise<void> {
    return this.cloudflare.close();
  }

  /** Changes a file of the copy, as a person would with an editor. */
  write(name: string, change: (text: string) => string): void {
    const path = join(this.folder, name);
    writeFileSync(path, change(existsSync(path) ? readFileSync(path, "utf8") : ""));
  }

  read(name: string): string {
    return readFileSync(join(this.folder, name), "utf8");
  }

  #surroundings(): Record<string, string> {
    const bin = join(root, "node_modules/.bin");
    return {
      PATH: [join(this.folder, "bin"), bin, process.env["PATH"] ?? ""].join(":"),
      // Neither a login nor a setting of whoever runs the tests.
      HOME: join(this.folder, "home"),
      XDG_CONFIG_HOME: join(this.folder, "home"),
      npm_config_registry: this.cloudflare.env["CLOUDFLARE_API_BASE_URL"] ?? "",
      npm_config_update_notifier: "false",
      WRANGLER_SEND_METRICS: "false",
      WRANGLER_LOG_PATH: join(this.folder, "home"),
      CLOUDFLARE_CF_FETCH_ENABLED: "false",
      NODE_NO_WARNINGS: "1",
      CI: "1",
    };
  }

  /** Types all of it into one shell, one statement after the other, whatever each comes to. */
  async type(statements: readonly Typed[]): Promise<Printed[]> {
    const lines = statements.map(({ command, input, after }) => {
      const given = input === undefined ? "< /dev/null" : `<<< ${quoted(input)}`;
      return `eval ${quoted(command)} ${given}; printf '${MARK}%s${MARK}' $?; ${after ?? ":"}`;
    });
    const script = `shopt -s expand_aliases\nexec 2>&1\n${lines.join("\n")}\n`;
    const parts = stripVTControlCharacters(await this.#bash(script)).split(MARK);
    return statements.map(({ command }, at) => ({
      command,
      output: parts[at * 2] ?? "",
      code: Number(parts[at * 2 + 1] ?? -1),
    }));
  }

  #bash(script: string): Promise<string> {
    const child = spawn("bash", ["-c", script], {
      cwd: this.folder,
      env: { ...process.env, LANG: "C.UTF-8", ...this.#env },
      stdio: ["ignore", "pipe", "ignore"],
    });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    return new Promise((resolve) => {
      child.on("close", () => resolve(output));
    });
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The project as a clone has it, with a wrangler.toml of its own that a guide may change. */
function projectFolder(): string {
  const folder = temporaryFolder("docs");
  for (const name of ["src", "test", "node_modules", "package.json", "tsconfig.json"]) {
    symlinkSync(join(root, name), join(folder, name));
  }
  copyFileSync(join(root, "wrangler.toml"), join(folder, "wrangler.toml"));
  for (const name of ["bin", "home"]) mkdirSync(join(folder, name));
  // The package's own command, as a global install would put it on the path.
  const command = `#!/bin/sh\nexec node ${join(root, "src/cli/main.ts")} "$@"\n`;
  writeFileSync(join(folder, "bin/sendonce"), command, { mode: 0o755 });
  return folder;
}
