/**
 * Puts pages of enrolments into a campaign, whatever they are read from, and answers what became of
 * them. Each page is one transaction of the object, so that what an answer counts is stored.
 */
import { SegmentRefusal } from "../../audience/segment.ts";
import { UploadRefusal, type UploadPage } from "../../audience/read-upload.ts";
import type { Enrolment, EnrolReport } from "../../campaign/rpc.ts";
import { MAX_PROBLEMS, RETRY_UNAVAILABLE_SECONDS } from "../../domain/limits.ts";
import { unreachable } from "../../domain/result.ts";
import { Refused } from "../problem.ts";
import { granted } from "../refusal.ts";
import type { NamedCampaign } from "./named.ts";
import { refusedUpload, withCount, type RowProblem } from "./refused-upload.ts";
import * as wire from "../wire.ts";

type Count = {
  added: number;
  duplicates: number;
  suppressed: number;
  invalid: number;
  total: number;
  problems: readonly RowProblem[];
};

/** `read` is called once it is known that the campaign takes recipients. */
export async function enrolPages(
  campaign: NamedCampaign,
  read: () => AsyncIterable<UploadPage>,
): Promise<Response> {
  // Nobody yet: a campaign that is missing or has started refuses before anything is read.
  const { total } = await enrol(campaign, []);
  const count = { added: 0, duplicates: 0, suppressed: 0, invalid: 0, total, problems: [] };
  await takePages(campaign, read(), count);
  return wire.json(count);
}

/** One page is being stored while the next is read; so two of them are in memory, and no more. */
async function takePages(
  campaign: NamedCampaign,
  pages: AsyncIterable<UploadPage>,
  count: Count,
): Promise<void> {
  let stored: Promise<void> = Promise.resolve();
  try {
    for await (const page of pages) {
      await stored;
      stored = takePage(campaign, page, count);
      // It is awaited at the next page or below; a failure waits for that.
      stored.catch(() => undefined);
    }
    await stored;
  } catch (error) {
    // The page under way belongs to the counts, and its failure weighs more than a bad line.
    const cause: unknown = await stored.then(
      () => error,
      (failure: unknown) => failure,
    );
    throw interrupted(cause, count);
  }
}

async function takePage(campaign: NamedCampaign, page: UploadPage, count: Count): Promise<void> {
  const report = page.enrolments.length === 0 ? null : await enrol(campaign, page.enrolments);
  count.added += report?.added ?? 0;
  count.duplicates += report?.duplicates ?? 0;
  count.suppressed += report?.suppressed ?? 0;
  count.invalid += page.invalid.length;
  count.total = report?.total ?? count.total;
  const found = [...page.invalid, ...(report?.problems ?? [])];
  const inOrder = found.toSorted((left, right) => left.line - right.line);
  count.problems = [...count.problems, ...inOrder].slice(0, MAX_PROBLEMS);
}

/**
 * A page with rows is asked once: a second ask after a lost answer would count the rows that the
 * first has added as duplicates. The empty one counts nothing and may be asked again.
 */
async function enrol(campaign: NamedCampaign, page: readonly Enrolment[]): Promise<EnrolReport> {
  const ask = page.length === 0 ? "again" : "once";
  return granted(await campaign[ask]((object) => object.enrol(page)));
}

/** What stopped the reading, with the counts where something has been stored by then. */
function interrupted(error: unknown, count: Count): unknown {
  const stored = count.added + count.duplicates + count.suppressed > 0;
  const refusal = refusalOf(error, stored);
  return refusal !== null && stored ? withCount(refusal, count) : (refusal ?? error);
}

function refusalOf(error: unknown, stored: boolean): Refused | null {
  if (error instanceof Refused) return error;
  if (error instanceof SegmentRefusal) return segmentRefusal(error);
  return error instanceof UploadRefusal ? refusedUpload(error, stored) : null;
}

function segmentRefusal({ code, detail, cause }: SegmentRefusal): Refused {
  switch (code) {
    case "notFound":
      return new Refused("segmentNotFound", detail);
    case "unfit":
      return new Refused("segmentUnfit", detail);
    case "unavailable":
      return new Refused("unavailable", `${detail} It is safe to ask again.`, {
        headers: { "retry-after": String(RETRY_UNAVAILABLE_SECONDS) },
        cause,
      });
    default:
      return unreachable(code);
  }
}
