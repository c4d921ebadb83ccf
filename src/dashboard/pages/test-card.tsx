/** Sends the mail to a few addresses of one's own. Nobody of the campaign is touched by it. */
import { useState } from "preact/hooks";
import { ApiError } from "../api/ask.ts";
import { sendTest } from "../api/calls.ts";
import type { TestReport } from "../../client/types.ts";
import { Button, Card, Trouble } from "../parts/basics.tsx";
import { useAction } from "../parts/dialog.tsx";
import { Field } from "../parts/field.tsx";

export function TestCard({ campaign }: { readonly campaign: string }) {
  const [addresses, setAddresses] = useState("");
  const [report, setReport] = useState<TestReport | null>(null);
  const to = addresses.split(/[\s,;]+/).filter((each) => each !== "");
  const { isBusy, error, run } = useAction(async () => setReport(await sendTest(campaign, to)));
  const faults = error instanceof ApiError ? addressFaults(error, to) : null;
  return (
    <Card title="Send a test">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          setReport(null);
          run();
        }}
      >
        <Field
          label="To"
          name="to"
          value={addresses}
          onInput={setAddresses}
          hint="Your own addresses. They get the mail of the first recipient, and are not counted."
        />
        <Button type="submit" disabled={isBusy || to.length === 0}>
          Send
        </Button>
      </form>
      {error === null ? null : faults === null ? (
        <Trouble error={error} />
      ) : (
        <Faults faults={faults} />
      )}
      {report === null ? null : (
        <ul role="status">
          {report.sent.map((each) => (
            <li key={each.to}>{each.to}: accepted</li>
          ))}
          {report.failed.map((each) => (
            <li key={each.to}>
              {each.to}: {each.reason}
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

/** What is wrong, said of the address that was typed; null: the refusal is about something else. */
function addressFaults(error: ApiError, to: readonly string[]): readonly string[] | null {
  const told = error.faults.flatMap(({ path, detail }) => {
    const address = to[Number(/^to\.(\d+)$/.exec(path)?.[1] ?? Number.NaN)];
    return address === undefined ? [] : [`${address} ${detail}`];
  });
  return told.length === error.faults.length && told.length > 0 ? told : null;
}

function Faults({ faults }: { readonly faults: readonly string[] }) {
  return (
    <div class="notice bad" role="alert">
      {faults.map((each) => (
        <p key={each}>{each}.</p>
      ))}
    </div>
  );
}
