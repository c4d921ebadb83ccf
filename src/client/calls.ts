/**
 * Every call of the API that this client makes, and which of them it repeats by itself. The methods
 * of the client go by this table, and a test compares it with the server's routes.
 *
 * A call whose answer was lost may have been carried out. So one is repeated only where a second
 * time changes nothing and is answered like the first; for the others the caller has to look first.
 */

/**
 * `safe`: repeated. `named`: repeated where the body names an `id`. `never`: left to the caller.
 * An upload is repeated only where its body can be read a second time; a stream can't.
 */
export type Repeat = "safe" | "named" | "never";

export type CallKind = {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** As in the server's table of routes. */
  readonly path: string;
  readonly repeat: Repeat;
  /** How long one try may take: an ordinary call, one that looks at everybody, or any time. */
  readonly takes: "short" | "long" | "any";
};

const call = <Path extends string>(
  method: CallKind["method"],
  path: Path,
  repeat: Repeat,
  takes: CallKind["takes"] = "short",
) => ({ method, path, repeat, takes });

const CAMPAIGN = "/api/campaigns/:id";

export const CALLS = {
  // Without an id each create would draw another one, and make another campaign.
  create: call("POST", "/api/campaigns", "named"),
  campaigns: call("GET", "/api/campaigns", "safe"),
  campaign: call("GET", CAMPAIGN, "safe"),
  change: call("PATCH", CAMPAIGN, "safe"),
  // A second one could erase what somebody has created under the id meanwhile.
  erase: call("DELETE", CAMPAIGN, "never"),

  // Who is there already is counted as a duplicate, and nobody is enrolled twice.
  upload: call("POST", `${CAMPAIGN}/recipients`, "safe", "any"),
  enrolSegment: call("POST", `${CAMPAIGN}/recipients/segment`, "safe", "any"),
  recipients: call("GET", `${CAMPAIGN}/recipients`, "safe"),
  exportRecipients: call("GET", `${CAMPAIGN}/recipients.csv`, "safe"),
  recipient: call("GET", `${CAMPAIGN}/recipients/:recipientId`, "safe"),
  // These two only read, for all that they are POSTs.
  preview: call("POST", `${CAMPAIGN}/preview`, "safe"),
  preflight: call("POST", `${CAMPAIGN}/preflight`, "safe", "long"),
  // It mails somebody, outside of the ledger that would notice a second time.
  sendTest: call("POST", `${CAMPAIGN}/test`, "never"),

  // A second one is refused for what the first has done, which would look like a failure.
  start: call("POST", `${CAMPAIGN}/start`, "never", "long"),
  pause: call("POST", `${CAMPAIGN}/pause`, "safe"),
  resume: call("POST", `${CAMPAIGN}/resume`, "safe"),
  cancel: call("POST", `${CAMPAIGN}/cancel`, "safe"),
  finish: call("POST", `${CAMPAIGN}/finish`, "safe"),
  // A second one would bring back whoever has failed once more since.
  replay: call("POST", `${CAMPAIGN}/replay`, "never", "long"),
  // A second one finds the doubts settled and is refused.
  resolve: call("POST", `${CAMPAIGN}/resolve`, "never"),
  // It has the provider asked, which changes nothing there.
  reconcile: call("POST", `${CAMPAIGN}/reconcile`, "safe"),
  deliveryStatus: call("GET", `${CAMPAIGN}/delivery-status`, "safe"),
  deadLetters: call("GET", `${CAMPAIGN}/dead-letters`, "safe"),
  events: call("GET", `${CAMPAIGN}/events`, "safe"),
  // A stream of its own manner: it comes back by itself (client/watch.ts).
  watch: call("GET", `${CAMPAIGN}/live`, "never", "any"),

  // Each ask has a claim, by which the same grant is found again; a report twice is one report.
  reserve: call("POST", `${CAMPAIGN}/reservations`, "safe"),
  report: call("POST", `${CAMPAIGN}/reservations/:reservationId/report`, "safe"),

  suppressions: call("GET", "/api/suppressions", "safe"),
  exportSuppressions: call("GET", "/api/suppressions.csv", "safe"),
  importSuppressions: call("POST", "/api/suppressions/import", "safe", "any"),
  suppress: call("PUT", "/api/suppressions", "safe"),
  // A second one could lift what an unsubscribe has put there meanwhile.
  allow: call("DELETE", "/api/suppressions/:address", "never"),

  // Whoever is gone is found gone by the second, and whoever still waits is named again.
  person: call("GET", "/api/people/:address", "safe", "long"),
  erasePerson: call("DELETE", "/api/people/:address", "safe", "long"),

  health: call("GET", "/healthz", "safe"),
  metrics: call("GET", "/metrics", "safe"),
} as const satisfies Readonly<Record<string, CallKind>>;

export type CallName = keyof typeof CALLS;

type NamesIn<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** What the path of a call is made of, as the caller wrote it; it is escaped here. */
export type ParametersOf<Name extends CallName> = Readonly<
  Record<NamesIn<(typeof CALLS)[Name]["path"]>, string>
>;

/** @throws TypeError at an empty part, which would name another path */
export function pathOf<Name extends CallName>(name: Name, parameters: ParametersOf<Name>): string {
  const values: Readonly<Record<string, string>> = parameters;
  return CALLS[name].path.replaceAll(/:(\w+)/g, (_, part: string) => {
    const value = values[part] ?? "";
    // A segment of dots is taken for a step in the folders, even where it is escaped.
    if (value === "" || value === "." || value === "..") {
      throw new TypeError(`${name}: ${part} is ${JSON.stringify(value)}, which names nothing`);
    }
    return encodeURIComponent(value);
  });
}

/** Whether this one may be made again. @param json the body, where it is JSON */
export function isRepeatable(name: CallName, json: unknown): boolean {
  const { repeat } = CALLS[name];
  if (repeat !== "named") return repeat === "safe";
  return typeof json === "object" && json !== null && "id" in json && json.id !== undefined;
}
