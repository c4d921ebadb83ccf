/**
 * What can be switched on the stand-in by `POST /control/config`, and the reading of it. An unknown
 * field is refused by name: a typing error in a test must not become a fault that never happens.
 */
type FixedAnswer = {
  readonly status: number;
  readonly name: string;
  readonly message: string;
};

export type StandInSettings = {
  /** Over any window of one second, all endpoints together; null: no limit. */
  readonly requestsPerSecond: number | null;
  /** What a 429 asks for; null: until the window has room again, in whole seconds. */
  readonly retryAfterSeconds: number | null;
  /** Recipients accepted in one UTC day and month of the stand-in's clock; null: no quota. */
  readonly dailyQuota: number | null;
  readonly monthlyQuota: number | null;
  /** Between acceptance and answer, on every send. */
  readonly latencyMilliseconds: number;
  /** Whether 400, 422 and 500 answers are kept under the key (Resend does not say). */
  readonly cacheErrors: boolean;
  /** Refuse example.com, test.com and resend.com as Resend does, except its test sinks. */
  readonly refuseTestDomains: boolean;
  /** Lowercased; a mail to one of these does not pass validation. */
  readonly refuseAddresses: ReadonlySet<string>;
  /** Keep html, text and reply_to in the log as well. */
  readonly keepContent: boolean;
  /** Every send is answered with this error, and nothing is accepted. */
  readonly answer: FixedAnswer | null;
};

export const DEFAULT_SETTINGS: StandInSettings = {
  requestsPerSecond: null,
  retryAfterSeconds: null,
  dailyQuota: null,
  monthlyQuota: null,
  latencyMilliseconds: 0,
  cacheErrors: false,
  refuseTestDomains: false,
  refuseAddresses: new Set(),
  keepContent: false,
  answer: null,
};

type Check = { readonly fits: (value: unknown) => boolean; readonly must: string };

const isNumber = (value: unknown): value is number =>
  typeof value === "number" && Number.isFinite(value) && value >= 0;
const isCount = (value: unknown): boolean => isNumber(value) && Number.isInteger(value);
const isText = (value: unknown): value is string => typeof value === "string";
const isBoolean = (value: unknown): boolean => typeof value === "boolean";

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isAnswer(value: unknown): boolean {
  if (value === null) return true;
  if (!isObject(value)) return false;
  const { status, name, message } = value;
  const inRange = isCount(status) && Number(status) >= 300 && Number(status) <= 599;
  return inRange && isText(name) && isText(message);
}

const orNull = (check: (value: unknown) => boolean) => (value: unknown) =>
  value === null || check(value);

const CHECKS: Readonly<Record<keyof StandInSettings, Check>> = {
  requestsPerSecond: {
    fits: orNull((value) => isCount(value) && value !== 0),
    must: "a whole number from 1, or null",
  },
  retryAfterSeconds: { fits: orNull(isNumber), must: "seconds, or null" },
  dailyQuota: { fits: orNull(isCount), must: "a whole number, or null" },
  monthlyQuota: { fits: orNull(isCount), must: "a whole number, or null" },
  latencyMilliseconds: { fits: isNumber, must: "milliseconds" },
  cacheErrors: { fits: isBoolean, must: "a boolean" },
  refuseTestDomains: { fits: isBoolean, must: "a boolean" },
  refuseAddresses: {
    fits: (value) => Array.isArray(value) && value.every(isText),
    must: "a list of addresses",
  },
  keepContent: { fits: isBoolean, must: "a boolean" },
  answer: { fits: isAnswer, must: "null or { status: 300…599, name, message }" },
};

/**
 * @returns the settings with the given fields replaced
 * @throws TypeError that names the field
 */
export function changedSettings(settings: StandInSettings, change: unknown): StandInSettings {
  if (!isObject(change)) throw new TypeError("config: expected a JSON object");
  for (const [name, value] of Object.entries(change)) {
    const check = CHECKS[name as keyof StandInSettings] as Check | undefined;
    if (check === undefined) throw new TypeError(`config.${name}: unknown field`);
    if (!check.fits(value)) throw new TypeError(`config.${name}: must be ${check.must}`);
  }
  const list = change["refuseAddresses"] as readonly string[] | undefined;
  const refuseAddresses =
    list === undefined
      ? settings.refuseAddresses
      : new Set(list.map((address) => address.toLowerCase()));
  return { ...settings, ...(change as Partial<StandInSettings>), refuseAddresses };
}
