/** Types the transcripts of a document anew, each after its scene. */
import { steady, transcriptsOf, withTranscripts } from "./document.ts";
import { SCENES } from "./scenes.ts";
import type { Session } from "./session.ts";
import type { Stage } from "./stage.ts";

/** @returns the document as it would be if it had been written by this run */
export async function rerun(text: string, stage: Stage, session: Session): Promise<string> {
  const fresh = new Map<string, string>();
  for (const { name, commands } of transcriptsOf(text)) {
    if (commands.length === 0) continue;
    const scene = SCENES[name];
    if (scene === undefined) throw new Error(`no scene "${name}" in test/docs/scenes.ts`);
    await scene(stage);
    const printed = await session.type(commands.map((command) => ({ command })));
    const shown = printed.map(({ command, output }) => `$ ${command}\n${steady(output)}`);
    fresh.set(name, shown.join(""));
  }
  return withTranscripts(text, fresh);
}
