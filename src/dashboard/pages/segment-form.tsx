/** Adds everybody in a view of the operator's own database, instead of a file. */
import { useState } from "preact/hooks";
import { addSegment } from "../api/calls.ts";
import type { UploadReport } from "../../client/types.ts";
import { Button, Trouble } from "../parts/basics.tsx";
import { useAction } from "../parts/dialog.tsx";
import { Field } from "../parts/field.tsx";
import { ReportView } from "./upload-report.tsx";

export function SegmentForm(props: { readonly campaign: string; readonly onAdded: () => void }) {
  const { campaign, onAdded } = props;
  const [view, setView] = useState("");
  const [report, setReport] = useState<UploadReport | null>(null);
  const { isBusy, error, run } = useAction(async () => {
    setReport(null);
    setReport(await addSegment(campaign, view.trim()));
  }, onAdded);
  return (
    <details class="aside">
      <summary>From a view of your database</summary>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        <Field
          label="Name of the view"
          name="segment"
          value={view}
          onInput={setView}
          required
          hint="In the D1 database AUDIENCE, with the columns id and email; others are merge fields."
        />
        <Button type="submit" disabled={isBusy}>
          {isBusy ? "Adding …" : "Add everybody in it"}
        </Button>
      </form>
      {error === null ? null : <Trouble error={error} />}
      {report === null ? null : <ReportView report={report} />}
    </details>
  );
}
