import type { JsonObject } from "@bufbuild/protobuf";
import { useEffect, useState } from "preact/hooks";
import { About } from "./about.tsx";
import { useActs } from "./acts.tsx";
import type { Warning } from "./api.ts";
import { useApp } from "./app.ts";
import { Conflicts, show } from "./conflicts.tsx";
import { DeleteButton } from "./delete.tsx";
import { useEdits } from "./edits.ts";
import { Form } from "./form/form.tsx";
import { Samples } from "./form/json.tsx";
import { useSamples } from "./form/samples.ts";
import { SaveButtons } from "./form/save-buttons.tsx";
import { keepForm } from "./kept-texts.ts";
import { isReleasable, type Kind, permissionOf, titleOf } from "./kinds.ts";
import { toApiError, useLoad } from "./load.tsx";
import { describe, hasConflicts, nameOf } from "./releases/list.tsx";
import {
  type Access,
  createResource,
  fieldOf,
  listChanged,
  type Resource,
  readResource,
  schemaOf,
  setAt,
  useAccess,
} from "./resource.ts";
import { changeChoices, linkTo } from "./router.ts";
import { keepTyped, saveResource } from "./save.ts";
import { keyOfAccount } from "./session.ts";
import { SignInAgain } from "./sign-in-again.tsx";
import { nameSecret } from "./signing-secret.tsx";
import { onSubmit } from "./submit.ts";

/** The id in the URL of a resource that is being created. */
const NEW = "new";

/** The view that an editor is part of. */
export interface Surroundings {
  /** Of a new resource: more arguments of its creation, such as its place. */
  readonly query?: Readonly<Record<string, string | number>>;
  readonly back: { readonly href: string; readonly text: string };
  /** Called with the values as they are typed; undefined: none differs from what is saved. */
  onEdit?(value: JsonObject | undefined): void;
  /** Called after the resource was created or saved. */
  onSaved(value: JsonObject): void;
  /** Called after the resource was deleted; `back` is opened then. Absent: the list is opened. */
  onDeleted?: () => void;
}

/** A resource with its form; `within` another view, or as a view of its own. Another id or release is another view. */
export function ItemView({ kind, id, within }: { kind: Kind; id: string; within?: Surroundings }) {
  const access = useAccess(kind);
  const loaded = useLoad(
    (signal) => (id === NEW ? Promise.resolve(EMPTY) : readResource(access, id, signal)),
    [],
  );
  if (loaded.state !== undefined) return loaded.state;
  return <Editor {...{ access, within }} loaded={loaded.value} onRevert={loaded.reload} />;
}

const EMPTY: Resource = { value: {}, etag: "", pendingReleases: [] };

