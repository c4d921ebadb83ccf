import { afterEach, describe, expect, it, vi } from "vitest";
import { OBJECT_RETRY_MILLISECONDS } from "../../../src/domain/limits.ts";
import { refuse } from "../../../src/domain/result.ts";
import { PROBLEMS } from "../../../src/http/problem.ts";
import { api, faultyPaths, problemOf, recipientView, STATUS, STORY } from "./api.ts";

function flagged(flags: object): Error {
  return Object.assign(new Error("secret internals"), flags);
}

/** Lets timers go off at once, and gives back how long each would have waited. */
function waitNoTime(): number[] {
  const waits: number[] = [];
  vi.stubGlobal("setTimeout", (done: () => void, milliseconds: number) => {
    waits.push(milliseconds);
    queueMicrotask(done);
  });
  return waits;
}

afterEach(() => {
  vi.unstubAllGlobals();
});

describe("paths and methods", () => {
  it("an unknown path is 404", async () => {
    const response = await api().ask("GET", "/api/nothing");
    expect(response.status).toBe(404);
    expect((await problemOf(response)).code).toBe("pathNotFound");
  });

  it("another method is 405 and names those that there are", async () => {
    const response = await api().ask("PUT", "/api/campaigns/spring");
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("GET, HEAD, PATCH, DELETE");
    expect((await problemOf(response)).code).toBe("methodNotAllowed");
  });

  it("HEAD is GET without the content, for refusals as well", async () => {
    const { ask } = api({ campaign: { recipient: async () => null } });
    const there = await ask("HEAD", "/api/campaigns/spring/delivery-status");
    expect(there.status).toBe(200);
    expect(there.headers.get("content-type")).toBe("application/json");
    expect(await there.text()).toBe("");
    const gone = await ask("HEAD", "/api/campaigns/spring/recipients/u_1");
    expect(gone.status).toBe(404);
    expect(await gone.text()).toBe("");
  });

  it("an id in the path is decoded once", async () => {
    const { ask, calls } = api({ campaign: { recipient: async () => STORY } });
    const ids = ["ada@example.org", "a/b:c?d#e", "100%", "%40", "ä ö", "segment"];
    for (const id of ids) {
      const response = await ask(
        "GET",
        `/api/campaigns/spring/recipients/${encodeURIComponent(id)}`,
      );
      expect(response.status).toBe(200);
    }
    expect(calls.map((call) => call.args[0])).toEqual(ids);
  });

  it.each(["%", "%4", "%zz", "%ff"])("the escape %s is 400", async (escape) => {
    const response = await api().ask("GET", `/api/campaigns/spring/recipients/${escape}`);
    expect(response.status).toBe(400);
    expect((await problemOf(response)).code).toBe("malformedPath");
  });

  it("an id that can't be one is 404 and wakes no object", async () => {
    const { ask, stubs } = api();
    for (const id of ["a%20b", "a".repeat(65), "spr%C3%AFng"]) {
      const response = await ask("GET", `/api/campaigns/${id}`);
      expect((await problemOf(response)).code).toBe("campaignNotFound");
    }
    expect(stubs).toEqual([]);
  });
});

describe("query parameters", () => {
  it.each([
    ["/api/campaigns/spring?verbose=1", "verbose"],
    ["/api/campaigns/spring/events?limit=0", "limit"],
    ["/api/campaigns/spring/events?limit=1001", "limit"],
    ["/api/campaigns/spring/events?limit=1.5", "limit"],
    ["/api/campaigns/spring/events?limit=", "limit"],
    ["/api/campaigns/spring/events?limit=-1", "limit"],
    ["/api/campaigns/spring/events?limit=1&limit=2", "limit"],
    ["/api/campaigns/spring/events?cursor=", "cursor"],
    ["/api/campaigns/spring/recipients?status=lost", "status"],
    ["/api/campaigns/spring/recipients?Status=sent", "Status"],
    ["/api/campaigns/spring/recipients?email=nobody", "email"],
    ["/api/campaigns/spring/recipients.csv?limit=5", "limit"],
    ["/api/campaigns?include=everything", "include"],
    ["/api/campaigns?include=status&limit=26", "limit"],
  ])("%s is refused by name", async (path, name) => {
    const { ask, calls } = api();
    const response = await ask("GET", path);
    expect(response.status).toBe(400);
    expect(await faultyPaths(response)).toEqual([name]);
    expect(calls).toEqual([]);
  });

  it("finds a recipient by an address in any spelling", async () => {
    const { ask, calls } = api({
      campaign: { recipients: async () => ({ items: [recipientView("u_1")], cursor: null }) },
    });
    const path = "/api/campaigns/spring/recipients?email=U_1%40EXAMPLE.org";
    expect((await ask("GET", path)).status).toBe(200);
    expect(calls[0]?.args).toMatchObject([{ status: null, address: "u_1@example.org" }]);
  });

  it("pages with limit and cursor, and `remaining` is another word for pending", async () => {
    const page = { items: [recipientView("u_1")], cursor: "next+1=" };
    const { ask, calls } = api({ campaign: { recipients: async () => page } });
    const path = "/api/campaigns/spring/recipients";
    const response = await ask("GET", `${path}?status=remaining&limit=1000&cursor=a%2Bb`);
    expect(calls[0]?.args).toEqual([{ status: "pending", limit: 1000, cursor: "a+b" }]);
    expect(await response.json()).toEqual({
      items: [
        {
          id: "u_1",
          email: "u_1@example.org",
          data: {},
          status: "pending",
          reason: null,
          providerId: null,
          batch: null,
          updatedAt: "2026-11-29T12:00:00.000Z",
        },
      ],
      cursor: "next+1=",
    });
    await ask("GET", path);
    expect(calls[1]?.args).toEqual([{ status: null, limit: 100, cursor: null }]);
  });
});

