import type { JsonObject } from "@bufbuild/protobuf";
import { useEffect, useState } from "preact/hooks";
import type { ApiError, Warning } from "./api.ts";
import { useApp } from "./app.ts";
import { Conflicts } from "./conflicts.tsx";
import { DeleteButton } from "./delete.tsx";
import { Form } from "./form/form.tsx";
import { keepForm, readKept } from "./kept-texts.ts";
import { isReleasable, type Kind, methodsOf, permissionOf, titleOf } from "./kinds.ts";
import { toApiError, useLoad } from "./load.ts";
import {
  type Access,
  createResource,
  fieldOf,
  listChanged,
  type Resource,
  readResource,
  type Saved,
  saveResource,
  schemaOf,
} from "./resource.ts";
import { linkTo } from "./router.ts";
import { Failed, Loading } from "./states.tsx";

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
  onDeleted?(): void;
}

/** A resource with its form; `within` another view, or as a view of its own. */
export function ItemView({ kind, id, within }: { kind: Kind; id: string; within?: Surroundings }) {
  const { route, operations } = useApp();
  const methods = methodsOf(kind, operations);
  const release = isReleasable(methods) ? (route.query.release ?? "") : "";
  const access: Access = { kind, methods, projectId: route.projectId, release };
  const loaded = useLoad(
    (signal) => (id === NEW ? Promise.resolve(EMPTY) : readResource(access, id, signal)),
    [id, release],
  );
  if (loaded.error !== undefined) return <Failed error={loaded.error} retry={loaded.reload} />;
  if (loaded.value === undefined) return <Loading />;
  const key = `${id}@${release}`;
  return <Editor key={key} access={access} loaded={loaded.value} {...(within && { within })} />;
}

const EMPTY: Resource = { value: {}, etag: "", pendingReleases: [] };

/** Edits a resource: a form, and how it is saved. */
export function Editor({
  access,
  loaded: first,
  within,
}: {
  access: Access;
  loaded: Resource;
  within?: Surroundings;
}) {
  const { route, permissions, notify } = useApp();
  const { kind, methods, release } = access;
  const isNew = first.value.id === undefined;
  const place = [NEW, ...Object.values(within?.query ?? {}), first.value.type].join("/");
  const name = `${route.projectId}/${kind.section}/${String(first.value.id ?? place)}@${release}`;
  const [kept] = useState(() => readKept(name));
  const [loaded, setLoaded] = useState<Resource>(
    kept === undefined ? first : { ...first, value: kept.loaded, etag: kept.etag },
  );
  const [edited, setEdited] = useState<JsonObject>(kept?.edited ?? loaded.value);
  const [error, setError] = useState<ApiError>();
  const [warnings, setWarnings] = useState<readonly Warning[]>([]);
  const [conflict, setConflict] = useState<Extract<Saved, { outcome: "conflict" }>>();
  const [isSaving, setSaving] = useState(false);
  const [newId, setNewId] = useState("");
  const changed = listChanged(loaded.value, edited);
  const isDirty = changed.length > 0;
  useEffect(() => {
    const { etag, value } = loaded;
    keepForm(name, isDirty ? { etag, loaded: value, edited } : undefined);
  }, [name, loaded, edited, isDirty]);
  useEffect(() => {
    within?.onEdit?.(isDirty || isNew ? edited : undefined);
    return () => within?.onEdit?.(undefined);
  }, [edited, isDirty]);
  useLeaveQuestion(isDirty);
  const operation = isNew ? methods.create : methods.update;
  const permission = permissionOf(operation, release);
  const mayWrite = operation !== undefined && permissions.has(permission);

  const accept = (resource: Resource) => {
    setLoaded(resource);
    setEdited(resource.value);
    setError(undefined);
    setConflict(undefined);
  };
  const save = async () => {
    setSaving(true);
    try {
      if (isNew) {
        const query = { ...within?.query, [`${fieldOf(access)}_id`]: newId };
        const { value } = await createResource(access, edited, query);
        keepForm(name, undefined);
        notify(`Created ${titleOf(value)}.`);
        if (within === undefined) location.replace(linkTo(route, kind.section, String(value.id)));
        else within.onSaved(value);
        return;
      }
      const result = await saveResource(access, loaded, edited);
      if (result.outcome === "conflict") {
        setConflict(result);
        setEdited(result.merged);
        setLoaded(result.theirs);
        return;
      }
      accept(result.resource);
      within?.onSaved(result.resource.value);
      setWarnings(result.warnings);
      notify(
        result.isMerged
          ? "Saved, together with a change by another person."
          : `Saved${release === "" ? "" : " as a draft"}.`,
      );
    } catch (cause) {
      setError(toApiError(cause));
    } finally {
      setSaving(false);
    }
  };
  const Heading = within === undefined ? "h1" : "h2";
  return (
    <form
      class="item"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <div class="heading">
        <div>
          <a class="note" href={within?.back.href ?? linkTo(route, kind.section)}>
            {within?.back.text ?? kind.words[1]}
          </a>
          <Heading>{isNew ? `New ${kind.words[0]}` : titleOf(edited)}</Heading>
          {!isNew && <code class="note">{String(loaded.value.id)}</code>}
        </div>
        <div class="acts end">
          {!isNew && (
            <DeleteButton {...{ access, onDeleted: within?.onDeleted }} resource={loaded} />
          )}
          <button type="button" disabled={!isDirty || isSaving} onClick={() => accept(loaded)}>
            Discard
          </button>
          <button
            type="submit"
            class="main"
            disabled={!mayWrite || isSaving || (!isDirty && !isNew)}
            title={mayWrite ? undefined : `Needs the permission ${permission}`}
          >
            {saveWord(isNew, release)}
          </button>
        </div>
      </div>
      <Pending names={loaded.pendingReleases} />
      {error !== undefined && (
        <div class="state failed" role="alert">
          <p>{error.message}</p>
          <code class="note">{error.reason}</code>
        </div>
      )}
      {warnings.map(({ code, message }) => (
        <p key={message} class="warning" role="status">
          <b>Probably a mistake:</b> {message} <code class="note">{code}</code>
        </p>
      ))}
      {conflict !== undefined && (
        <Conflicts conflicts={conflict.conflicts} value={edited} onChange={setEdited} />
      )}
      {isNew && (
        <div class="field line">
          <label for="new-id">ID</label>
          <input
            id="new-id"
            value={newId}
            placeholder="Generated"
            onInput={(event) => setNewId(event.currentTarget.value)}
          />
        </div>
      )}
      <Form
        schema={schemaOf(methods)}
        value={edited}
        onChange={setEdited}
        path={fieldOf(access)}
        violations={error?.violations ?? new Map()}
        isDisabled={!mayWrite}
      />
    </form>
  );
}

function saveWord(isNew: boolean, release: string): string {
  if (isNew) return "Create";
  return release === "" ? "Save" : "Save as draft";
}

/** Says which releases will change the resource. */
function Pending({ names }: { names: readonly string[] }) {
  const { route, releases } = useApp();
  if (names.length === 0) return null;
  return (
    <p class="note">
      Will be changed by{" "}
      {names.map((id, index) => (
        <span key={id}>
          {index > 0 && ", "}
          <a href={linkTo(route, "releases", id)}>
            {String(releases.find((it) => it.id === id)?.name ?? id)}
          </a>
        </span>
      ))}
      .
    </p>
  );
}

/** Asks before the page is left with changes that are not saved. Views of the app keep them. */
function useLeaveQuestion(isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [isDirty]);
}
