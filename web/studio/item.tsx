import { useEffect } from "preact/hooks";
import { About } from "./about.tsx";
import { useActs } from "./acts.tsx";
import { useApp } from "./app.ts";
import { Conflicts, show } from "./conflicts.tsx";
import { DeleteButton } from "./delete.tsx";
import { useEdits } from "./edits.ts";
import { Form } from "./form/form.tsx";
import { Samples } from "./form/json.tsx";
import { useSamples } from "./form/samples.ts";
import { SaveButtons } from "./form/save-buttons.tsx";
import { isReleasable, type Kind, permissionOf, titleOf } from "./kinds.ts";
import { useLoad } from "./load.tsx";
import { describe, hasConflicts, nameOf } from "./releases/list.tsx";
import {
  type Access,
  fieldOf,
  type Resource,
  readResource,
  schemaOf,
  setAt,
  useAccess,
} from "./resource.ts";
import { linkTo } from "./router.ts";
import { useFormNames, useSave } from "./save-form.ts";
import { SignInAgain } from "./sign-in-again.tsx";
import { onSubmit } from "./submit.ts";
import type { Surroundings } from "./surroundings.ts";

/** The id in the URL of a resource that is being created. */
const NEW = "new";

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
  const { route } = useApp();
  const { kind, methods, release } = access;
  const isNew = first.value.id === undefined;
  const place = [NEW, ...Object.values(within?.query ?? {}), first.value.type].join("/");
  const id = String(first.value.id ?? place);
  const edits = useEdits(useFormNames(access)(id), first);
  const { loaded, edited, conflicts, isDirty } = edits;
  const acts = useActs();
  const { save, warnings } = useSave({ ...{ access, id, isNew }, ...{ edits, acts, within } });
  const samples = useSamples(access, edited.content_type);
  useEffect(() => {
    within?.onEdit?.(isDirty || isNew ? edited : undefined);
    return () => within?.onEdit?.(undefined);
  }, [edited, isDirty]);
  const operation = isNew ? methods.create : methods.update;
  const permission = permissionOf(operation, release);
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
      {acts.error?.status === 401 && <SignInAgain onSignIn={save} />}
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
