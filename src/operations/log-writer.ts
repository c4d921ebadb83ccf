/**
 * The one way to the log. Every text of every line passes `withoutAddressesIn` here, whatever its event
 * promises of it: what a type can't see, such as a message id that somebody else has made up.
 */
import { withoutAddressesIn, type NameOf } from "../domain/fault-text.ts";
import { LOG_LEVELS, type Log, type LogEventName, type LogEvents } from "../domain/log-event.ts";

export function logWriter(nameOf: NameOf): Log {
  return (event, fields) => {
    const line = logLine(event, fields, nameOf);
    if (LOG_LEVELS[event] === "error") console.error(line);
    else console.log(line);
  };
}

export function logLine<Name extends LogEventName>(
  event: Name,
  fields: LogEvents[Name],
  nameOf: NameOf,
): string {
  return JSON.stringify(withoutAddressesIn({ event, ...fields }, nameOf));
}
