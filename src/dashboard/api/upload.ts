/** Sends a file and tells how far it is. `fetch` can't tell, which is why this is XMLHttpRequest. */
import { answerOf, ApiError } from "./ask.ts";

const STOPPED =
  "Stopped. What had arrived by then may be added; uploading the file again adds nobody twice.";

export type Upload<Report> = { readonly done: Promise<Report>; cancel(): void };

/** @param onProgress told the share that has left this machine, 0…1 */
export function sendFile<Report>(
  path: string,
  file: Blob,
  contentType: string,
  onProgress: (share: number) => void,
): Upload<Report> {
  const request = new XMLHttpRequest();
  let isStopped = false;
  const { promise, resolve, reject } = Promise.withResolvers<Report>();
  request.upload.addEventListener("progress", ({ loaded, total }) => {
    if (total > 0) onProgress(loaded / total);
  });
  // It ends by itself or by whoever stopped it, and the server is not to blame for the latter.
  request.addEventListener("abort", () => reject(new ApiError("stopped", STOPPED)));
  request.addEventListener("loadend", () => {
    if (isStopped) return;
    try {
      resolve(answerOf(request.status, request.responseText) as Report);
    } catch (error) {
      reject(error instanceof Error ? error : new Error(String(error)));
    }
  });
  const cancel = (): void => {
    isStopped = true;
    request.abort();
  };
  request.open("POST", path);
  request.setRequestHeader("content-type", contentType);
  request.send(file);
  return { done: promise, cancel };
}

/** What the server reads a file as, by the end of its name. */
export function contentTypeOf(name: string): string {
  if (/\.(ndjson|jsonl)$/i.test(name)) return "application/x-ndjson";
  return /\.json$/i.test(name) ? "application/json" : "text/csv";
}
