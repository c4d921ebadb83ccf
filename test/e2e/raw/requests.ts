/**
 * Requests as bytes: what no HTTP client would send, since it builds lines and headers itself.
 *
 * None of them may change anything. Those with the operator's token read, or are not whole: a body
 * that ends early, an encoding that is not read, a framing that says two things. So a row that has
 * changed is a request that was taken for another one.
 */
import { gzipSync } from "node:zlib";
import * as fc from "fast-check";

/** What becomes of the connection once everything is written. */
export type Ending = "wait" | "halfClose" | "destroy";

export type RawRequest = {
  readonly kind: string;
  /** Written one after the other, with a breath in between. */
  readonly writes: readonly Buffer[];
  readonly ending: Ending;
};

export type Words = { readonly token: string; readonly draft: string };

const CRLF = "\r\n";
const LONG = 65_536;
const BOMB = gzipSync(Buffer.alloc(8_000_000, "email\n"));

const bytes = (text: string): Buffer => Buffer.from(text, "latin1");

const METHODS = [
  "GET",
  "get",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "TRACE",
  "CONNECT",
  "PROPFIND",
  "PRI",
  "G\u0000T",
  "GET\t",
  "",
  "M-SEARCH",
  "X".repeat(300),
  "\u00ff\u00fe",
];

const TARGETS = [
  "/healthz",
  "/api/campaigns",
  "/api/campaigns/{draft}",
  "/api/campaigns/{draft}/recipients?limit=1",
  "http://127.0.0.1/api/campaigns/{draft}",
  "http://evil.test/api/campaigns",
  "https://user:secret@127.0.0.1:1/session",
  "ftp://127.0.0.1/healthz",
  "127.0.0.1:443",
  "evil.test:80",
  "*",
  "",
  "healthz",
  "//evil.test/healthz",
  "///api/campaigns",
  "/api//campaigns//{draft}",
  "/api/campaigns/../../session",
  "/../../../../etc/passwd",
  "/%2e%2e/%2e%2e/api/campaigns",
  "/api/campaigns/%7bdraft%7d",
  "/api/campaigns/%00",
  "/api/campaigns/%",
  "/api/campaigns/%zz",
  "/api/campaigns/%c0%af",
  "/api/campaigns/%ff%fe",
  "/api/campaigns/%0d%0aset-cookie:%20a=b",
  "/api/campaigns/a\u0000b",
  "/api/campaigns/\u0001\u0002\u007f",
  "/api/campaigns/\u00e4\u00f6\u00ff",
  "/api/campaigns/a b",
  "/api/campaigns/a\tb",
  "/api/campaigns#fragment",
  "/api/campaigns?limit=1?limit=2&&&==",
  "/api/campaigns?cursor=\u00ff",
  "/\\..\\..\\session",
  `/${"a".repeat(LONG)}`,
  `/api/campaigns/${"%41".repeat(LONG / 3)}`,
  `/api/campaigns?cursor=${"c".repeat(LONG)}`,
  `/${"../".repeat(5_000)}healthz`,
];

const VERSIONS = [
  "HTTP/1.1",
  "HTTP/1.1",
  "HTTP/1.1",
  "HTTP/1.0",
  "HTTP/0.9",
  "HTTP/2.0",
  "HTTP/1.2",
  "HTTP/9.9",
  "http/1.1",
  "HTTP/1",
  "HTTP/1.1.1",
  "HTTPS/1.1",
  "",
];

const HEADER_LINES = [
  "no-colon-here",
  ": no name",
  "bad name: x",
  "bad\u0000name: x",
  "x-nul: a\u0000b",
  "x-control: \u0001\u007f",
  "x-bytes: \u00ff\u00fe",
  "x-bare: a\rb",
  "x-folded: a\r\n b",
  "x-folded: a\r\n\tb\r\n c",
  " leading: x",
  "x-space : x",
  "x-empty:",
  "host: evil.test",
  "host: 127.0.0.1, evil.test",
  "host:",
  "content-length: 0\r\ncontent-length: 0",
  "content-length: 0\r\ncontent-length: 5",
  "content-length: -1",
  "content-length: +1",
  "content-length: 1e3",
  "content-length: 0x10",
  "content-length: 99999999999999999999",
  "content-length: 5, 5",
  "transfer-encoding: identity",
  "transfer-encoding: chunked, chunked",
  "transfer-encoding: gzip, chunked",
  "transfer-encoding: \u000bchunked",
  "transfer-encoding: x",
  "connection: content-length, authorization",
  "connection: upgrade\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAAQAAP__",
  "upgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-key: x",
  "upgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 99",
  "te: trailers, deflate;q=0.5",
  "trailer: content-length",
  "expect: 100-continue",
  "expect: 200-ok",
  "range: bytes=0-0,-1",
  'if-match: "',
  "if-none-match: *",
  "cookie: __Host-sendonce=\u00ff; __Host-sendonce=b",
  "cf-connecting-ip: 10.0.0.1",
  "mf-original-url: http://evil.test/",
  "x-forwarded-for: ' OR 1=1--",
  `x-huge: ${"h".repeat(LONG)}`,
  `x-larger: ${"h".repeat(300_000)}`,
  Array.from({ length: 2_000 }, (_, at) => `x-${at}: ${at}`).join(CRLF),
];

