import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { ApiError } from "./api.ts";
import { useApp } from "./app.ts";
import { toApiError } from "./load.ts";
import { Failed } from "./states.tsx";

/** The acts of a view: one at a time, each with a notice about its success or a failure that stays. */
export interface Acts {
  /** Runs an act. Its result, or `text`, is the notice. */
  run(work: () => Promise<unknown>, text?: string): Promise<void>;
  readonly isBusy: boolean;
  /** Why the latest act failed; undefined: it did not. */
  readonly error: ApiError | undefined;
  /** Forgets the failure of the latest act. */
  forget(): void;
  /** Shows the failure of the latest act. */
  readonly failure: ComponentChildren;
}

/** Creates the acts of a view; `onDone` follows each that succeeds. */
export function useActs(onDone: () => void = () => {}): Acts {
  const { notify } = useApp();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const run = async (work: () => Promise<unknown>, text?: string) => {
    notify("");
    setBusy(true);
    setError(undefined);
    try {
      const result = await work();
      const notice = text ?? result;
      if (typeof notice === "string") notify(notice);
      onDone();
    } catch (cause) {
      setError(toApiError(cause));
    } finally {
      setBusy(false);
    }
  };
  const forget = () => setError(undefined);
  return { run, isBusy, error, forget, failure: error && <Failed error={error} /> };
}

/** A button for an act that needs a permission. A role that lacks it sees which. */
export function ActButton({
  permission,
  look = "",
  label,
  type = "button",
  isDisabled = false,
  onAct,
  children,
}: {
  permission: string;
  look?: string | undefined;
  label?: string | undefined;
  type?: "button" | "submit";
  isDisabled?: boolean;
  /** Absent for a button that submits its form. */
  onAct?: () => void;
  children: ComponentChildren;
}) {
  const isAllowed = useApp().permissions.has(permission);
  return (
    <button
      type={type}
      class={look}
      aria-label={label}
      disabled={isDisabled || !isAllowed}
      title={isAllowed ? undefined : `Needs the permission ${permission}`}
      onClick={onAct}
    >
      {children}
    </button>
  );
}
