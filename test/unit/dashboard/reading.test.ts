import { describe, expect, it } from "vitest";
import { campaignPlace, hrefOf, readPlace } from "../../../src/dashboard/route.ts";
import { withSample, type Sample } from "../../../src/dashboard/samples.ts";
import { csvColumns, csvHeader } from "../../../src/dashboard/text/csv-header.ts";
import { eventText, isTrouble } from "../../../src/dashboard/text/event-text.ts";
import { stepsOf } from "../../../src/dashboard/text/story.ts";
import { draftOf, merged, valuesOf } from "../../../src/dashboard/pages/draft-values.ts";
import { campaign, recipientStory } from "../../../src/http/wire.ts";
import { STORY, VIEW } from "../http/api.ts";

describe("the address of a place", () => {
  it("leads back to it", () => {
    const places = [
      { page: "campaigns" } as const,
      { page: "create" } as const,
      { page: "people" } as const,
      campaignPlace("spring"),
      campaignPlace("spring", "recipients", { status: "inDoubt", recipient: "a b&c=d/é@x" }),
      campaignPlace("spring", "history"),
    ];
    for (const place of places) expect(readPlace(hrefOf(place).slice(1))).toEqual(place);
  });

  it("is the one that the demo prints", () => {
    expect(hrefOf(campaignPlace("spring"))).toBe("/?campaign=spring");
  });

  it("leads somewhere where it is not understood", () => {
    expect(readPlace("?campaign=")).toEqual({ page: "campaigns" });
    expect(readPlace("?campaign=spring&tab=nonsense")).toEqual(campaignPlace("spring"));
  });
});

describe("the columns of a CSV", () => {
  it.each([
    ["email,id\na@b.c,1", ["email", "id"]],
    ['\uFEFF"e,mail", Name ,\r\nx', ["e,mail", "Name"]],
    ["email", ["email"]],
    ["", []],
    ["Name;E-Mail\nAda;a@b.c", ["Name", "E-Mail"]],
    ["\n\nemail\tName, first\tCity", ["email", "Name, first", "City"]],
    ['"a;b",email;x', ["a;b", "email;x"]],
  ])("of %j", (text, columns) => {
    expect(csvColumns(text)).toEqual(columns);
  });

  it.each([
    ["Name;E-Mail\nAda;a@b.c", "E-Mail", null],
    ["Mail,email", "email", null],
    ["name,contact\nAda,a@b.c", null, "No column is called email."],
    ["a@b.c,Ada\nd@e.f,Grace", null, "The first line is a recipient already."],
    ["PK\u0003\u0004\u0014", null, "This is not a text file."],
  ])("of %j, and which one holds the address", (text, likelyEmail, trouble) => {
    const header = csvHeader(new TextEncoder().encode(text));
    expect(header.likelyEmail).toBe(likelyEmail);
    expect(header.trouble).toEqual(trouble === null ? null : expect.stringContaining(trouble));
  });

  it("are read in UTF-16 as in UTF-8", () => {
    const bytes = Buffer.from("\uFEFFName\temail\n", "utf16le");
    expect(csvHeader(bytes).columns).toEqual(["Name", "email"]);
  });
});

describe("an event", () => {
  it("is a sentence", () => {
    const detail = { reason: "failureRate", detail: "9 of the last 60 failed", reserved: 20 };
    const paused = { type: "paused", detail };
    expect(eventText(paused)).toBe("Paused: 9 of the last 60 failed, 20 in flight");
    expect(isTrouble(paused)).toBe(true);
    expect(eventText({ type: "finished", detail: { sent: 12, failed: 1, inDoubt: 0 } })).toBe(
      "Finished: 12 sent, 1 failed",
    );
  });

  it("keeps its name where nobody here knows it", () => {
    expect(eventText({ type: "moved", detail: { to: 3 } })).toBe('moved {"to":3}');
  });
});

describe("the story of a recipient", () => {
  it("is told in the order in which it happened", () => {
    const steps = stepsOf(recipientStory(STORY));
    expect(steps.map(({ title, tone }) => [title, tone])).toEqual([
      ["Attempt 1", "plain"],
      ["Accepted by the provider", "good"],
      ["Delivered", "good"],
    ]);
  });

  it("says of an open attempt until when it is reserved", () => {
    const attempts = STORY.attempts.map((each) => ({ ...each, endedAt: null, outcome: null }));
    const [step] = stepsOf(recipientStory({ ...STORY, attempts, feedback: null }));
    expect(step).toMatchObject({ tone: "open", detail: "reserved until 2026-11-29T12:00:00.000Z" });
  });
});

describe("the form of a draft", () => {
  it("gives back the campaign it was filled with", () => {
    const shown = campaign(VIEW);
    const { name, from, replyTo, subject, html, text, unsubscribe, settings } = shown;
    const draft = draftOf(valuesOf(shown), false);
    expect(draft).toEqual({ name, from, replyTo, subject, html, text, unsubscribe, settings });
  });

  it("leaves out what is empty, and all content where the delivery is external", () => {
    const values = { ...valuesOf(null), name: "Spring", delivery: "external", from: "x" };
    expect(draftOf(values, true)).toEqual({
      name: "Spring",
      delivery: "external",
      settings: { requestsPerSecond: null },
    });
  });
});

describe("two who change a draft at once", () => {
  const base = { ...valuesOf(campaign(VIEW)), subject: "old", text: "old", html: "old" };

  it("lose nothing: theirs is taken where I changed nothing, and told where I did", () => {
    const mine = { ...base, subject: "mine", html: "both" };
    const theirs = { ...base, subject: "theirs", text: "theirs", html: "both" };
    expect(merged(base, mine, theirs)).toEqual({
      values: { ...base, subject: "mine", text: "theirs", html: "both" },
      meanwhile: [
        { name: "subject", theirs: "theirs", isDisputed: true },
        { name: "html", theirs: "both", isDisputed: false },
        { name: "text", theirs: "theirs", isDisputed: false },
      ],
    });
  });

  it("are not asked where only numbers have moved", () => {
    const mine = { ...base, subject: "mine" };
    expect(merged(base, mine, base)).toEqual({ values: mine, meanwhile: [] });
  });
});

describe("the samples of a curve", () => {
  it("stay few however long a campaign runs, with the last one always in", () => {
    let samples: readonly Sample[] = [];
    for (let sent = 0; sent <= 50_000; sent += 1) samples = withSample(samples, sent * 1000, sent);
    expect(samples.length).toBeLessThanOrEqual(600);
    expect(samples[0]).toEqual({ at: 0, sent: 0 });
    expect(samples.at(-1)).toEqual({ at: 50_000_000, sent: 50_000 });
  });

  it("begin anew when the numbers fall, as they do for a campaign made anew", () => {
    const samples = withSample([{ at: 1000, sent: 90 }], 2000, 3);
    expect(samples).toEqual([{ at: 2000, sent: 3 }]);
  });
});
