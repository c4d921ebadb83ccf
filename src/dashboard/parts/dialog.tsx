/**
 * Dialogs on the browser's own element: it keeps the focus inside and closes at Escape. The focus
 * goes back to where it was.
 */
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { Consequence } from "../text/consequence.ts";
import { backAgain } from "../api/ask.ts";
import { Button, Trouble } from "./basics.tsx";
import { useWhenBack } from "./hooks.ts";

export function Dialog(props: {
  readonly title: string;
  readonly onClose: () => void;
  readonly wide?: boolean;
  readonly children: ComponentChildren;
}) {
  const { title, onClose, wide = false, children } = props;
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    const opener = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      // The browser gives the focus back by itself, but not from an element that is taken out.
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      class={wide ? "dialog drawer" : "dialog"}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <header class="dialog-head">
        <h2 id={id}>{title}</h2>
        <button type="button" class="close" aria-label="Close" onClick={onClose}>
          ×
        </button>
      </header>
      {children}
    </dialog>
  );
}

/** Asks before something is done, and says in numbers what that is. */
export function Confirm(props: {
  readonly consequence: Consequence;
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
}) {
  const { consequence, onConfirm, onClose } = props;
  const [isAccepted, setAccepted] = useState(consequence.accept === null);
  const { isBusy, error, run } = useAction(onConfirm, onClose);
  return (
    <Dialog title={consequence.title} onClose={onClose}>
      <ul class="consequences">
        {consequence.lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {consequence.accept === null ? null : (
        <label class="check">
          <input
            type="checkbox"
            checked={isAccepted}
            onChange={(event) => setAccepted(event.currentTarget.checked)}
          />
          {consequence.accept}
        </label>
      )}
      {error === null ? null : <Trouble error={error} />}
      <footer class="dialog-foot">
        <Button onClick={onClose}>Leave it</Button>
        <Button
          kind={consequence.isDangerous ? "danger" : "primary"}
          disabled={!isAccepted || isBusy}
          onClick={run}
        >
          {consequence.confirm}
        </Button>
      </footer>
    </Dialog>
  );
}

/** One action that may be under way or have failed. */
export function useAction(work: () => Promise<unknown>, onDone: () => void = () => undefined) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const attempt = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      await work();
      onDone();
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  };
  // It is not repeated: an action whose answer was lost may have been carried out.
  useWhenBack(error, () => setError(backAgain()));
  return { isBusy, error, run: () => void attempt(), dismiss: () => setError(null) };
}
