/** The body of `POST …/recipients/segment`. */
import * as z from "zod";
import { MAX_SEGMENT_NAME_CHARACTERS } from "../../domain/limits.ts";
import { check } from "./check.ts";
import { line } from "./field.ts";

const name = line(MAX_SEGMENT_NAME_CHARACTERS);

export const segment = z.strictObject({
  segment: name.describe("The name of a view in the audience's database."),
  email: name.optional().describe("The column of the addresses, where it is not `email`."),
  id: name.optional().describe("The column of the ids, where it is not `id`."),
});

export function parseSegment(body: unknown): { segment: string; email?: string; id?: string } {
  const { segment: view, email, id } = check(segment, body);
  return {
    segment: view,
    ...(email === undefined ? {} : { email }),
    ...(id === undefined ? {} : { id }),
  };
}