/** Edits a resource: a form, and how it is saved. */
export function Editor({
  access,
  loaded: first,
  onRevert,
  within,
}: {
  access: Access;
  loaded: Resource;
  /** Called when a change of the resource is taken back: loads it again. */
  onRevert?: () => void;
  within?: Surroundings | undefined;
}) {
  const { account, route, notify, reveal, reloadReleases } = useApp();
  const { kind, methods, release } = access;
  const isNew = first.value.id === undefined;
  const place = [NEW, ...Object.values(within?.query ?? {}), first.value.type].join("/");
  // Another person may sign in to this tab.
  const nameFor = (id: string, version = release) =>
    [keyOfAccount(account), route.projectId, kind.section, `${id}@${version}`].join("/");
  const ownId = String(first.value.id ?? place);
  const name = nameFor(ownId);
  const edits = useEdits(name, first);
  const { loaded, edited, conflicts, isDirty } = edits;
  const acts = useActs();
  const { error } = acts;
  const [warnings, setWarnings] = useState<readonly Warning[]>([]);
  const samples = useSamples(access, edited.content_type);
  useEffect(() => {
    within?.onEdit?.(isDirty || isNew ? edited : undefined);
    return () => within?.onEdit?.(undefined);
  }, [edited, isDirty]);
  const operation = isNew ? methods.create : methods.update;
  const permission = permissionOf(operation, release);

  const save = () =>
    acts.run(async () => {
      try {
        await (isNew ? create() : update());
      } catch (cause) {
        const { reason, metadata } = toApiError(cause);
        const isGone = release !== "" && metadata.ids === release;
        if (!isGone && reason !== "RELEASE_STATE_FORBIDS") throw cause;
        keepForm(name, undefined);
        keepForm(nameFor(ownId, ""), edits.read());
        reloadReleases();
        changeChoices({ release: "" });
        return `The release is ${isGone ? "deleted" : "applied"}. Save your changes in the current version.`;
      }
    });
  const create = async () => {
    const { id = "", ...entered } = edited;
    const parameter = operation?.parameters.find((it) => it.name.endsWith("_id"));
    const query = { ...within?.query, [parameter?.name ?? ""]: String(id) };
    const { secret, warnings, ...created } = await createResource(access, entered, query);
    const { value } = created;
    const { id: _, ...now } = edits.read().edited;
    const later = keepTyped(entered, now, value);
    const mistakes = warnings.map(({ message }) => ` Probably a mistake: ${message}`);
    keepForm(name, undefined);
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
    if (!isDirty) {
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
  useEffect(acts.forget, [first]);
  const list = linkTo(route, kind.section);
  const { onDeleted } = within ?? {};
  const Heading = within === undefined ? "h1" : "h2";
  return (
    <>
      <form class="item" onSubmit={onSubmit(save)}>
        <div class="heading">
          <div>
            <a class="note" href={within?.back.href ?? list}>
              {within?.back.text ?? kind.words[1]}
            </a>
            <Heading>{isNew ? `New ${kind.words[0]}` : titleOf(edited)}</Heading>
            {!isNew && <code class="note">{String(loaded.value.id)}</code>}{" "}
            {route.query.release && !isReleasable(methods) && (
              <span class="mark" title="Not part of releases: a save changes the current version">
                always current
              </span>
            )}
          </div>
          <div class="acts end">
            {!isNew && methods.delete !== undefined && (
              <DeleteButton
                {...{ access, onDeleted }}
                resource={loaded}
                back={(onDeleted && within?.back.href) ?? list}
              />
            )}
            {operation !== undefined && (
              <SaveButtons
                {...{ edits, acts, permission, isNew }}
                words={isNew ? "Create" : `Save${release === "" ? "" : " as draft"}`}
              />
            )}
          </div>
        </div>
        <Pending names={loaded.pendingReleases} />
        {acts.failure}
        {warnings.map(({ code, message }) => (
          <p key={message} ref={show} class="warning" role="status">
            <b>Probably a mistake:</b> {message} <code class="note">{code}</code>
          </p>
        ))}
        {conflicts.length > 0 && (
          <Conflicts
            key={loaded.etag}
            {...{ kind }}
            conflicts={conflicts}
            value={edited}
            onChange={edits.edit}
          />
        )}
        {isNew && (
          <div class="field line">
            <label class="name" for="new-id">
              ID
            </label>
            <input
              id="new-id"
              value={String(edited.id ?? "")}
              placeholder="Generated"
              autocomplete="off"
              spellcheck={false}
              onInput={({ currentTarget: { value: id } }) =>
                edits.edit(setAt(edited, ["id"], id || undefined))
              }
            />
          </div>
        )}
        <Samples.Provider value={samples}>
          <Form
            schema={schemaOf(methods)}
            path={fieldOf(access)}
            {...{ edits, acts, permission }}
          />
        </Samples.Provider>
      </form>
      {error?.status === 401 && <SignInAgain onSignIn={save} />}
      {!isNew && methods.update !== undefined && (
        <About {...{ access, onRevert }} resource={loaded} />
      )}
    </>
  );
}

/** Says which releases will change the resource, when, and which of them have conflicts. */
function Pending({ names }: { names: readonly string[] }) {
  const { route, releases } = useApp();
  return names.map((id) => {
    const release = releases.find((it) => it.id === id);
    const isBlocked = release !== undefined && hasConflicts(release);
    return (
      <p
        key={id}
        ref={isBlocked ? show : null}
        class={isBlocked ? "warning" : "note"}
        role="status"
      >
        Will be changed by <a href={linkTo(route, "releases", id)}>{nameOf(release ?? { id })}</a>.{" "}
        {release && describe(release)}
        {isBlocked && ": it cannot be applied until that is settled"}
      </p>
    );
  });
}
