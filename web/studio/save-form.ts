import { useState } from "preact/hooks";
import type { Acts } from "./acts.tsx";
import type { Warning } from "./api.ts";
import { useApp } from "./app.ts";
import type { Edits } from "./edits.ts";
import { keepForm } from "./kept-texts.ts";
import { titleOf } from "./kinds.ts";
import { toApiError } from "./load.tsx";
import { type Access, createResource, listChanged } from "./resource.ts";
import { changeChoices, linkTo } from "./router.ts";
import { keepTyped, saveResource } from "./save.ts";
import { keyOfAccount } from "./session.ts";
import { nameSecret } from "./signing-secret.tsx";
import type { Surroundings } from "./surroundings.ts";

/** Returns the function that names the forms of a kind in this tab: of the release of the view, or of another version. */
export function useFormNames({ kind, release }: Access) {
  const { account, route } = useApp();
  // Another person may sign in to this tab.
  return (id: string, version = release) =>
    [keyOfAccount(account), route.projectId, kind.section, `${id}@${version}`].join("/");
}

/** The form that is saved. */
interface SavedForm {
  readonly access: Access;
  /** The id of the resource, or the place of a new one. */
  readonly id: string;
  readonly isNew: boolean;
  readonly edits: Edits;
  readonly acts: Acts;
  readonly within: Surroundings | undefined;
}

/** Creates the act that saves a form, with the warnings of the latest save. */
export function useSave({ access, id: ownId, isNew, edits, acts, within }: SavedForm) {
  const { route, notify, reveal, reloadReleases } = useApp();
  const { kind, methods, release } = access;
  const { loaded, edited } = edits;
  const nameFor = useFormNames(access);
  const [warnings, setWarnings] = useState<readonly Warning[]>([]);

  const save = () =>
    acts.run(async () => {
      try {
        await (isNew ? create() : update());
      } catch (cause) {
        const { reason, metadata } = toApiError(cause);
        const isGone = release !== "" && metadata.ids === release;
        if (!isGone && reason !== "RELEASE_STATE_FORBIDS") throw cause;
        keepForm(nameFor(ownId), undefined);
        keepForm(nameFor(ownId, ""), edits.read());
        reloadReleases();
        changeChoices({ release: "" });
        return `The release is ${isGone ? "deleted" : "applied"}. Save your changes in the current version.`;
      }
    });
  const create = async () => {
    const { id = "", ...entered } = edited;
    const parameter = methods.create?.parameters.find((it) => it.name.endsWith("_id"));
    const query = { ...within?.query, [parameter?.name ?? ""]: String(id) };
    const { secret, warnings, ...created } = await createResource(access, entered, query);
    const { value } = created;
    const { id: _, ...now } = edits.read().edited;
    const later = keepTyped(entered, now, value);
    const mistakes = warnings.map(({ message }) => ` Probably a mistake: ${message}`);
    keepForm(nameFor(ownId), undefined);
    if (listChanged(value, later).length > 0) {
      keepForm(nameFor(String(value.id)), { ...edits.read(), loaded: created, edited: later });
    }
    notify(`Created ${titleOf(value)}.${mistakes.join("")}`);
    if (secret !== "") reveal(nameSecret({ value }), secret);
    if (acts.isLeft()) return;
    if (within === undefined) location.replace(linkTo(route, kind.section, String(value.id)));
    else within.onSaved(value);
  };
  const update = async () => {
    if (!edits.isDirty) {
      edits.discard();
      notify("Nothing to save: the other person's version stays.");
      return;
    }
    const result = await saveResource(access, loaded, edited);
    if (result.outcome === "conflict") {
      edits.rebase(result.theirs, edited, result.merged, result.conflicts);
      return;
    }
    edits.rebase(result.resource, edited);
    if (loaded.pendingReleases.length > 0) reloadReleases();
    within?.onSaved(result.resource.value);
    setWarnings(result.warnings);
    notify(
      result.isMerged
        ? "Saved, together with a change by another person."
        : `Saved${release === "" ? "" : " as a draft"}.`,
    );
  };
  return { save, warnings };
}
