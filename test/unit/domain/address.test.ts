import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ADDRESS_REFUSAL_CODES, isSpecialUse, parseAddress } from "../../../src/domain/address.ts";
import type { Address } from "../../../src/domain/ids.ts";

const INVISIBLE = [
  ["space", " "],
  ["tab", "\t"],
  ["line break", "\r\n"],
  ["no-break space", "\u00a0"],
  ["narrow no-break space", "\u202f"],
  ["ideographic space", "\u3000"],
  ["zero-width space", "\u200b"],
  ["zero-width joiner", "\u200d"],
  ["word joiner", "\u2060"],
  ["byte order mark", "\ufeff"],
  ["soft hyphen", "\u00ad"],
  ["left-to-right mark", "\u200e"],
  ["right-to-left override", "\u202e"],
  ["directional isolate", "\u2068"],
  ["Mongolian vowel separator", "\u180e"],
  ["Hangul filler", "\u3164"],
  ["variation selector", "\ufe0f"],
  ["tag character", "\u{e0041}"],
  ["blank Braille pattern", "\u2800"],
] as const;

function normal(written: string): string {
  const parsed = parseAddress(written);
  return parsed.ok ? parsed.value.address : parsed.refusal.code;
}

describe("the normal form", () => {
  it("C06: gives one form to the spellings of one mailbox", () => {
    const spellings = ["a@x.com", "A@X.com", " a@x.com ", "a@x.com\u200b", "a@x.com\u00a0"];
    expect(new Set(spellings.map(normal))).toEqual(new Set(["a@x.com"]));
  });

  it("C06: refuses a full-width @ by name", () => {
    const parsed = parseAddress("a\uff20x.com");
    expect(parsed).toEqual({
      ok: false,
      refusal: {
        code: "notOneAtSign",
        detail: "Write an ordinary @ in place of the look-alike U+FF20.",
      },
    });
  });

  it.each(INVISIBLE)("drops a %s around the address and refuses it inside", (_, character) => {
    expect(normal(`${character}${character}a@x.com${character}`)).toBe("a@x.com");
    expect(normal(`a@x${character}y.com`)).toMatch(
      /^(?:controlCharacter|invisibleCharacter|domainCharacter)$/,
    );
  });

  it("keeps the written local part and an ASCII domain for sending", () => {
    const parsed = parseAddress("\ufeffAda.Lovelace+List@Example.ORG ");
    expect(parsed).toEqual({
      ok: true,
      value: {
        address: "ada.lovelace+list@example.org",
        email: "Ada.Lovelace+List@Example.ORG",
      },
    });
  });

  it.each([
    ["precomposed", "a@m\u00fcnchen.de"],
    ["decomposed", "a@mu\u0308nchen.de"],
    ["capital", "a@M\u00dcNCHEN.de"],
    ["ASCII", "a@XN--mnchen-3YA.de"],
  ])("maps an internationalised domain, %s", (_, written) => {
    expect(normal(written)).toBe("a@xn--mnchen-3ya.de");
    const parsed = parseAddress(written);
    expect(parsed.ok && parsed.value.email.toLowerCase()).toBe("a@xn--mnchen-3ya.de");
  });

  it("maps full-width letters and ideographic dots of a domain", () => {
    expect(normal("a@\uff58\u3002com")).toBe("a@x.com");
    // What is mailed is ASCII, also where lower case alone would have made it so.
    const kelvin = parseAddress("a@\u212ax.com");
    expect(kelvin.ok && kelvin.value).toEqual({ address: "a@kx.com", email: "a@kx.com" });
  });

  it("is a fixed point, and equal for both spellings of the case", () => {
    const atom = fc.stringMatching(/^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,20}$/);
    const label = fc.stringMatching(/^[A-Za-z0-9]{1,20}$/);
    fc.assert(
      fc.property(atom, label, (local, domain) => {
        const written = `${local}@${domain}.Com`;
        const form = normal(written);
        expect(form).toBe(written.toLowerCase());
        expect(normal(form)).toBe(form);
        expect(normal(written.toUpperCase())).toBe(form);
      }),
    );
  });

  it("gives a mailable ASCII address or a refusal of the closed set for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 80 }), (text) => {
        for (const written of [text, `${text}@x.com`, `a@${text}`, `a@${text}.com`]) {
          const parsed = parseAddress(written);
          if (parsed.ok) {
            expect(parsed.value.email).toMatch(/^[!-?A-~]{1,64}@[A-Za-z0-9.-]{3,253}$/);
            expect(normal(parsed.value.email)).toBe(parsed.value.address);
          } else {
            expect(ADDRESS_REFUSAL_CODES).toContain(parsed.refusal.code);
            expect(parsed.refusal.detail).toMatch(/^["A-Z].*\.$/s);
          }
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("what is refused", () => {
  it.each([
    ["emptyAddress", ""],
    ["emptyAddress", " \u200b\u00a0 "],
    ["notOneAtSign", "bob@@x"],
    ["notOneAtSign", "bob"],
    ["notOneAtSign", "a@x.com, b@x.com"],
    ["domainWithoutDot", "a@b"],
    ["localPartTooLong", `${"a".repeat(300)}@x.com`],
    ["localPartTooLong", `${"a".repeat(65)}@x.com`],
    ["addressTooLong", `a@${"b".repeat(2_000)}.com`],
    ["addressTooLong", `${"a".repeat(60)}@${"b.".repeat(96)}com`],
    ["domainTooLong", `a@${"b.".repeat(126)}com`],
    ["emptyLocalPart", "@x.com"],
    ["emptyDomain", "a@"],
    ["localPartDots", ".a@x.com"],
    ["localPartDots", "a.@x.com"],
    ["localPartDots", "a..b@x.com"],
    ["quotedLocalPart", '"a b"@x.com'],
    ["localPartCharacter", "Ada <ada@x.com>"],
    ["localPartCharacter", "a b@x.com"],
    ["localPartCharacter", "a,b@x.com"],
    ["nonAsciiLocalPart", "j\u00fcrgen@x.com"],
    ["nonAsciiLocalPart", "\u0430da@x.com"],
    ["controlCharacter", "a@x.com\r\nBcc: b@y.com"],
    ["controlCharacter", "a\u0000@x.com"],
    ["controlCharacter", "a@x\u2028.com"],
    ["domainLiteral", "a@[127.0.0.1]"],
    ["topLevelDomain", "a@127.0.0.1"],
    ["topLevelDomain", "a@x.0x7f"],
    ["topLevelDomain", "a@x.c0m"],
    ["domainDots", "a@x..com"],
    ["domainDots", "a@x.com."],
    ["domainDots", "a@.x.com"],
    ["domainLabel", "a@-x.com"],
    ["domainLabel", "a@x-.com"],
    ["domainLabel", `a@${"b".repeat(64)}.com`],
    ["domainCharacter", "a@x_y.com"],
    ["domainCharacter", "a@x.com/path"],
    ["domainCharacter", "a@x.com:25"],
    ["domainCharacter", "a@x.com?q"],
    ["domainCharacter", "a@x%41.com"],
    ["domainCharacter", "a@x y.com"],
    ["domainCharacter", "a@xn--a.com"],
    ["domainCharacter", "a@x.com>"],
  ])("C50: %s", (code, written) => {
    expect(normal(written)).toBe(code);
  });

  it("takes the longest parts that RFC 5321 allows", () => {
    const local = "a".repeat(64);
    const domain = `${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(57)}.com`;
    expect(`${local}@${domain}`.length).toBe(254);
    expect(normal(`${local}@${domain}`)).toBe(`${local}@${domain}`);
    expect(normal(`a${local}@${domain}`)).toBe("localPartTooLong");
    expect(normal(`${local}@${domain}m`)).toBe("addressTooLong");
  });

  it("names what is wrong and never echoes the address", () => {
    const parsed = parseAddress("j\u00fcrgen.secret@x.com");
    expect(parsed.ok).toBe(false);
    if (parsed.ok) return;
    expect(parsed.refusal.detail).toContain("SMTPUTF8");
    expect(parsed.refusal.detail).not.toContain("secret");
  });
});

describe("special-use domains", () => {
  it.each([
    "a@x.invalid",
    "a@x.test",
    "a@mail.example",
    "a@b.localhost",
    "a@printer.local",
    "a@example.com",
    "a@deep.sub.example.net",
    "ada@example.org",
    "a@test.com",
  ])("%s is enrolled, and known to reach nobody", (written) => {
    const parsed = parseAddress(written);
    expect(parsed.ok && isSpecialUse(parsed.value.address)).toBe(true);
  });

  it.each(["a@example.de", "a@myexample.com", "a@test.de", "a@local.com"])(
    "%s is an ordinary address",
    (written) => {
      expect(isSpecialUse(written as Address)).toBe(false);
    },
  );
});
