/** Sends a file and tells how far it is. `fetch` can't tell, which is why this is XMLHttpRequest. */
import { answerOf } from "./ask.ts";

export type Upload<Report> = { readonly done: Promise<Report>; cancel(): void };

/** @param onProgress told the share that has left this machine, 0…1 */
export function sendFile<Report>(
  path: string,
  file: Blob,
  contentType: string,
  onProgress: (share: number) => void,
): Upload<Report> {
  const request = new XMLHttpRequest();
  const { promise, resolve, reject } = Promise.withResolvers<Report>();
  request.upload.addEventListener("progress", ({ loaded, total }) => {
    if (total > 0) onProgress(loaded / total);
  });
  request.addEventListener("loadend", () => {
    try {
      resolve(answerOf(request.status, request.responseText) as Report);
    } catch (error) {
      reject(error instanceof Error ? error : new Error(String(error)));
    }
  });
  request.open("POST", path);
  request.setRequestHeader("content-type", contentType);
  request.send(file);
  return { done: promise, cancel: () => request.abort() };
}

/** What the server reads a file as, by the end of its name. */
export function contentTypeOf(name: string): string {
  if (/\.(ndjson|jsonl)$/i.test(name)) return "application/x-ndjson";
  return /\.json$/i.test(name) ? "application/json" : "text/csv";
}
