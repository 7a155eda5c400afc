import type { ComponentChildren, ComponentProps } from "preact";
import { useContext, useEffect, useId, useRef, useState } from "preact/hooks";
import type { ApiError } from "./api.ts";
import { AppContext } from "./app.ts";
import { toApiError } from "./load.tsx";
import { Failed } from "./states.tsx";

/** The acts of a view: one at a time, each with a notice about its success or a failure that stays. */
export interface Acts {
  /** Runs an act. Its result, or `text`, is the notice. Reports whether it succeeded. */
  run(work: () => Promise<unknown>, text?: string): Promise<boolean>;
  readonly isBusy: boolean;
  /** Why the latest act failed; undefined: it did not. */
  readonly error: ApiError | undefined;
  /** Reports whether the person has gone to another view. */
  isLeft(): boolean;
  /** Opens a view after an act, unless the person has gone to another one. Reports whether it did. */
  open(href: string): boolean;
  /** Forgets the failure of the latest act. */
  forget(): void;
  /** Shows the failure of the latest act. */
  readonly failure: ComponentChildren;
}

/** Creates the acts of a view; `onDone` follows each that succeeds, or comes after a change by another person. */
export function useActs(onDone: () => void = () => {}): Acts {
  // A person without a project has no view yet.
  const { notify = () => {} } = useContext(AppContext) ?? {};
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
      return true;
    } catch (cause) {
      const failure = toApiError(cause);
      setError(failure);
      // The next try is one with the newest version.
      if (failure.reason === "ETAG_MISMATCH") onDone();
      return false;
    } finally {
      setBusy(false);
    }
  };
  const left = useRef(false);
  useEffect(
    () => () => {
      left.current = true;
    },
    [],
  );
  const isLeft = () => left.current;
  const open = (href: string) => {
    if (!isLeft()) location.hash = href;
    return !isLeft();
  };
  const forget = () => setError(undefined);
  return { run, isBusy, error, isLeft, open, forget, failure: error && <Failed error={error} /> };
}

/**
 * A button for an act. A role that lacks its permission reads which; `title` says why it is disabled otherwise. It keeps the
 * focus while it is disabled.
 */
export function ActButton({
  permission,
  disabled = false,
  onClick,
  ...attributes
}: ButtonProps & { readonly permission?: string | undefined }) {
  // A person without a project has no permissions yet.
  const { permissions } = useContext(AppContext) ?? {};
  const isAllowed = permission === undefined || permissions?.has(permission) === true;
  const isDisabled = disabled || !isAllowed;
  return (
    <button
      type="button"
      {...attributes}
      aria-disabled={isDisabled || undefined}
      onClick={isDisabled ? (event) => event.preventDefault() : onClick}
      title={isAllowed ? attributes.title : `Needs the permission ${permission}`}
    />
  );
}

/** A button for an act that a click too many must not cause: a dialog says what happens, and the person confirms it. */
export function ConfirmButton({
  question,
  consequence,
  onConfirm,
  ...attributes
}: Omit<ComponentProps<typeof ActButton>, "type" | "onClick"> & {
  /** Names what happens, such as `Delete the key website?`. */
  readonly question: string;
  /** Says the effect, in a sentence or two. */
  readonly consequence: string;
  onConfirm(): unknown;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  return (
    <>
      <ActButton {...attributes} onClick={() => dialog.current?.showModal()} />
      <dialog ref={dialog} aria-labelledby={id}>
        <h2 id={id}>{question}</h2>
        <p>{consequence}</p>
        <form method="dialog" class="acts">
          <button type="submit">Cancel</button>
          <button
            type="button"
            class="danger"
            onClick={() => {
              // First, because an act may disable what is around the dialog.
              dialog.current?.close();
              onConfirm();
            }}
          >
            {attributes.children}
          </button>
        </form>
      </dialog>
    </>
  );
}

/** The attributes of a button. */
export type ButtonProps = Pick<
  ComponentProps<"button">,
  "type" | "class" | "aria-label" | "title" | "disabled" | "onClick" | "children"
>;
