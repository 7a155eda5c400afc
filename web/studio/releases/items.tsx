import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { isObject } from "../../../src/domain/base/json.ts";
import { readPath, splitPath } from "../../../src/domain/changes/path-tree.ts";
import type { Document, Schema } from "../../openapi.ts";
import { ActButton, type Acts, ConfirmButton, useActs } from "../acts.tsx";
import { call } from "../api.ts";
import { compareValues, type Difference } from "../drawing/compare.ts";
import { printTime, printValue } from "../drawing/text.ts";
import { kindOfName } from "../kinds.ts";
import { readPage } from "../list-items.ts";
import { useLoad, useReloadOnFocus } from "../load.tsx";
import { Pager, usePages } from "../pager.tsx";
import { usePathWords } from "../paths.ts";
import { useAccountNames } from "../people.ts";
import { KeyLink, nameRecord, parseKey, resourceOf } from "../record.tsx";
import { listMask, readResource, schemaOf, setAt, useAccessOf, writeFields } from "../resource.ts";
import { listFields } from "../schema.ts";
import { Empty } from "../states.tsx";

/** The path of the order of a page's components. */
const ORDER = "page_component_ids";

/** The drafts of a page of the list. */
const PAGE_SIZE = 50;

/** A draft, as ListReleaseItems returns it. */
export interface Item {
  readonly key: string;
  readonly current?: JsonObject;
  readonly merged?: JsonObject & { readonly page_component_ids?: readonly string[] };
  readonly changed_paths: readonly string[];
  readonly conflicts: readonly ItemConflict[];
  readonly account_id: string;
  readonly update_time: string;
  readonly is_hidden: boolean;
}

/** A value that a draft and the current version have both changed. */
export interface ItemConflict {
  readonly kind: string;
  readonly path: string;
  readonly current?: JsonValue;
  readonly draft?: JsonValue;
}

/** The version that has a value in conflict. */
type Side = "current" | "draft";

/** The drafts of a release, each with its changes and conflicts. */
export function ReleaseItems({
  release,
  isOpen,
  onChange,
}: {
  release: string;
  isOpen: boolean;
  onChange: () => void;
}) {
  const nameAccount = useAccountNames();
  const pages = usePages();
  const path = `/cms/releases/v1/${encodeURIComponent(release)}/items`;
  const page = useLoad(
    (signal) => readPage<Item>(path, { page_size: PAGE_SIZE, page_token: pages.token }, signal),
    [path, pages.token],
  );
  useReloadOnFocus(page);
  const acts = useActs(() => {
    page.reload();
    onChange();
  });
  if (page.state !== undefined) return page.state;
  if (page.value.items.length === 0 && pages.token === "") {
    return (
      <Empty title="No drafts">
        {isOpen && (
          <p>
            Choose this release as <i>Version</i> in the header. Everything that you save then is a
            draft of it.
          </p>
        )}
      </Empty>
    );
  }
  return (
    <section aria-label="Drafts">
      {acts.failure}
      <ul class="cards">
        {page.value.items.map((item) => (
          <DraftCard
            key={item.key}
            {...{ item, release, isOpen, acts }}
            author={nameAccount(item.account_id)}
            path={`${path}/${encodeURIComponent(item.key)}`}
          />
        ))}
      </ul>
      <Pager {...{ pages }} next={page.value.nextPageToken} of="the drafts" />
    </section>
  );
}

function DraftCard({
  item,
  release,
  isOpen,
  acts,
  author,
  path,
}: {
  item: Item;
  release: string;
  isOpen: boolean;
  acts: Acts;
  author: string;
  path: string;
}) {
  const accessOf = useAccessOf();
  const [current, merged] = [resourceOf(item.current), resourceOf(item.merged)];
  const name = nameRecord(item.key, merged ?? current);
  const remove = () =>
    acts.run(() => call({ method: "DELETE", path }), "The draft is gone from the release.");
  return (
    <li class="card">
      <div class="heading">
        <div>
          <h2>
            <KeyLink of={item.key} {...{ release }} text={name} />{" "}
            <span class="mark">{verbOf(item)}</span>
          </h2>
          <p class="note">
            {author !== "" && `${author} · `}
            {printTime(item.update_time)}
          </p>
        </div>
        {isOpen && (
          <ConfirmButton
            permission="cms.releases.update"
            class="end"
            disabled={acts.isBusy}
            question={`Take ${name} out of the release?`}
            consequence="The draft is deleted. Nothing can bring it back."
            onConfirm={remove}
          >
            Take it out
          </ConfirmButton>
        )}
      </div>
      {item.is_hidden && <p class="note">You may not see its values.</p>}
      <Differences
        of={item.key}
        paths={[...item.changed_paths, ...(item.merged?.page_component_ids?.length ? [ORDER] : [])]}
        before={current}
        after={merged}
      />
      {item.conflicts.map((conflict) => (
        <ConflictBox
          key={conflict.path}
          of={item.key}
          {...{ conflict }}
          isDisabled={!isOpen || acts.isBusy}
          onPick={(side, text) => acts.run(() => settle(conflict, side), text)}
        />
      ))}
    </li>
  );

  /** Writes the newest value of a side into the release, so that it is compared with the current version of now. */
  async function settle({ path }: ItemConflict, side: Side) {
    const { kind: name, id } = parseKey(item.key);
    const kind = kindOfName(name);
    if (kind === undefined) throw new Error(`the studio has no form for ${name}`);
    const access = { ...accessOf(kind), release };
    const read = await readResource(access, id);
    const picked = side === "draft" ? read : await readResource({ ...access, release: "" }, id);
    const names = splitPath(path);
    const value = take(names, picked.value, read.value, schemaOf(access.methods), access.document);
    const mask = listMask(access, read.value, value);
    await writeFields(access, read, value, mask.length > 0 ? mask : names.slice(0, 1));
  }
}

