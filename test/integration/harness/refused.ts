/**
 * A request that has to be refused: a 4xx problem in the contract's form, and not a row of either
 * object has changed.
 */
import { runInDurableObject } from "cloudflare:test";
import { expect } from "vitest";
import { api, type Sending } from "./api.ts";
import { account, type TestCampaign } from "./campaign.ts";

export type Problem = {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly { readonly path: string; readonly detail: string }[];
};

/** The rows of the account, of which each campaign of these tests is a part. */
function accountRows(): Promise<string> {
  return runInDurableObject(account(), (_, { storage }) =>
    JSON.stringify(
      ["campaigns", "suppressions"].map((table) =>
        storage.sql.exec(`SELECT * FROM ${table} ORDER BY 1`).toArray(),
      ),
    ),
  );
}

export async function expectRefused(
  one: TestCampaign,
  method: string,
  path: string,
  sending: Sending,
): Promise<Problem> {
  const before = [await one.rows(), await accountRows()];
  const { status, headers, body } = await api<Problem>(method, path, sending);
  expect([await one.rows(), await accountRows()], "nothing is written").toEqual(before);
  expect(status, JSON.stringify(body)).toBeGreaterThanOrEqual(400);
  expect(status, JSON.stringify(body)).toBeLessThan(500);
  expect(headers.get("content-type")).toBe("application/problem+json");
  expect(body).toMatchObject({
    type: `urn:sendonce:problem:${body.code}`,
    title: expect.any(String),
    status,
    detail: expect.any(String),
  });
  return body;
}
