/** Adds everybody in a segment, which is a view of the audience's database. */
import { readSegment } from "../../audience/segment.ts";
import { readJson } from "../body.ts";
import { enrolPages } from "./enrol-pages.ts";
import type { Call } from "../route.ts";
import { parseSegment } from "../schemas/segment.ts";
import { campaignOf } from "./named.ts";

/** The same answer as an upload's; `line` is the number of a row in the order of the ids. */
export async function enrolSegment(call: Call): Promise<Response> {
  const campaign = campaignOf(call);
  const { segment, ...columns } = parseSegment(await readJson(call.request));
  return enrolPages(campaign, () => readSegment(call.deps.audience, segment, columns));
}
