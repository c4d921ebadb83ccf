/**
 * The html of a mail, in a frame that runs no script and belongs to no origin. It is posted to the
 * server and comes back with a policy of its own (http/routes/preview-frame.ts).
 */
import { useEffect, useId, useRef } from "preact/hooks";

const TYPING_MILLISECONDS = 300;

export function MailFrame({ html, title }: { readonly html: string; readonly title: string }) {
  const form = useRef<HTMLFormElement>(null);
  const name = `frame-${useId()}`;
  useEffect(() => {
    const timer = setTimeout(() => form.current?.submit(), TYPING_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [html]);
  return (
    <>
      <form ref={form} method="post" action="/preview-frame" target={name} hidden>
        <textarea name="html" value={html} readOnly />
      </form>
      <iframe class="mail-frame" name={name} title={title} sandbox="" />
    </>
  );
}
