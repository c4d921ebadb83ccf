/** What somebody else has changed in a draft while its form was open here. */
import type { FieldName, Meanwhile } from "./draft-values.ts";
import { FIELD_LABELS } from "./draft-values.ts";
import { Button } from "../parts/basics.tsx";

export function MeanwhileNotice(props: {
  readonly changes: readonly Meanwhile[];
  readonly onTake: (name: FieldName, theirs: string) => void;
}) {
  const { changes, onTake } = props;
  return (
    <div class="notice meanwhile" role="alert">
      <p>
        <strong>Somebody else has changed this draft meanwhile, so nothing was saved yet.</strong>{" "}
        What you typed is still in the form. Look through it, then save again.
      </p>
      <ul>
        {changes.map(({ name, theirs, isDisputed }) => (
          <li key={name}>
            <p>
              <strong>{FIELD_LABELS[name]}</strong>:{" "}
              {isDisputed ? "the form keeps yours; theirs is" : "taken into the form:"}
            </p>
            <pre class="code" tabIndex={0}>
              {theirs === "" ? "(empty)" : theirs}
            </pre>
            {isDisputed ? (
              <Button onClick={() => onTake(name, theirs)}>
                Take theirs for {FIELD_LABELS[name]}
              </Button>
            ) : null}
          </li>
        ))}
      </ul>
    </div>
  );
}
