import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { readUpload } from "../../../src/audience/read-upload.ts";
import { partOf, splitList, type Split } from "../../../src/audience/split.ts";
import type { Enrolment } from "../../../src/campaign/rpc.ts";
import type { Address } from "../../../src/domain/ids.ts";

const folder = mkdtempSync(join(tmpdir(), "sendonce-split-"));
afterAll(() => rmSync(folder, { recursive: true }));

let lists = 0;
/** A list in a folder of its own, and the parts beside it. */
function listOf(name: string, text: string): { file: string; into: string } {
  lists += 1;
  const into = join(folder, String(lists));
  mkdirSync(into);
  const file = join(into, name);
  writeFileSync(file, text);
  return { file, into };
}

/** What an upload of this file would enrol. */
async function read(file: string): Promise<Enrolment[]> {
  const found: Enrolment[] = [];
  for await (const page of readUpload(new Blob([readFileSync(file)]).stream(), "ndjson")) {
    expect(page.invalid).toEqual([]);
    found.push(...page.enrolments);
  }
  return found;
}

/** The same of each part. */
async function enrolled({ parts }: Split): Promise<Enrolment[][]> {
  const files = parts.map(async (part) => (await Promise.all(part.files.map(read))).flat());
  return Promise.all(files);
}

const SCRIPT = fileURLToPath(new URL("../../../src/audience/split.ts", import.meta.url));

/** As `npm run split --` calls it. */
function command(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const flags = ["--disable-warning=ExperimentalWarning", SCRIPT, ...args];
  return new Promise((resolve) => {
    execFile(process.execPath, flags, (error, out, err) => {
      resolve({ code: Number(error?.code ?? 0), out, err });
    });
  });
}

/** Of one person, as lists have it. */
const spellings = (at: number): string[] => [
  `ada.${at}@bücher.example`,
  `Ada.${at}@Bücher.example`,
  ` ADA.${at}@xn--bcher-kva.example\u200b`,
];

describe("npm run split", () => {
  it("C03, C06: all spellings of an address are in one part, and everybody is in some part", async () => {
    const rows = Array.from({ length: 2_000 }, (_, at) =>
      spellings(at).map((email, nth) => `u_${at}_${nth},${email},"Lovelace, ${at}"`),
    ).flat();
    const { file, into } = listOf("list.csv", `id,email,name\n${rows.join("\n")}\n`);
    const split = await splitList(file, 5, into);
    expect(split).toMatchObject({ invalid: 0, problems: [] });
    const parts = await enrolled(split);
    expect(parts.flat().map(({ id }) => id)).toHaveLength(6_000);
    expect(new Set(parts.flat().map(({ id }) => id)).size).toBe(6_000);
    const addresses = parts.map((part) => new Set(part.map(({ address }) => address)));
    expect(new Set(addresses.flatMap((part) => [...part])).size).toBe(2_000);
    // Each is in one of them only, and none of them is much fuller than its share.
    expect(addresses.reduce((sum, part) => sum + part.size, 0)).toBe(2_000);
    for (const part of addresses) expect(Math.abs(part.size - 400)).toBeLessThan(60);
    expect(parts.flat().find(({ id }) => id === "u_7_1")).toMatchObject({
      email: "Ada.7@xn--bcher-kva.example",
      data: { name: "Lovelace, 7" },
    });
  });

  it("goes by the address alone, the same way every time", () => {
    const addresses = ["ada@example.org", "grace@example.org", "joan@example.org"] as Address[];
    // The first four bytes of its SHA-256, modulo five, as sha256sum has them.
    expect(addresses.map((address) => partOf(address, 5))).toEqual([1, 1, 0]);
  });

  it("names the rows that no upload would take, by the line of the list", async () => {
    const { file, into } = listOf(
      "bad.csv",
      "email\nada@example.org\nbob@@x\n\ngrace@example.org\n",
    );
    const split = await splitList(file, 2, into);
    expect(split).toMatchObject({ invalid: 1, problems: [{ line: 3, code: "notOneAtSign" }] });
    expect((await enrolled(split)).flat().map(({ id }) => id)).toEqual(
      expect.arrayContaining(["ada@example.org", "grace@example.org"]),
    );
  });

  it("begins a new file before one is too large for an upload", async () => {
    const rows = Array.from({ length: 5_000 }, (_, at) => ({ email: `a${at}@example.org` }));
    const text = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
    const { file, into } = listOf("list.ndjson", text);
    const split = await splitList(file, 2, into, 60_000);
    const files = split.parts.flatMap((part) => part.files);
    expect(files.length).toBeGreaterThan(4);
    for (const each of files) expect(statSync(each).size).toBeLessThanOrEqual(60_000);
    expect((await enrolled(split)).flat()).toHaveLength(5_000);
  });

  it("refuses what it can't do, and never writes over a file", async () => {
    const { file, into } = listOf("list.csv", "email\nada@example.org\n");
    await expect(splitList(file, 1, into)).rejects.toThrow("from 2 to 40");
    await expect(splitList(file, 2.5, into)).rejects.toThrow("from 2 to 40");
    await expect(splitList(join(into, "list.xls"), 2, into)).rejects.toThrow(".csv, .ndjson");
    await splitList(file, 2, into);
    await expect(splitList(file, 2, into)).rejects.toThrow("EEXIST");
  });

  it("as a command tells what is where, and ends with 4 where rows were left out, with 2 for no list", async () => {
    const { file, into } = listOf("audience.csv", "email\nada@example.org\nbob@@x\n");
    expect(await command(file, "5", into)).toEqual({
      code: 4,
      out: expect.stringContaining(`1 row: ${join(into, "audience-2of5-1.ndjson")}\n`),
      err: expect.stringMatching(/^line 3: .*\n1 row is in no part\.\n$/),
    });
    expect(await command(join(into, "none.csv"), "5", into)).toMatchObject({ code: 2 });
    expect(await command()).toMatchObject({ code: 2 });
  });
});