/** Returns a version with the value of another one at a path; of a oneof, with the member that the other one has. */
function take(
  [name = "", ...below]: readonly string[],
  from: JsonObject,
  into: JsonObject,
  schema: Schema,
  document: Document,
): JsonObject {
  const fields = listFields(schema, document);
  const field = fields.find((it) => it.name === name);
  const members = fields.filter(({ oneof }) => oneof !== "" && oneof === field?.oneof);
  const [theirs, ours] = [from[name], into[name]];
  if (below.length > 0 && isObject(theirs) && isObject(ours)) {
    return setAt(into, [name], take(below, theirs, ours, field?.schema ?? {}, document));
  }
  const names = members.length > 0 ? members.map((it) => it.name) : [name];
  return names.reduce((it, member) => setAt(it, [member], from[member]), into);
}

function verbOf({ current, merged, is_hidden: isHidden }: Item): string {
  if (isHidden) return "draft";
  if (current === undefined) return "new";
  return merged === undefined ? "deletion" : "change";
}

/** The values of a resource that differ, before and after; nothing of one that is created or deleted, or is withheld. */
export function Differences({
  of: key,
  paths,
  before,
  after,
}: {
  of: string;
  paths: readonly string[];
  before: JsonObject | undefined;
  after: JsonObject | undefined;
}) {
  const printPath = usePathWords(parseKey(key).kind);
  if (before === undefined || after === undefined) return null;
  const differences = paths.flatMap((path) => {
    const [current, preview] = [before, after].map((it) => readPath(it, path));
    const found = compareValues(current, preview, path);
    return path === ORDER || found.length > 0 ? found : [{ path, current, preview }];
  });
  return (
    <>
      <dl class="differences">
        {differences.map(({ path, current, preview }) => {
          const [old, now] = [current, preview].map((it) => printValue(it, navigator.language));
          return (
            <div key={path}>
              <dt title={path}>{printPath(path)}</dt>
              <dd>
                {old === now ? <small>changed, and changed back</small> : <del>{old}</del>}{" "}
                <ins>{now}</ins>
              </dd>
            </div>
          );
        })}
      </dl>
      {paths.includes(ORDER) && <p class="note">Other components, or another order of them.</p>}
    </>
  );
}

/** Says why a draft is in conflict as a whole, by the kind of the conflict. */
export const WHOLE: Readonly<Record<string, string>> = {
  CONFLICT_KIND_CURRENT_DELETED: "The draft changes it, but it was deleted since.",
  CONFLICT_KIND_CURRENT_CHANGED: "The draft deletes it, but it was changed since.",
  CONFLICT_KIND_CURRENT_EXISTS: "The draft creates it, but it exists by now.",
};

/** Writes one side of the differences at a path; those below it with their paths. */
export function printSide(
  differences: readonly Difference[],
  of: keyof Difference,
  path: string,
  printPath: (path: string) => string,
): string {
  const lines = differences.map((it) => {
    const value = printValue(it[of], navigator.language);
    return it.path === path ? value : `${printPath(it.path)}: ${value}`;
  });
  return lines.join("\n");
}

/** Shows both values of a path that the release and the current version have changed; the person picks one. */
function ConflictBox({
  of: key,
  conflict,
  isDisabled,
  onPick,
}: {
  of: string;
  conflict: ItemConflict;
  isDisabled: boolean;
  onPick: (side: Side, text: string) => void;
}) {
  const printPath = usePathWords(parseKey(key).kind);
  const { path, kind, current, draft } = conflict;
  if (path === "") return <p class="violation">{WHOLE[kind] ?? kind} Take it out, or open it.</p>;
  const differences = compareValues(current, draft, path);
  const side = (title: string, of: Side, text: string) => (
    <div>
      <h3>{title}</h3>
      <p class="value">
        {printSide(differences, of === "draft" ? "preview" : of, path, printPath)}
      </p>
      <ActButton
        permission="cms.releases.update"
        disabled={isDisabled}
        onClick={() => onPick(of, text)}
      >
        Use this
      </ActButton>
    </div>
  );
  return (
    <section class="conflict" aria-label={`Conflict at ${printPath(path)}`}>
      <p class="violation">
        Both the release and the current version have changed <b title={path}>{printPath(path)}</b>.
      </p>
      <div class="sides">
        {side("In the release", "draft", "The release keeps its value.")}
        {side("Current", "current", "The release has the current value.")}
      </div>
    </section>
  );
}
