/**
 * A stream that says in its reader's words what has broken it. A runtime's own error for that names
 * neither the file nor the call, and a program can't tell it from a fault of its own.
 */

/**
 * The same bytes, read no sooner than they are asked for.
 * @param tell gives what the reader is thrown in place of the cause
 */
export function tellingStream(
  body: ReadableStream<Uint8Array>,
  tell: (cause: unknown) => unknown,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let isCancelled = false;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          // The reader has gone away meanwhile, and its stream takes nothing any more.
          if (isCancelled) return;
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (cause) {
          controller.error(tell(cause));
        }
      },
      cancel(reason) {
        isCancelled = true;
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
