/** One field of a form: its label, a hint, and what the server found wrong with it. */
import { useId } from "preact/hooks";

export function Field(props: {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly fault?: string | null;
  readonly hint?: string;
  readonly required?: boolean;
  /** What holds where nothing is written. */
  readonly placeholder?: string;
  /** More than one makes it an area. */
  readonly lines?: number;
  readonly number?: {
    readonly least: number;
    readonly most: number;
    readonly step: number | "any";
  };
}) {
  const {
    label,
    name,
    value,
    onInput,
    fault = null,
    hint,
    required = false,
    placeholder = "",
    lines,
    number,
  } = props;
  const id = useId();
  const isDescribed = fault !== null || hint !== undefined;
  const shared = {
    id,
    name,
    value,
    required,
    placeholder,
    spellcheck: false,
    "aria-invalid": fault !== null,
    ...(isDescribed ? { "aria-describedby": `${id}-hint` } : {}),
  } as const;
  return (
    <div class="field">
      <label class="label" for={id}>
        {label}
        {required ? <span class="soft"> required</span> : null}
      </label>
      {lines === undefined ? (
        <input
          {...shared}
          {...(number === undefined
            ? { type: "text" }
            : { type: "number", min: number.least, max: number.most, step: number.step })}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      ) : (
        <textarea
          {...shared}
          rows={lines}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
      {isDescribed ? (
        <span class={fault === null ? "hint" : "hint fault"} id={`${id}-hint`}>
          {fault === null ? hint : faultSentence(fault)}
        </span>
      ) : null}
    </div>
  );
}

/** The server's word about a field is told of it, or stands by itself, as that about a line does. */
function faultSentence(detail: string): string {
  const isPredicate = /^(is|are|has|have|holds?|needs?|takes?|names?|can|may|must|would)\b/;
  const text = isPredicate.test(detail) ? `This ${detail}` : detail;
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;
}
