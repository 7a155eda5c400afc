import type { VNode } from "preact";
import { type Inputs, useCallback, useEffect, useState } from "preact/hooks";
import { ApiError } from "./api.ts";
import { Failed, Loading } from "./states.tsx";

/** A value that is being loaded: the newest one, if there is one yet. */
export type Loaded<T> = Load &
  (
    | { readonly value: T; readonly state: undefined }
    /** Says that the value is being loaded, or why the newest load failed. */
    | { readonly value: T | undefined; readonly state: VNode }
  );

interface Load {
  /** Why the newest load failed; undefined: it did not. */
  readonly error: ApiError | undefined;
  readonly isLoading: boolean;
  reload(): void;
}

/** Loads a value again whenever an input changes; a load that is overtaken is aborted, and its result is not shown. */
export function useLoad<T>(load: (signal: AbortSignal) => Promise<T>, inputs: Inputs): Loaded<T> {
  const [state, setState] = useState<{ value?: T; error?: ApiError }>({});
  const [isLoading, setLoading] = useState(true);
  const [count, setCount] = useState(0);
  useEffect(() => {
    const controller = new AbortController();
    setLoading(true);
    const finish = (set: () => void) => {
      if (controller.signal.aborted) return;
      set();
      setLoading(false);
    };
    load(controller.signal).then(
      (value) => finish(() => setState({ value })),
      (cause: unknown) =>
        finish(() => setState((before) => ({ ...before, error: toApiError(cause) }))),
    );
    return () => controller.abort();
  }, [...inputs, count]);
  const reload = useCallback(() => setCount((it) => it + 1), []);
  const { value, error } = state;
  const waiting = value === undefined ? <Loading /> : undefined;
  const shown = error === undefined ? waiting : <Failed error={error} retry={reload} />;
  return { value, error, isLoading, reload, state: shown } as Loaded<T>;
}

/** The time from a load to the next one, in milliseconds. */
const REFRESH_MS = 5_000;

/** Loads again while the tab is visible, each time some seconds after the load before. */
export function useRefresh({ isLoading, reload }: Loaded<unknown>): void {
  useEffect(() => {
    if (isLoading) return;
    const timer = setInterval(() => document.hidden || reload(), REFRESH_MS);
    return () => clearInterval(timer);
  }, [isLoading, reload]);
}

/** Loads a list again when the person comes back to the window: others may have changed it. */
export function useReloadOnFocus({ reload }: Loaded<unknown>): void {
  useEffect(() => {
    addEventListener("focus", reload);
    return () => removeEventListener("focus", reload);
  }, [reload]);
}

/** Returns an error of a call; other errors are bugs of this page. */
export function toApiError(cause: unknown): ApiError {
  return cause instanceof ApiError ? cause : new ApiError(0, { message: String(cause) });
}
