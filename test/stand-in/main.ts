/**
 * The stand-in as a process of its own: `node test/stand-in/main.ts --port 0 [--log FILE]`.
 * Prints one line, `{"port":12345}`, once it listens; PROTOCOL.md says what it speaks.
 */
import { parseArgs } from "node:util";
import { startStandIn } from "./server.ts";

const { values } = parseArgs({
  options: { port: { type: "string", default: "0" }, log: { type: "string" } },
});
const port = Number(values.port);
if (!Number.isInteger(port) || port < 0 || port > 65_535) {
  throw new RangeError(`--port ${values.port}: expected 0…65535`);
}
const standIn = await startStandIn({ port, logFile: values.log ?? null });
process.stdout.write(`${JSON.stringify({ port: standIn.port })}\n`);

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void standIn.close().then(() => process.exit(0)));
}
