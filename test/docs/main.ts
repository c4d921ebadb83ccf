/**
 * `npm run guide`: runs the transcripts of the guides that have scenes, and writes what came of them
 * into the guides. The test compares instead.
 */
import { writeFileSync } from "node:fs";
import { ROOT, textOf } from "./document.ts";
import { rerun } from "./run-transcripts.ts";
import { Session } from "./session.ts";
import { Stage } from "./stage.ts";

const DOCUMENT = "src/guide/operating.md";

const stage = await Stage.open();
const session = await Session.open(stage.env);
try {
  writeFileSync(new URL(DOCUMENT, ROOT), await rerun(textOf(DOCUMENT), stage, session));
} finally {
  await Promise.all([session.close(), stage.close()]);
}
