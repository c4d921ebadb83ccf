import { describe, expect, it } from "vitest";
import { signatureFault } from "../../../src/webhook/signature.ts";
import { OTHER_SECRET, SECRET, signature, signedHeaders } from "./signed.ts";

const NOW = Date.UTC(2026, 10, 29, 12);
const BODY = '{"type":"email.sent", "data": {"subject":"Grüße"}}';

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(new TextEncoder().encode(text));
}

function faultOf(
  headers: Partial<ReturnType<typeof signedHeaders>>,
  body = BODY,
  secret = SECRET,
): ReturnType<typeof signatureFault> {
  const request = {
    id: headers["svix-id"] ?? null,
    timestamp: headers["svix-timestamp"] ?? null,
    signature: headers["svix-signature"] ?? null,
    body: bytesOf(body),
  };
  return signatureFault(secret, request, NOW);
}

describe("a signature", () => {
  it("is taken as Svix's own example has it", async () => {
    // docs.svix.com, "Verifying webhooks manually": the example of the scheme.
    const example = {
      id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
      timestamp: "1614265330",
      signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
      body: bytesOf('{"test": 2432232314}'),
    };
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    expect(await signatureFault(secret, example, 1_614_265_330_000)).toBeNull();
  });

  it("C65: a body changed by one byte is not", async () => {
    const headers = signedHeaders(BODY, NOW);
    expect(await faultOf(headers)).toBeNull();
    expect(await faultOf(headers, BODY.replace("sent", "sens"))).toBe("noneMatches");
    expect(await faultOf(headers, `${BODY} `)).toBe("noneMatches");
    expect(await faultOf(headers, JSON.stringify(JSON.parse(BODY)))).toBe("noneMatches");
  });

  it("C65: six minutes off is not, either way, and five minutes are", async () => {
    expect(await faultOf(signedHeaders(BODY, NOW - 360_000))).toBe("tooOld");
    expect(await faultOf(signedHeaders(BODY, NOW + 360_000))).toBe("tooNew");
    expect(await faultOf(signedHeaders(BODY, NOW - 300_000))).toBeNull();
    expect(await faultOf(signedHeaders(BODY, NOW + 300_000))).toBeNull();
    expect(await faultOf(signedHeaders(BODY, NOW - 301_000))).toBe("tooOld");
  });

  it("C65: of two, the second may be the right one", async () => {
    expect(await faultOf(signedHeaders(BODY, NOW, [OTHER_SECRET, SECRET]))).toBeNull();
    expect(await faultOf(signedHeaders(BODY, NOW, [OTHER_SECRET, OTHER_SECRET]))).toBe(
      "noneMatches",
    );
  });

  it.each([
    ["another version", (right: string) => right.replace("v1,", "v1a,")],
    ["nothing", () => "v1,"],
    ["half of it", (right: string) => right.slice(0, 25)],
    ["no base64", () => `v1,${"!".repeat(44)}`],
    ["more than it", (right: string) => `${right}AAAA`],
  ])("is not %s", async (_, changed) => {
    const headers = signedHeaders(BODY, NOW);
    const broken = { ...headers, "svix-signature": changed(headers["svix-signature"]) };
    expect(await faultOf(broken)).toBe("noneMatches");
  });

  it("covers the id and the time", async () => {
    const headers = signedHeaders(BODY, NOW);
    expect(await faultOf({ ...headers, "svix-id": "msg_2" })).toBe("noneMatches");
    const later = String(NOW / 1000 + 1);
    expect(await faultOf({ ...headers, "svix-timestamp": later })).toBe("noneMatches");
  });

  it("needs all three headers, and a time in whole seconds", async () => {
    const headers = signedHeaders(BODY, NOW);
    for (const name of Object.keys(headers)) {
      expect(await faultOf({ ...headers, [name]: "" })).toBe("missingHeaders");
    }
    const time = `${headers["svix-timestamp"]}abc`;
    const signed = signature(SECRET, "msg_1", time, BODY);
    expect(await faultOf({ ...headers, "svix-timestamp": time, "svix-signature": signed })).toBe(
      "malformedTimestamp",
    );
  });

  it("can't be judged with a secret that is none", async () => {
    for (const secret of ["whsec_", "whsec_not base64", "  "]) {
      expect(await faultOf(signedHeaders(BODY, NOW), BODY, secret)).toBe("unusableSecret");
    }
    expect(await faultOf(signedHeaders(BODY, NOW), BODY, `${SECRET}\n`)).toBeNull();
  });
});
