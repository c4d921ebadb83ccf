/** Recipients enter the ledger once, however often a list is uploaded. */
import { describe, expect } from "vitest";
import { ENROL_PAGE, MAX_PROBLEMS } from "../../../src/domain/limits.ts";
import {
  people,
  person,
  refusalOf,
  sentTo,
  START,
  suppression,
  taken,
  type ContractTest,
} from "../rig.ts";

export function enrolmentGroup(test: ContractTest): void {
  describe("enrol", () => {
    test("G1, C03: a list uploaded twice adds nobody the second time", (rig) => {
      rig.create();
      expect(taken(rig.ledger.enrol(people(3), [], rig.now))).toEqual({
        added: 3,
        duplicates: 0,
        suppressed: 0,
        total: 3,
        problems: [],
      });
      const again = taken(rig.ledger.enrol(people(3), [], rig.now));
      expect(again).toMatchObject({ added: 0, duplicates: 3, total: 3 });
      expect(again.problems.map(({ line, code }) => [line, code])).toEqual([
        [1, "duplicateId"],
        [2, "duplicateId"],
        [3, "duplicateId"],
      ]);
    });

    test("C06: the same address under another id is a duplicate, named by its line", (rig) => {
      rig.create();
      const page = [
        person("a", "ada@example.org", 1),
        person("b", "bob@example.org", 2),
        person("c", "ada@example.org", 3),
        person("b", "eve@example.org", 4),
        person("a", "ada@example.org", 5),
      ];
      const report = taken(rig.ledger.enrol(page, [], rig.now));
      expect(report).toMatchObject({ added: 2, duplicates: 3, total: 2 });
      expect(report.problems.map(({ line, code }) => [line, code])).toEqual([
        [3, "duplicateAddress"],
        [4, "duplicateId"],
        [5, "duplicateId"],
      ]);
      expect(
        rig.ledger.recipients({ status: null, limit: 9, cursor: null }, rig.now)?.items,
      ).toEqual([
        expect.objectContaining({ id: "a", email: "ada@example.org", data: { name: "a" } }),
        expect.objectContaining({ id: "b", email: "bob@example.org" }),
      ]);
    });

    test("G6: who is suppressed in the account is enrolled as suppressed, with the reason", (rig) => {
      rig.create();
      const known = [suppression("r2", "complaint", START - 5)];
      const report = taken(rig.ledger.enrol(people(3), known, rig.now));
      expect(report).toMatchObject({ added: 2, suppressed: 1, duplicates: 0, total: 3 });
      expect(report.problems).toEqual([
        { line: 2, code: "suppressed", detail: "r2@example.org must not be mailed" },
      ]);
      expect(rig.story("r2")).toMatchObject({
        status: "suppressed",
        reason: "complaint",
        suppression: { reason: "complaint", at: START - 5 },
      });
    });

    test("G6: a suppression that reached the campaign before the recipient counts", (rig) => {
      rig.create();
      rig.suppress("r1", "hardBounce");
      const report = taken(rig.ledger.enrol(people(2), [], rig.now));
      expect(report).toMatchObject({ added: 1, suppressed: 1 });
      expect(rig.statusOf("r1")).toBe("suppressed");
    });

    test("the address as written is kept for sending, its normal form for comparing", (rig) => {
      rig.create();
      rig.enrol([{ ...person("a", "ada@example.org"), email: "Ada@Example.ORG" }]);
      rig.start();
      rig.alarm();
      expect(rig.grant(1).members[0]).toMatchObject({ email: "Ada@Example.ORG", id: "a" });
    });

    test("a page is bounded, and one too long writes nothing", (rig) => {
      rig.create();
      rig.enrol(people(ENROL_PAGE));
      const before = rig.rows();
      const tooMany = people(ENROL_PAGE + 1, 5000);
      expect(() => rig.ledger.enrol(tooMany, [], rig.now)).toThrow("a page is bounded");
      expect(rig.rows()).toEqual(before);
      expect(rig.status().stats.total).toBe(ENROL_PAGE);
    });

    test("the first hundred problems are named, the counts are of all", (rig) => {
      rig.create();
      rig.enrol(people(300));
      const again = taken(rig.ledger.enrol(people(300), [], rig.now));
      expect(again.duplicates).toBe(300);
      expect(again.problems).toHaveLength(MAX_PROBLEMS);
      expect(again.problems.at(-1)?.line).toBe(MAX_PROBLEMS);
    });

    test("an empty page is an empty report", (rig) => {
      rig.create();
      expect(taken(rig.ledger.enrol([], [], rig.now))).toEqual({
        added: 0,
        duplicates: 0,
        suppressed: 0,
        total: 0,
        problems: [],
      });
    });

    test("ids and data come back as they were given, whatever they contain", (rig) => {
      rig.create();
      const odd = ["007", "null", "1e3", "[]", '"', "a\nb", "ß", "🙂", "a'b", "A", "a", " a"];
      const page = odd.map((id, index) => ({
        ...person(id, `odd${index}@example.org`, index + 1),
        data: { id, nested: { list: [1, null, "x"], big: 2 ** 40 }, empty: "" },
      }));
      expect(taken(rig.ledger.enrol(page, [], rig.now)).added).toBe(odd.length);
      for (const row of page) {
        expect(rig.story(row.id)).toMatchObject({ id: row.id, data: row.data, email: row.email });
      }
      expect(taken(rig.ledger.enrol(page, [], rig.now)).duplicates).toBe(odd.length);
    });

    test("a managed campaign that has begun takes nobody else", (rig) => {
      rig.sending(1);
      const late = rig.ledger.enrol(people(1, 50), [], rig.now);
      expect(refusalOf(late)).toEqual({ code: "wrongState", state: "sending", command: "edit" });
      rig.pause();
      const paused = rig.ledger.enrol(people(1, 50), [], rig.now);
      expect(refusalOf(paused)).toEqual({ code: "wrongState", state: "paused", command: "edit" });
    });

    test("a scheduled campaign still takes recipients", (rig) => {
      rig.create();
      rig.start(START + 1000);
      rig.enrol(people(2));
      rig.advance(1);
      rig.alarm();
      const grant = rig.grant(1);
      expect(rig.told(grant, sentTo(grant)).state).toBe("finished");
    });
  });
}
