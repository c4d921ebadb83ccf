/** The body of `POST …/recipients/segment`. */
import * as z from "zod";
import { MAX_SEGMENT_NAME_CHARACTERS } from "../../domain/limits.ts";
import { check } from "./check.ts";
import { line } from "./field.ts";

const name = line(MAX_SEGMENT_NAME_CHARACTERS);

const segment = z.strictObject({
  segment: name,
  // Which columns hold them, where they are called otherwise.
  email: name.optional(),
  id: name.optional(),
});

export function parseSegment(body: unknown): { segment: string; email?: string; id?: string } {
  const { segment: view, email, id } = check(segment, body);
  return {
    segment: view,
    ...(email === undefined ? {} : { email }),
    ...(id === undefined ? {} : { id }),
  };
}