const CHUNKS = [
  "5\r\nhello\r\n0\r\n\r\n",
  "zz\r\nhello\r\n0\r\n\r\n",
  "-5\r\nhello\r\n0\r\n\r\n",
  "ffffffffffffffff\r\nhello\r\n0\r\n\r\n",
  "5;ext=\u0000\r\nhello\r\n0\r\n\r\n",
  "5 \r\nhello\r\n0\r\n\r\n",
  "5\nhello\n0\n\n",
  "5\r\nhelloXX0\r\n\r\n",
  "5\r\nhel",
  "0\r\n",
  "0\r\nx-trailer: a\r\ncontent-length: 9\r\n\r\n",
  `${"0".repeat(1_000)}5\r\nhello\r\n0\r\n\r\n`,
  `5;${"e".repeat(LONG)}\r\nhello\r\n0\r\n\r\n`,
  "\r\n",
  "",
];

/** A whole change of the draft: nobody may take it where the request that it is in is not whole. */
const CHANGE = '{"name":"changed by a request that was not whole"}';

const head = (line: string, headers: readonly string[]): string =>
  [line, ...headers, "", ""].join(CRLF);

const one = (kind: string, text: string, ending: Ending = "wait"): RawRequest => ({
  kind,
  writes: [bytes(text)],
  ending,
});

