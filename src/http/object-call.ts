/**
 * Calls to the objects, and what the client is told of their exceptions. A call whose answer was
 * lost may have been carried out, so that it is repeated only where the second answer would say the
 * same; the client is told to ask again otherwise.
 */
import {
  OBJECT_RETRY_MILLISECONDS,
  RETRY_FULL_SECONDS,
  RETRY_OVERLOADED_SECONDS,
  RETRY_UNAVAILABLE_SECONDS,
} from "../domain/limits.ts";
import { objectTroubleOf } from "../domain/object-error.ts";
import { unreachable } from "../domain/result.ts";
import { Refused } from "./problem.ts";

/**
 * Makes a call whose repetition would be answered differently. `call` takes a new stub.
 * Refuses `overloaded` and `unavailable`; whatever else is thrown passes.
 */
export async function askOnce<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    throw refusalOf(error);
  }
}

/** Makes a call that may be repeated: on a new stub each time, since a broken one stays broken. */
export async function askAgain<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  for (const milliseconds of OBJECT_RETRY_MILLISECONDS) {
    try {
      return await call();
    } catch (error) {
      if (objectTroubleOf(error) !== "interrupted") throw refusalOf(error);
      // Half of it is drawn: the calls that broke together should not come back together.
      await wait(milliseconds * (0.5 + Math.random() / 2));
    }
  }
  return askOnce(call);
}

export function wait(milliseconds: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, milliseconds);
  return promise;
}

function refusalOf(error: unknown): unknown {
  const trouble = objectTroubleOf(error);
  switch (trouble) {
    case "overloaded":
      return new Refused("overloaded", "The object is busy. Ask again a little later.", {
        headers: { "retry-after": String(RETRY_OVERLOADED_SECONDS) },
        cause: error,
      });
    case "full":
      return new Refused("storageFull", "There is no room for it, and nothing of it is stored.", {
        headers: { "retry-after": String(RETRY_FULL_SECONDS) },
        cause: error,
      });
    case "interrupted":
      return new Refused("unavailable", "It may have been carried out. It is safe to ask again.", {
        headers: { "retry-after": String(RETRY_UNAVAILABLE_SECONDS) },
        cause: error,
      });
    case "fault":
      return isForeignCursor(error) ? foreignCursor() : error;
    default:
      return unreachable(trouble);
  }
}

/** The lists' own word for a cursor that none of their pages has given. */
function isForeignCursor(error: unknown): boolean {
  return (
    error instanceof Error && error.name === "RangeError" && error.message.startsWith("cursor: ")
  );
}

/** Cursors are opaque to the edge, so that it is the list that finds out. */
function foreignCursor(): Refused {
  const detail = "is not a cursor of an earlier page of this list";
  return new Refused("invalidQuery", `The query parameter \`cursor\` ${detail}.`, {
    errors: [{ path: "cursor", detail }],
  });
}
