/**
 * Runs a schema over a value from outside and says in the house's words what is wrong with it.
 * Every fault is named by its path; unknown fields are faults of their own.
 */
import * as z from "zod";
import { MAX_FIELD_ERRORS, MAX_PATH_CHARACTERS } from "../../domain/limits.ts";
import { invalidFields, type FieldError } from "../problem.ts";

// workerd has no `new Function`; without this, Node's tests would run another code path.
z.config({ jitless: true });

/** The parsed value; refuses with `invalidFields` and at most MAX_FIELD_ERRORS faults. */
export function check<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value, { error: describe });
  if (result.success) return result.data;
  throw invalidFields(fieldErrors(result.error).slice(0, MAX_FIELD_ERRORS));
}

function fieldErrors(error: z.ZodError): FieldError[] {
  return error.issues.flatMap((issue) => {
    if (issue.code === "unrecognized_keys") {
      const keys = issue.keys.slice(0, MAX_FIELD_ERRORS);
      return keys.map((key) => fieldError([...issue.path, key], "is not a known field"));
    }
    const detail = issue.code === "invalid_key" ? issue.issues[0]?.message : issue.message;
    return [fieldError(issue.path, detail ?? issue.message)];
  });
}

/** Names come from the request and are given back, so that they are cut to a readable length. */
function fieldError(path: readonly PropertyKey[], detail: string): FieldError {
  return { path: path.map(String).join(".").slice(0, MAX_PATH_CHARACTERS), detail };
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "an array",
  object: "an object",
  record: "an object",
};

/** The text of a fault, as the end of a sentence that begins with the field's name. */
function describe(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined) return "is required";
  if (issue.code === "invalid_type") {
    return `has to be ${TYPE_NAMES[issue.expected] ?? issue.expected}`;
  }
  if (issue.code === "invalid_value") {
    return `has to be ${issue.values.map((value) => JSON.stringify(value)).join(" or ")}`;
  }
  if (issue.code === "too_small") {
    return `has to have at least ${issue.minimum} ${unit(issue.origin)}`;
  }
  if (issue.code === "too_big") return `has more than ${issue.maximum} ${unit(issue.origin)}`;
  // The others carry a text of ours already, or zod's own will do.
  return undefined;
}

function unit(origin: string): string {
  return origin === "string" ? "characters" : "entries";
}
