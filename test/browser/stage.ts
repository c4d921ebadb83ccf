/**
 * A browser in front of the real thing: the provider stand-in, `wrangler dev` and Debian's Chromium,
 * each a process of its own, on 127.0.0.1.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { onTestFinished } from "vitest";
import {
  freePort,
  startStandIn,
  startWorker,
  temporaryFolder,
  type Running,
} from "../support/processes.ts";
import { CHROMIUM } from "./chromium.ts";
import { StandInControl } from "../support/stand-in-client.ts";

export const OPERATOR = "operator-token-of-the-tests";
export const VIEWER = "viewer-token-of-the-tests";
const WEBHOOK_SECRET = `whsec_${Buffer.from("a secret of twenty-four b").toString("base64")}`;

const SCREENSHOTS = fileURLToPath(new URL("screenshots", import.meta.url));

/** Nothing of the browser's own goes to the network, and no sandbox is needed for our own pages. */
const CHROMIUM_ARGUMENTS = [
  "--no-sandbox",
  "--disable-quic",
  "--disable-background-networking",
  "--disable-gpu",
];

export type Stage = {
  readonly url: string;
  readonly standIn: StandInControl;
  /** A page of its own for the test that asks, closed with it: an open one goes on asking. */
  page(options?: BrowserContextOptions): Promise<Page>;
  /** One call of the API as the operator. */
  api(method: string, path: string, body?: object | string): Promise<Record<string, unknown>>;
  /** Posts a signed event of the provider for an accepted mail. */
  webhook(type: string, emailId: string): Promise<void>;
  /** Kills `wrangler dev` as a crash would. */
  killWorker(): Promise<void>;
  /** Starts it again on the same port and data. */
  startWorker(): Promise<void>;
  stop(): Promise<void>;
};

export async function openStage(): Promise<Stage> {
  if (CHROMIUM === null) throw new Error("no Chromium");
  const [standIn, port] = [await startStandIn(), await freePort()];
  const persistTo = temporaryFolder("browser");
  const start = (): Promise<Running> =>
    startWorker({
      config: "wrangler.toml",
      vars: varsFor(standIn.url, port),
      persistTo,
      port,
      readyPath: "/healthz",
    });
  let worker = await start();
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: CHROMIUM_ARGUMENTS });
  const url = `http://127.0.0.1:${port}`;
  const control = new StandInControl(standIn.url);
  return {
    url,
    standIn: control,
    page: (options = {}) => openPage(browser, url, options),
    api: (method, path, body) => askApi(url, method, path, body),
    webhook: async (type, emailId) => {
      const event = { url: `${url}/webhooks/resend`, secret: WEBHOOK_SECRET, type, emailId };
      await control.post("webhook", event);
    },
    killWorker: () => worker.kill(),
    startWorker: async () => {
      worker = await start();
    },
    stop: async () => {
      await browser.close();
      await Promise.all([worker.stop(), standIn.stop()]);
    },
  };
}

function varsFor(provider: string, port: number): Record<string, string> {
  return {
    RESEND_BASE_URL: provider,
    RESEND_API_KEY: "re_browser",
    RESEND_WEBHOOK_SECRET: WEBHOOK_SECRET,
    OPERATOR_TOKEN: OPERATOR,
    VIEWER_TOKEN: VIEWER,
    SIGNING_KEY: "a key that signs the sessions of the tests",
    PUBLIC_URL: `http://127.0.0.1:${port}`,
  };
}

async function openPage(
  browser: Browser,
  baseURL: string,
  options: BrowserContextOptions,
): Promise<Page> {
  const viewport = { width: 1280, height: 860 };
  const context = await browser.newContext({
    baseURL,
    viewport,
    locale: "en-GB",
    timezoneId: "Europe/Berlin",
    reducedMotion: "reduce",
    ...options,
  });
  context.setDefaultTimeout(15_000);
  onTestFinished(() => context.close());
  return context.newPage();
}

async function askApi(
  url: string,
  method: string,
  path: string,
  body?: object | string,
): Promise<Record<string, unknown>> {
  const content =
    body === undefined
      ? {}
      : typeof body === "string"
        ? { body, type: "text/csv" }
        : { body: JSON.stringify(body), type: "application/json" };
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${OPERATOR}`,
      ...("type" in content ? { "content-type": content.type } : {}),
    },
    ...("body" in content ? { body: content.body } : {}),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
}

/** A CSV of so many made-up people. */
export function csvOf(count: number, name = "reader"): string {
  const rows = Array.from(
    { length: count },
    (_, index) => `${name}${index + 1}@mail.example,${name}_${index + 1},Reader ${index + 1}`,
  );
  return `email,id,firstName\n${rows.join("\n")}\n`;
}

export async function signIn(page: Page, token: string, path = "/"): Promise<void> {
  await page.goto(path);
  await page.getByLabel("Token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("navigation", { name: "Main" }).waitFor();
}

/**
 * A picture of the page as it is, for people to look at. The ones that are kept show the time they
 * were taken at, so that they are only written anew when PICTURES is set.
 */
export async function picture(page: Page, name: string): Promise<void> {
  const image = await page.screenshot({ animations: "disabled" });
  if (process.env.PICTURES === undefined) return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  writeFileSync(`${SCREENSHOTS}/${name}.png`, image);
}
