/** Adds recipients from a file: which columns, how far it is, and what is wrong in which line. */
import { useEffect, useRef, useState } from "preact/hooks";
import { uploadPath } from "../api/calls.ts";
import { ApiError } from "../api/ask.ts";
import type { UploadReport } from "../../client/types.ts";
import { contentTypeOf, sendFile, type Upload } from "../api/upload.ts";
import { Button, Card, Trouble } from "../parts/basics.tsx";
import { csvHeader, NO_HEADER, type CsvHeader } from "../text/csv-header.ts";
import { percent } from "../text/format.ts";
import { deliveryStatus } from "../api/calls.ts";
import type { Watched } from "./campaign.tsx";
import { SegmentForm } from "./segment-form.tsx";
import { ReportView } from "./upload-report.tsx";

const HEADER_BYTES = 65_536;

type Chosen = { readonly file: File; readonly header: CsvHeader };

type Stage =
  | { readonly kind: "idle" }
  | { readonly kind: "sending"; readonly share: number }
  | { readonly kind: "done"; readonly report: UploadReport }
  | { readonly kind: "failed"; readonly error: unknown };

export function UploadCard(props: { readonly watched: Watched; readonly onUploaded: () => void }) {
  const { watched, onUploaded } = props;
  const { id } = watched.campaign;
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const [columns, setColumns] = useState<{ email: string | null; id: string | null }>(NO_COLUMNS);
  const [stage, setStage] = useState<Stage>({ kind: "idle" });
  const upload = useRef<Upload<UploadReport> | null>(null);
  useEffect(() => () => upload.current?.cancel(), []);

  const choose = async (file: File): Promise<void> => {
    const isCsv = contentTypeOf(file.name) === "text/csv";
    const head = isCsv ? await file.slice(0, HEADER_BYTES).arrayBuffer() : null;
    const header = head === null ? NO_HEADER : csvHeader(new Uint8Array(head));
    setChosen({ file, header });
    setColumns({ ...NO_COLUMNS, email: header.likelyEmail });
    setStage({ kind: "idle" });
  };
  const added = (): void => {
    onUploaded();
    deliveryStatus(id).then(watched.take, () => undefined);
  };
  const send = (file: File): void => {
    setStage({ kind: "sending", share: 0 });
    const path = uploadPath(id, columns);
    upload.current = sendFile<UploadReport>(path, file, contentTypeOf(file.name), (share) =>
      setStage({ kind: "sending", share }),
    );
    upload.current.done
      .then(
        (report) => setStage({ kind: "done", report }),
        (error: unknown) => setStage({ kind: "failed", error }),
      )
      .finally(added);
  };

  // Whoever has said which column it is has answered what the header left open.
  const trouble = columns.email === null ? (chosen?.header.trouble ?? null) : null;
  return (
    <Card title="Add recipients">
      <FileField onChoose={(file) => void choose(file)} />
      {chosen === null ? null : (
        <ColumnFields chosen={chosen} columns={columns} onChange={setColumns} />
      )}
      {trouble === null ? null : (
        <p class="notice bad" role="alert">
          {trouble}
        </p>
      )}
      {chosen === null || stage.kind === "sending" ? null : (
        <Button kind="primary" onClick={() => send(chosen.file)} disabled={trouble !== null}>
          {stage.kind === "idle" ? "Upload" : "Upload again"} {chosen.file.name}
        </Button>
      )}
      <div aria-live="polite">
        <StageView stage={stage} onCancel={() => upload.current?.cancel()} />
      </div>
      <SegmentForm campaign={id} onAdded={added} />
    </Card>
  );
}

const NO_COLUMNS = { email: null, id: null };

function FileField({ onChoose }: { readonly onChoose: (file: File) => void }) {
  return (
    <label class="field">
      <span class="label">File</span>
      <input
        type="file"
        accept=".csv,.ndjson,.jsonl,.json,text/csv,application/json"
        aria-describedby="file-hint"
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          if (file !== undefined) onChoose(file);
        }}
      />
      <span class="hint" id="file-hint">
        CSV with a header line and a column <code>email</code>; <code>id</code> if you have one.
        Every other column is a merge field. Uploading the same file again adds nobody twice.
      </span>
    </label>
  );
}

function ColumnFields(props: {
  readonly chosen: Chosen;
  readonly columns: { readonly email: string | null; readonly id: string | null };
  readonly onChange: (columns: { email: string | null; id: string | null }) => void;
}) {
  const { chosen, columns, onChange } = props;
  if (chosen.header.columns.length === 0) return null;
  const select = (label: string, none: string, value: string | null, name: "email" | "id") => (
    <label class="inline-field">
      <span class="label">{label}</span>
      <select
        value={value ?? ""}
        onChange={(event) => onChange({ ...columns, [name]: event.currentTarget.value || null })}
      >
        <option value="">{none}</option>
        {chosen.header.columns.map((column) => (
          <option key={column} value={column}>
            {column}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <div class="toolbar">
      {select("Address", "choose a column", columns.email, "email")}
      {select("Id", "column id, or the address", columns.id, "id")}
    </div>
  );
}

function StageView({ stage, onCancel }: { readonly stage: Stage; readonly onCancel: () => void }) {
  switch (stage.kind) {
    case "idle":
      return null;
    case "sending":
      return (
        <div class="upload">
          <progress value={stage.share} max={1} aria-label="Upload" />
          <span>{stage.share < 1 ? percent(stage.share, 1) : "Waiting for the answer …"}</span>
          <Button onClick={onCancel}>Stop</Button>
        </div>
      );
    case "done":
      return <ReportView report={stage.report} />;
    case "failed":
      return <FailedView error={stage.error} />;
  }
}

/** What came before the fault is stored, and the refusal counts it. */
function FailedView({ error }: { readonly error: unknown }) {
  const problem = error instanceof ApiError ? error.problem : {};
  const hasCounts = typeof problem.added === "number";
  return (
    <>
      <Trouble error={error} />
      {hasCounts ? <ReportView report={problem as unknown as UploadReport} /> : null}
    </>
  );
}