describe("trouble with the objects", () => {
  const path = "/api/campaigns/spring/delivery-status";

  it("overloaded is 503 at once, without another call", async () => {
    const error = flagged({ overloaded: true, retryable: true });
    const { ask, calls, logged } = api({
      campaign: {
        deliveryStatus: async () => {
          throw error;
        },
      },
    });
    const response = await ask("GET", path);
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("5");
    expect((await problemOf(response)).code).toBe("overloaded");
    expect(logged).toMatchObject([{ code: "overloaded", error: "Error: secret internals" }]);
    expect(calls).toHaveLength(1);
  });

  it.each([{ retryable: true }, { durableObjectReset: true }])(
    "%o is asked again on new stubs, each time later",
    async (flags) => {
      const waits = waitNoTime();
      let failures = 3;
      const { ask, calls, stubs } = api({
        campaign: {
          deliveryStatus: async () => {
            failures -= 1;
            if (failures >= 0) throw flagged(flags);
            return STATUS;
          },
        },
      });
      expect((await ask("GET", path)).status).toBe(200);
      expect(calls).toHaveLength(4);
      expect(stubs).toHaveLength(4);
      expect(waits).toHaveLength(3);
      for (const [index, most] of OBJECT_RETRY_MILLISECONDS.entries()) {
        expect(waits[index]).toBeGreaterThanOrEqual(most / 2);
        expect(waits[index]).toBeLessThanOrEqual(most);
      }
    },
  );

  it("after three more tries it is 503 with Retry-After", async () => {
    waitNoTime();
    const { ask, calls } = api({
      campaign: {
        deliveryStatus: async () => {
          throw flagged({ retryable: true });
        },
      },
    });
    const response = await ask("GET", path);
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("1");
    expect((await problemOf(response)).code).toBe("unavailable");
    expect(calls).toHaveLength(4);
  });

  it.each([
    ["POST", "/api/campaigns/spring/start", "start", null],
    ["POST", "/api/campaigns/spring/replay", "replay", { recipients: "failed" }],
    ["POST", "/api/campaigns/spring/resolve", "resolve", { ids: ["u_1"], as: "sent" }],
    ["POST", "/api/campaigns/spring/reservations", "reserve", { reservationId: "m", limit: 1 }],
  ] as const)("C07: %s %s is never asked twice", async (method, route, rpc, body) => {
    const { ask, calls } = api({
      campaign: {
        [rpc]: async () => {
          throw flagged({ retryable: true });
        },
      },
    });
    const response = await ask(method, route, { body });
    expect(response.status).toBe(503);
    expect((await problemOf(response)).code).toBe("unavailable");
    expect(calls.filter((call) => call.method !== "describe")).toHaveLength(1);
  });

  it("anything else is 500 without internals, and logged without the address", async () => {
    const { ask, logged } = api({
      campaign: {
        recipient: async () => {
          throw new Error("no such table: recipients");
        },
      },
    });
    const response = await ask("GET", "/api/campaigns/spring/recipients/ada%40example.org");
    expect(response.status).toBe(500);
    const text = await response.text();
    expect(text).not.toContain("table");
    expect(logged).toHaveLength(1);
    expect(logged[0]).toMatchObject({
      event: "httpFault",
      method: "GET",
      route: "/api/campaigns/:id/recipients/:recipientId",
      code: "internal",
      error: "Error: no such table: recipients",
    });
    expect(JSON.stringify(logged)).not.toContain("ada");
  });
});

describe("problems", () => {
  it("each has a status that the contract knows, and a title", () => {
    const statuses = new Set([
      400, 401, 403, 404, 405, 409, 412, 413, 415, 426, 429, 500, 502, 503,
    ]);
    for (const { status, title } of Object.values(PROBLEMS)) {
      expect(statuses).toContain(status);
      expect(title).not.toBe("");
    }
  });

  it("has the members of RFC 9457", async () => {
    const { ask } = api({
      campaign: {
        resume: async () => refuse({ code: "wrongState", state: "draft", command: "resume" }),
      },
    });
    const response = await ask("POST", "/api/campaigns/spring/resume");
    expect(await problemOf(response)).toEqual({
      type: "urn:sendonce:problem:wrongState",
      title: "Not in this state of the campaign",
      status: 409,
      code: "wrongState",
      detail: "The campaign is in state draft and can't be resumed now.",
      state: "draft",
      command: "resume",
    });
  });
});
