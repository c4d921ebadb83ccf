/** One line of a trace for one occurrence: what a person needs to follow a failure. */
import type { Call, Occurrence } from "./occurrence.ts";

const MOST_CHARACTERS = 320;

function cut(text: string): string {
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}

/** Without what every line would repeat: people's data, and the status beside each answer. */
function brief(value: unknown): string {
  const text = JSON.stringify(value, (key, inner: unknown) => {
    if (key === "data" || key === "email" || key === "feedback" || key === "content")
      return undefined;
    if (key === "members") return (inner as { seq: number }[]).map((member) => member.seq);
    if (key === "stats") return Object.values(inner as object).join("/");
    return inner;
  });
  return cut((text ?? "").replaceAll('"', ""));
}

function nameOf(call: Call | null): string {
  return call === null ? "itself" : `${call.caller} → ${call.object}.${call.method}`;
}

/** Null for what is only noise in a trace. */
export function lineOf(occurrence: Occurrence): string | null {
  switch (occurrence.type) {
    case "asked":
    case "heard":
    case "calls":
    case "delivered":
      return null;
    case "done":
      return `${nameOf(occurrence.call)}(${brief(occurrence.call.args)}) = ${brief(occurrence.answer)}`;
    case "committed": {
      if (occurrence.moves.length === 0) return null;
      const moves = occurrence.moves.map((move) => {
        const name =
          move.kind === "recipient" ? move.id : move.kind === "batch" ? `#${move.batch}` : "";
        return `${move.kind[0]}${name} ${move.from ?? "new"}>${move.to}`;
      });
      return cut(`${occurrence.twin.id} keeps ${moves.join(", ")}`);
    }
    case "broke":
      return `${nameOf(occurrence.call)} ends by a fault: ${String(occurrence.error)}`;
    case "leaves":
      return `${occurrence.caller} sends ${occurrence.key}`;
    case "received":
      return `the provider receives ${occurrence.key}`;
    case "accepted":
      return `the provider accepts ${occurrence.recipient} under ${occurrence.key}`;
    case "outcome":
      return `${occurrence.caller} gets ${occurrence.kind}`;
    case "acknowledged":
      return `${occurrence.caller} acknowledges ${occurrence.messageId}`;
    case "threw":
      return `${occurrence.object} throws ${String(occurrence.error)}`;
  }
}
