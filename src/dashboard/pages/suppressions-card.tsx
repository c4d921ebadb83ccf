/** The list of addresses that no campaign mails: looked at, taken along, added to. */
import { useState } from "preact/hooks";
import { importSuppressions, listSuppressions, SUPPRESSIONS_FILE } from "../api/calls.ts";
import type { Suppression, SuppressionImportReport } from "../../client/types.ts";
import { Button, Card, Empty, Trouble } from "../parts/basics.tsx";
import { useAction } from "../parts/dialog.tsx";
import { Paged } from "../parts/paged.tsx";
import { useIsOperator } from "../parts/session.tsx";
import { count, counted, dateTime } from "../text/format.ts";
import { REASON_LABELS } from "../text/segments.ts";
import { ProblemLines } from "./upload-report.tsx";

/** @param changes counts what was changed elsewhere on the page, so that the list is read anew */
export function SuppressionsCard({ changes }: { readonly changes: number }) {
  const isOperator = useIsOperator();
  const [imports, setImports] = useState(0);
  return (
    <Card
      title="Not mailed by any campaign"
      aside={
        <a class="button plain" href={SUPPRESSIONS_FILE} download>
          Download as CSV
        </a>
      }
    >
      <p class="hint">
        Unsubscribes, hard bounces and complaints enter by themselves. Uploading a list of
        recipients again never brings anybody back.
      </p>
      {isOperator ? <ImportForm onDone={() => setImports((before) => before + 1)} /> : null}
      <Paged
        name="suppressions"
        load={listSuppressions}
        refresh={`${changes} ${imports}`}
        empty={<Empty title="Nobody is suppressed" />}
      >
        {(items) => <SuppressionTable items={items} />}
      </Paged>
    </Card>
  );
}

function ImportForm({ onDone }: { readonly onDone: () => void }) {
  const [file, setFile] = useState<File | null>(null);
  const [report, setReport] = useState<SuppressionImportReport | null>(null);
  const { isBusy, error, run } = useAction(async () => {
    setReport(null);
    if (file !== null) setReport(await importSuppressions(file));
  }, onDone);
  return (
    <details class="aside">
      <summary>Add a list that was kept elsewhere</summary>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        <label class="field">
          <span class="label">File</span>
          <input
            type="file"
            accept=".csv,text/csv"
            onChange={(event) => setFile(event.currentTarget.files?.[0] ?? null)}
          />
          <span class="hint">
            CSV with a header line and a column <code>address</code> or <code>email</code>;{" "}
            <code>reason</code> and <code>at</code> if you have them.
          </span>
        </label>
        <Button type="submit" disabled={isBusy || file === null}>
          Suppress everybody in it
        </Button>
      </form>
      {error === null ? null : <Trouble error={error} />}
      {report === null ? null : (
        <div class="report" role="status">
          <p>
            <strong>{counted(report.added, "address", "addresses")} added.</strong>{" "}
            {count(report.already)} there already, {count(report.invalid)} could not be read.
          </p>
          <ProblemLines problems={report.problems} />
        </div>
      )}
    </details>
  );
}

function SuppressionTable({ items }: { readonly items: readonly Suppression[] }) {
  return (
    <div class="table-wrap">
      <table class="table cards">
        <thead>
          <tr>
            <th scope="col">Address</th>
            <th scope="col">Because</th>
            <th scope="col">Since</th>
          </tr>
        </thead>
        <tbody>
          {items.map(({ address, reason, at }) => (
            <tr key={address}>
              <th scope="row" class="reason">
                {address}
              </th>
              <td data-label="Because">{REASON_LABELS[reason]}</td>
              <td data-label="Since">{dateTime(at)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
