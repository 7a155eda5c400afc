import type { JsonObject } from "@bufbuild/protobuf";
import { useEffect, useState } from "preact/hooks";
import { About } from "./about.tsx";
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

/** A resource with its form. */
export function ItemView({ kind, id }: { kind: Kind; id: string }) {
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
  return <Editor key={`${id}@${release}`} access={access} loaded={loaded.value} />;
}

const EMPTY: Resource = { value: {}, etag: "", pendingReleases: [] };

/** Edits a resource: a form, and how it is saved. */
export function Editor({ access, loaded: first }: { access: Access; loaded: Resource }) {
  const { route, permissions, notify } = useApp();
  const { kind, methods, release } = access;
  const isNew = first.value.id === undefined;
  const name = `${route.projectId}/${kind.section}/${String(first.value.id ?? NEW)}@${release}`;
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
        const query = { [`${kind.name}_id`]: newId };
        const { value } = await createResource(access, edited, query);
        keepForm(name, undefined);
        notify(`Created ${titleOf(value)}.`);
        location.replace(linkTo(route, kind.section, String(value.id)));
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
  return (
    <>
      <form
        class="item"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <div class="heading">
          <div>
            <a class="note" href={linkTo(route, kind.section)}>
              {kind.words[1]}
            </a>
            <h1>{isNew ? `New ${kind.words[0]}` : titleOf(edited)}</h1>
            {!isNew && <code class="note">{String(loaded.value.id)}</code>}
          </div>
          <div class="acts end">
            {!isNew && <DeleteButton access={access} resource={loaded} />}
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
      {!isNew && <About access={access} resource={loaded} />}
    </>
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
      {names.map((id) => (
        <a key={id} href={linkTo(route, "releases", id)}>
          {String(releases.find((it) => it.id === id)?.name ?? id)}
        </a>
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
