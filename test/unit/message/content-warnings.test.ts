/** What is said of the links of a campaign before anybody is mailed with them. */
import { describe, expect, it } from "vitest";
import { contentWarnings, linkErrors } from "../../../src/message/content-warnings.ts";
import { contentOf } from "../../support/content.ts";

const WITH_LINK = contentOf({
  unsubscribe: true,
  html: '<a href="{{ unsubscribeUrl }}">no more</a>',
});

describe("PUBLIC_URL, the origin of unsubscribe links", () => {
  it.each(["https://mail.shop.example", "https://shop.example/mail", "https://shop.example:8443"])(
    "%s is one",
    (url) => {
      expect(linkErrors(WITH_LINK, url)).toEqual([]);
    },
  );

  it.each([
    "",
    "mail.shop.example",
    "htps://shop.example",
    "https://",
    "https://shop.example/?from=",
    "https://shop.example#top",
    "https://user@shop.example",
    "https://shop .example",
    "https://shop.example:port",
    "https://shop.example>,<https://x",
  ])("%s is none, and keeps a campaign with links from starting", (url) => {
    expect(linkErrors(WITH_LINK, url)).toMatchObject([{ code: "brokenUnsubscribeLink" }]);
    expect(linkErrors({ ...WITH_LINK, unsubscribe: false }, url)).toEqual([]);
  });

  it("without TLS is doubtful, and no more", () => {
    const url = "http://localhost:8787";
    expect(linkErrors(WITH_LINK, url)).toEqual([]);
    const codes = contentWarnings(WITH_LINK, url).map(({ code }) => code);
    expect(codes).toContain("insecureUnsubscribeLink");
  });
});
