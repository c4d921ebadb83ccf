/** What became of the rows of a list: how many were taken, and what is wrong in which line. */
import type { UploadProblem, UploadReport } from "../../client/types.ts";
import { count, counted } from "../text/format.ts";

const PROBLEMS_TOLD = 100;

export function ReportView({ report }: { readonly report: UploadReport }) {
  const { added, duplicates, suppressed, invalid, total, problems } = report;
  return (
    <div class="report" role="status">
      <p>
        <strong>{counted(added, "recipient")} added.</strong> {count(duplicates)} there already,{" "}
        {count(suppressed)} suppressed, {count(invalid)} could not be read. {count(total)} in all.
      </p>
      <ProblemLines problems={problems} />
    </div>
  );
}

export function ProblemLines({ problems }: { readonly problems: readonly UploadProblem[] }) {
  if (problems.length === 0) return null;
  return (
    <>
      <div class="table-wrap" tabIndex={0} role="region" aria-label="Problems by line">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Line</th>
              <th scope="col">What</th>
              <th scope="col">Detail</th>
            </tr>
          </thead>
          <tbody>
            {problems.map(({ line, code, detail }) => (
              <tr key={`${line} ${code} ${detail}`}>
                <td>{line}</td>
                <td>{code}</td>
                <td class="reason">{detail}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {problems.length < PROBLEMS_TOLD ? null : (
        <p class="hint">The first {PROBLEMS_TOLD} problems are shown.</p>
      )}
    </>
  );
}
