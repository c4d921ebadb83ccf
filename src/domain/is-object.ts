/** Whether a value of JSON is an object; an array is none, and neither is null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
