/**
 * The html of a mail, in a frame that runs no script and belongs to no origin. It is posted to the
 * server and comes back with a policy of its own (http/routes/preview-frame.ts).
 */
import { useEffect, useId } from "preact/hooks";

const TYPING_MILLISECONDS = 300;

/** Only a form can fill a frame with a POST; it stands outside, since forms don't nest. */
function post(html: string, target: string): void {
  const form = document.createElement("form");
  Object.assign(form, { method: "post", action: "/preview-frame", target, hidden: true });
  const field = document.createElement("textarea");
  field.name = "html";
  field.value = html;
  form.append(field);
  document.body.append(form);
  form.submit();
  form.remove();
}

export function MailFrame({ html, title }: { readonly html: string; readonly title: string }) {
  const name = `frame-${useId()}`;
  useEffect(() => {
    const timer = setTimeout(() => post(html, name), TYPING_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [html]);
  return <iframe class="mail-frame" name={name} title={title} sandbox="" />;
}
