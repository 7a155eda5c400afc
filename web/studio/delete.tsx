import { useRef, useState } from "preact/hooks";
import { ActButton } from "./acts.tsx";
import type { ApiError } from "./api.ts";
import { useApp } from "./app.ts";
import { permissionOf, titleOf } from "./kinds.ts";
import { toApiError } from "./load.ts";
import { KeyLink } from "./record.tsx";
import { type Access, deleteResource, type Resource } from "./resource.ts";
import { linkTo } from "./router.ts";

/** Deletes a resource, after a trial that says what would break. */
export function DeleteButton({
  access,
  resource,
  onDeleted,
}: {
  access: Access;
  resource: Resource;
  /** Called afterwards, instead of opening the list. */
  onDeleted?: (() => void) | undefined;
}) {
  const { route, notify } = useApp();
  const dialog = useRef<HTMLDialogElement>(null);
  const [error, setError] = useState<ApiError>();
  const [isReferred, setReferred] = useState(false);
  const ask = async () => {
    setError(undefined);
    setReferred(false);
    try {
      await deleteResource(access, resource, { isTrial: true });
    } catch (cause) {
      const failed = toApiError(cause);
      setError(failed);
      setReferred(failed.reason === "STILL_REFERRED_TO");
    }
    dialog.current?.showModal();
  };
  const remove = async () => {
    try {
      await deleteResource(access, resource, { force: isReferred });
      notify(`Deleted ${titleOf(resource.value)}.`);
      if (onDeleted === undefined) location.hash = linkTo(route, access.kind.section);
      else onDeleted();
    } catch (cause) {
      setError(toApiError(cause));
    }
  };
  return (
    <>
      <ActButton
        permission={permissionOf(access.methods.delete, access.release)}
        look="danger"
        onAct={() => void ask()}
      >
        Delete …
      </ActButton>
      <dialog ref={dialog} aria-labelledby="delete-title">
        <h2 id="delete-title">Delete {titleOf(resource.value)}?</h2>
        {isReferred && <Referrers error={error} />}
        {error !== undefined && !isReferred && <p class="violation">{error.message}</p>}
        {error === undefined && <p>Nothing refers to it.</p>}
        <div class="acts">
          <button type="button" onClick={() => dialog.current?.close()}>
            Keep it
          </button>
          <button
            type="button"
            class="danger"
            disabled={error !== undefined && !isReferred}
            onClick={() => void remove()}
          >
            {isReferred ? "Delete it anyway" : "Delete"}
          </button>
        </div>
      </dialog>
    </>
  );
}

/** Lists what refers to a resource, as the failed trial of a deletion names it. */
export function Referrers({ error }: { error: ApiError | undefined }) {
  const { route } = useApp();
  const keys = (error?.metadata.referrers ?? "").split(",").filter(Boolean);
  return (
    <>
      <p>These refer to it:</p>
      <ul class="referrers">
        {keys.map((key) => (
          <li key={key}>
            <KeyLink of={key.replace("/", ":")} release={route.query.release ?? ""} text={key} />
          </li>
        ))}
      </ul>
    </>
  );
}
