/** Posts alerts to the operator's own URL. The URL is a secret and stands in no log. */
import type { AlertMessage } from "../domain/alert.ts";
import { ALERT_TIMEOUT_SECONDS } from "../domain/limits.ts";
import type { PostAlert } from "./notices.ts";

/** The port for `ALERT_URL`; none where it is not set, and facts are then told nobody. */
export function alertsTo(url: string | undefined): { readonly postAlert?: PostAlert } {
  if (url === undefined || url === "") return {};
  return { postAlert: (message) => postAlert(url, message) };
}

/**
 * @returns whether the receiver answered with a 2xx; a redirect is not followed and is a no
 * @throws where nobody answers, in words that hold nothing of the URL
 */
async function postAlert(url: string, message: AlertMessage): Promise<boolean> {
  try {
    return await post(url, message);
  } catch (error) {
    throw new Error(`no answer from ALERT_URL: ${wordsOf(error, url)}`, { cause: error });
  }
}

/** fetch quotes a URL that it can't read, or that holds a password. */
function wordsOf(error: unknown, url: string): string {
  if (!/^https?:\/\/[^/@]+(?:\/|$)/.test(url) || !URL.canParse(url)) {
    return "it is not https://host/path";
  }
  const said = error instanceof Error ? error.message : "";
  return said.replaceAll(url, "…").replaceAll(new URL(url).href, "…");
}

async function post(url: string, message: AlertMessage): Promise<boolean> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json; charset=utf-8",
      // workerd sends none by itself, and some receivers refuse what has none.
      "user-agent": "sendonce",
      "idempotency-key": `"${encodeURIComponent(message.id)}"`,
    },
    body: JSON.stringify(message),
    redirect: "manual",
    signal: AbortSignal.timeout(ALERT_TIMEOUT_SECONDS * 1000),
  });
  await response.body?.cancel();
  return response.ok;
}
