/** What pages share: asking the server, the time, and what the page is called. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { isOffline } from "../api/ask.ts";
import { whenReached } from "../api/reach.ts";

export type Asked<Value> = {
  /** The last answer; it stays while another is on its way. */
  readonly value: Value | null;
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly again: () => void;
  readonly put: (value: Value) => void;
};

/** Asks when `key` changes, and when told to. An answer that comes too late is dropped. */
export function useAsk<Value>(ask: () => Promise<Value>, key: string): Asked<Value> {
  const [answer, setAnswer] = useState<{ value: Value; key: string } | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [isLoading, setLoading] = useState(true);
  const latest = useRef(0);
  const latestAsk = useRef(ask);
  latestAsk.current = ask;
  const attempt = useCallback(async () => {
    latest.current += 1;
    const turn = latest.current;
    setLoading(true);
    try {
      const value = await latestAsk.current();
      if (turn !== latest.current) return;
      setAnswer({ value, key });
      setError(null);
    } catch (reason) {
      if (turn === latest.current) setError(reason);
    } finally {
      if (turn === latest.current) setLoading(false);
    }
  }, [key]);
  const again = useCallback(() => void attempt(), [attempt]);
  useEffect(() => {
    again();
    return () => {
      latest.current += 1;
    };
  }, [again]);
  useWhenBack(error, again);
  const put = useCallback(
    (value: Value) => {
      latest.current += 1;
      setAnswer({ value, key });
      setError(null);
      setLoading(false);
    },
    [key],
  );
  const value = answer !== null && answer.key === key ? answer.value : null;
  return { value, error, isLoading, again, put };
}

/** Does the work once the server that `error` could not reach has answered again. */
export function useWhenBack(error: unknown, work: () => void): void {
  const latest = useRef(work);
  latest.current = work;
  const isWaiting = isOffline(error);
  useEffect(() => (isWaiting ? whenReached(() => latest.current()) : undefined), [isWaiting]);
}

/** The time, moved on every `milliseconds`. */
export function useNow(milliseconds: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), milliseconds);
    return () => clearInterval(timer);
  }, [milliseconds]);
  return now;
}

export function useEvery(milliseconds: number, work: () => void): void {
  const latest = useRef(work);
  latest.current = work;
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) latest.current();
    }, milliseconds);
    return () => clearInterval(timer);
  }, [milliseconds]);
}

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Sendonce`;
  }, [title]);
}
