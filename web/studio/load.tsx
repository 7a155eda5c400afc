import type { VNode } from "preact";
import { type Inputs, useCallback, useContext, useEffect, useState } from "preact/hooks";
import { ApiError } from "./api.ts";
import { AppContext } from "./app.ts";
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

/**
 * Loads a value again whenever an input changes; a load that is overtaken is aborted, and its result is not shown. Without a
 * connection, a value that is read again stays.
 */
export function useLoad<T>(load: (signal: AbortSignal) => Promise<T>, inputs: Inputs): Loaded<T> {
  const { notify } = useContext(AppContext) ?? {};
  const [ended, setEnded] = useState<Ended<T>>({ inputs: [] });
  const [count, setCount] = useState(0);
  const all = [...inputs, count];
  const reload = useCallback(() => setCount((it) => it + 1), []);
  const { value, error } = ended;
  const isLoading = all.some((it, index) => it !== ended.inputs[index]);
  const waiting = value === undefined ? <Loading /> : undefined;
  const state = error === undefined ? waiting : <Failed error={error} retry={reload} />;
  useEffect(() => {
    const controller = new AbortController();
    const end = (result: Partial<Ended<T>>) => {
      if (!controller.signal.aborted) setEnded(({ value }) => ({ value, ...result, inputs: all }));
    };
    const isShown = state === undefined && inputs.every((it, index) => it === ended.inputs[index]);
    load(controller.signal).then(
      (value) => end({ value }),
      (cause: unknown) => {
        const isKept = isShown && cause instanceof ApiError && cause.status === 0;
        if (isKept) notify?.("No connection: this may have changed since.");
        end(isKept ? {} : { error: toApiError(cause) });
      },
    );
    return () => controller.abort();
  }, all);
  return { value, error, isLoading, reload, state } as Loaded<T>;
}

/** The newest load that has ended. */
interface Ended<T> {
  /** Of the newest load that has succeeded. */
  readonly value?: T | undefined;
  readonly error?: ApiError;
  /** The inputs of the load. Empty: none has ended. */
  readonly inputs: Inputs;
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
