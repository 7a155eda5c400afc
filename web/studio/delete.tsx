import { useRef, useState } from "preact/hooks";
import { ActButton, useActs } from "./acts.tsx";
import type { ApiError } from "./api.ts";
import { useApp } from "./app.ts";
import { COMPONENT, type Kind, permissionOf, titleOf } from "./kinds.ts";
import { KeyLink } from "./record.tsx";
import { type Access, deleteResource, type Resource } from "./resource.ts";
import { useRecordNames } from "./titles.ts";

/** Deletes a resource, after a trial that says what would break. */
export function DeleteButton({
  access,
  resource,
  back,
  onDeleted,
}: {
  access: Access;
  resource: Resource;
  /** The view that is opened afterwards. */
  back: string;
  onDeleted?: (() => void) | undefined;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isAsked, setAsked] = useState(false);
  const trial = useActs();
  const acts = useActs();
  const isReferred = trial.error?.reason === "STILL_REFERRED_TO";
  const error = acts.error ?? (isReferred ? undefined : trial.error);
  const ask = async () => {
    acts.forget();
    await trial.run(() => deleteResource(access, resource, { isTrial: true }));
    setAsked(true);
    dialog.current?.showModal();
  };
  const remove = () =>
    acts.run(
      async () => {
        await deleteResource(access, resource, { force: isReferred });
        acts.open(back);
        onDeleted?.();
      },
      `Deleted ${titleOf(resource.value)}.`,
    );
  return (
    <>
      <ActButton
        permission={permissionOf(access.methods.delete, access.release)}
        class="danger"
        disabled={trial.isBusy}
        onClick={ask}
      >
        Delete …
      </ActButton>
      <dialog ref={dialog} aria-labelledby="delete-title">
        <h2 id="delete-title">Delete {titleOf(resource.value)}?</h2>
        {error !== undefined && (
          <p class="violation" role="alert">
            {error.message}
          </p>
        )}
        {error === undefined && isAsked && <Referrers kind={access.kind} error={trial.error} />}
        <div class="acts">
          <button type="button" onClick={() => dialog.current?.close()}>
            Keep it
          </button>
          <ActButton
            class="danger"
            disabled={acts.isBusy || (error !== undefined && !isReferred)}
            onClick={remove}
          >
            {isReferred ? "Delete it anyway" : "Delete"}
          </ActButton>
        </div>
      </dialog>
    </>
  );
}

/** Lists what uses a resource, as the failed trial of a deletion names it; undefined: the trial has not failed. */
export function Referrers({ kind, error }: { kind: Kind; error: ApiError | undefined }) {
  const { route } = useApp();
  const referrers = (error?.metadata.referrers ?? "").replaceAll("/", ":").split(",");
  // The form of a component is part of its page.
  const page = kind === COMPONENT ? `page:${route.id}` : "";
  const keys = [page, ...referrers].filter(Boolean);
  const nameOf = useRecordNames(keys);
  if (keys.length === 0) return <p>Nothing uses it.</p>;
  return (
    <>
      <p>It is used by:</p>
      <ul class="referrers">
        {keys.map((key) => (
          <li key={key}>
            <KeyLink of={key} release={route.query.release ?? ""} text={nameOf(key)} />
          </li>
        ))}
      </ul>
    </>
  );
}
