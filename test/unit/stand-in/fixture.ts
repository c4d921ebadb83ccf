/** One stand-in for a test file, empty before each test, and the package's client against it. */
import { afterAll, beforeAll, beforeEach } from "vitest";
import { Resend } from "resend";
import { startStandIn, type StandIn } from "../../stand-in/server.ts";
import { StandInControl } from "../../support/stand-in-client.ts";

export type Fixture = { url: string; control: StandInControl; resend: Resend };

/** To be called at the top of a test file; the fields are there once its tests run. */
export function standInFixture(): Fixture {
  const fixture = {} as Fixture;
  let standIn: StandIn | undefined;
  beforeAll(async () => {
    standIn = await startStandIn();
    fixture.url = standIn.url;
    fixture.control = new StandInControl(standIn.url);
    fixture.resend = new Resend("re_test", { baseUrl: standIn.url });
  });
  beforeEach(() => fixture.control.reset());
  afterAll(() => standIn?.close());
  return fixture;
}

/** For polling: a busy machine may take its time, and vitest's own second is short. */
export const PATIENT = { timeout: 4_000 };

export type TestMail = { from: string; to: string; subject: string; html: string };

export function mail(to: string, changes: Partial<TestMail> = {}): TestMail {
  return { from: "Ada <ada@acme.test>", to, subject: "Hello", html: "<p>Hello</p>", ...changes };
}

export function mails(count: number, prefix = "p"): TestMail[] {
  return Array.from({ length: count }, (_, index) => mail(`${prefix}${index}@a.test`));
}

/** Status, name and first words of what a raw request got. */
export async function rawPost(
  url: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; body: unknown; headers: Headers }> {
  const response = await fetch(url, {
    method: "POST",
    body,
    headers: { authorization: "Bearer re_test", "user-agent": "test", ...headers },
  });
  const text = await response.text();
  return { status: response.status, body: text && JSON.parse(text), headers: response.headers };
}