/** @param words stand for `{draft}`, and for the operator's token */
export function rawRequests({ token, draft }: Words): fc.Arbitrary<RawRequest> {
  const host = "host: 127.0.0.1";
  const close = "connection: close";
  const operator = `authorization: Bearer ${token}`;
  const named = (text: string): string => text.replaceAll("{draft}", draft);
  const who = fc.constantFrom([], [], [operator]);
  const target = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...TARGETS).map(named) },
    {
      weight: 1,
      arbitrary: fc.uint8Array({ minLength: 1, maxLength: 40 }).map(
        (raw) =>
          `/${Buffer.from(raw)
            .toString("latin1")
            .replaceAll(/[\r\n]/g, "")}`,
      ),
    },
  );
  // Whoever may change things only reads here.
  const line = fc
    .tuple(fc.constantFrom(...METHODS), target, fc.constantFrom(...VERSIONS), who)
    .map(([method, path, version, token_]) => {
      const isRead = /^(GET|HEAD|OPTIONS|TRACE)$/i.test(method);
      const headers = [host, close, ...(isRead ? token_ : [])];
      return one("line", head(`${method} ${path} ${version}`, headers));
    });
  const reading = fc.constantFrom("/api/campaigns", "/healthz", `/api/campaigns/${draft}`);
  const headers = fc
    .tuple(reading, fc.array(fc.constantFrom(...HEADER_LINES), { minLength: 1, maxLength: 3 }), who)
    .map(([path, odd, token_]) => {
      return one("headers", head(`GET ${path} HTTP/1.1`, [host, ...odd, ...token_, close]));
    });
  const change = `PATCH /api/campaigns/${draft} HTTP/1.1`;
  const json = "content-type: application/json";
  const chunked = "transfer-encoding: chunked";
  const chunks = fc
    .tuple(fc.constantFrom(...CHUNKS), fc.constantFrom("POST /session", "POST /webhooks/resend"))
    .map(([body, route]) =>
      one("chunks", head(`${route} HTTP/1.1`, [host, json, chunked, close]) + body, "halfClose"),
    );
  // Complete JSON, in a request that says that there is more of it.
  const unfinished = fc
    .constantFrom<readonly [string[], string]>(
      [[`content-length: ${CHANGE.length + 10}`], CHANGE],
      [[`content-length: ${CHANGE.length + 1}`], CHANGE],
      [[chunked], `${CHANGE.length.toString(16)}\r\n${CHANGE}\r\n`],
      [[chunked], `${CHANGE.length.toString(16)}\r\n${CHANGE}\r\nzz\r\n`],
      [[chunked], `${(CHANGE.length + 5).toString(16)}\r\n${CHANGE}`],
    )
    .chain(([framing, body]) =>
      fc.constantFrom<Ending>("halfClose", "destroy").map((ending) => {
        return one("unfinished", head(change, [host, operator, json, ...framing]) + body, ending);
      }),
    );
  const conflicting = fc
    .constantFrom<string[]>(
      [`content-length: ${CHANGE.length}`, "content-length: 0"],
      [`content-length: ${CHANGE.length}, 3`],
      [`content-length: ${CHANGE.length}`, "transfer-encoding: x"],
      [`content-length: -${CHANGE.length}`],
      [`content-length: ${CHANGE.length}x`],
      ["content-length: 99999999999999999999"],
    )
    .map((framing) =>
      one(
        "conflict",
        head(change, [host, operator, json, ...framing, close]) + CHANGE,
        "halfClose",
      ),
    );
  // A request within a body is a body, whoever's token is in it.
  const nested = fc.constantFrom("POST /session", "POST /webhooks/resend").map((route) => {
    const inner = head(`POST /api/campaigns/${draft}/start HTTP/1.1`, [
      host,
      operator,
      "content-length: 0",
    ]);
    const framing = [`content-length: ${inner.length}`, close];
    return one("nested", head(`${route} HTTP/1.1`, [host, json, ...framing]) + inner);
  });
  const packed = fc
    .constantFrom("gzip", "GZIP", "x-gzip", "deflate", "br", "gzip, identity", "zstd")
    .chain((encoding) => {
      const framing = [`content-encoding: ${encoding}`, `content-length: ${BOMB.length}`, close];
      const route = `POST /api/campaigns/${draft}/recipients HTTP/1.1`;
      return fc.constantFrom("text/csv", "application/json").map((type): RawRequest => {
        const begin = head(route, [host, operator, `content-type: ${type}`, ...framing]);
        return { kind: "packed", writes: [bytes(begin), BOMB], ending: "wait" };
      });
    });
  const expecting = fc.constantFrom("100-continue", "100-Continue", "x").chain((expect) =>
    fc.constantFrom<Ending>("wait", "halfClose", "destroy").map((ending): RawRequest => {
      const framing = [`expect: ${expect}`, "content-length: 15", close];
      const begin = head("POST /session HTTP/1.1", [host, json, ...framing]);
      const writes =
        ending === "destroy" ? [bytes(begin)] : [bytes(begin), bytes('{"token":false}')];
      return { kind: "expect", writes, ending };
    }),
  );
  const whole = head(`GET /api/campaigns/${draft} HTTP/1.1`, [host, operator]);
  const pipelined = fc
    .array(
      fc.oneof(
        fc.constant(whole),
        line.map(({ writes }) => String(writes[0])),
      ),
      {
        minLength: 2,
        maxLength: 6,
      },
    )
    .map((requests) => {
      const last = head("GET /healthz HTTP/1.1", [host, close]);
      return one(
        "pipelined",
        requests.join("").replaceAll(`${CRLF}${close}`, "") + last,
        "halfClose",
      );
    });
  const partial = fc
    .tuple(fc.nat(whole.length - 1), fc.constantFrom<Ending>("halfClose", "destroy"))
    .map(([length, ending]) => one("partial", whole.slice(0, length), ending));
  const slow = fc.nat(whole.length - 1).map((at): RawRequest => {
    const text = head(`GET /api/campaigns/${draft} HTTP/1.1`, [host, operator, close]);
    const writes = [text.slice(0, at), text.slice(at, at + 1), text.slice(at + 1)].map(bytes);
    return { kind: "slow", writes, ending: "wait" };
  });
  const noise = fc
    .oneof(
      fc.constantFrom(
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003",
        "\r\n\r\n\r\n",
        "GET",
        "GET /\r\n\r\n",
        "GET / HTTP/1.1\nhost: 127.0.0.1\n\n",
        "HTTP/1.1 200 OK\r\n\r\n",
        "\u0000".repeat(100),
      ),
      fc.uint8Array({ maxLength: 200 }).map((raw) => Buffer.from(raw).toString("latin1")),
    )
    .map((text) => one("noise", text, "halfClose"));
  return fc.oneof(
    { weight: 6, arbitrary: line },
    { weight: 6, arbitrary: headers },
    { weight: 3, arbitrary: chunks },
    { weight: 3, arbitrary: unfinished },
    { weight: 2, arbitrary: conflicting },
    { weight: 1, arbitrary: nested },
    { weight: 1, arbitrary: packed },
    { weight: 1, arbitrary: expecting },
    { weight: 3, arbitrary: pipelined },
    { weight: 2, arbitrary: partial },
    { weight: 1, arbitrary: slow },
    { weight: 2, arbitrary: noise },
  );
}
