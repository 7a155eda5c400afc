import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { useEffect, useState } from "preact/hooks";
import { toSnake } from "../drawing/text.ts";
import { ActButton } from "./acts.tsx";
import { call, preview } from "./api.ts";
import { useApp } from "./app.ts";
import { Bulk } from "./bulk.tsx";
import { type Kind, permissionOf, titleOf } from "./kinds.ts";
import { useLoad } from "./load.ts";
import { Pager, usePages } from "./pager.tsx";
import { useAccess } from "./resource.ts";
import { linkTo, printRoute } from "./router.ts";
import { printLabel } from "./schema.ts";
import { Empty, Failed, Loading } from "./states.tsx";
import { printTime } from "./times.ts";

/** The items of a page of a list. */
const PAGE_SIZE = 50;

/** A page of a list. */
export interface ListedPage {
  readonly items: readonly JsonObject[];
  readonly nextPageToken: string;
}

/** The arguments of a list. */
export interface ListQuery {
  readonly kind: Kind;
  readonly projectId: string;
  readonly release?: string;
  /** KQL. */
  readonly filter?: string;
  /** Words; only kinds of the Delivery API have a search. */
  readonly search?: string;
  /** Such as `update_time desc`. */
  readonly order?: string;
  readonly pageToken?: string;
  readonly pageSize?: number;
}

/**
 * Lists resources of a kind. Kinds of the Delivery API are read as previews of it, because these search and show drafts;
 * the others by the Studio API.
 */
export async function listItems(
  { kind, projectId, release = "", filter = "", search = "", ...page }: ListQuery,
  listPath: string,
  signal?: AbortSignal,
): Promise<ListedPage> {
  const { pageToken = "", pageSize = PAGE_SIZE, order = "" } = page;
  if (kind.delivered !== undefined) {
    const message = {
      ...{ pageSize, pageToken },
      ...(filter !== "" && { filter }),
      ...(search !== "" && { search }),
      ...(order !== "" && { order }),
    };
    const { body } = await preview(kind.delivered, message, { projectId, release, signal });
    return {
      items: itemsOf(body).map(toSnakeNames),
      nextPageToken: String(body.nextPageToken ?? ""),
    };
  }
  const query = {
    project_id: projectId,
    page_size: pageSize,
    page_token: pageToken,
    filter,
    order,
  };
  const { body } = await call({ path: listPath, query, signal });
  return { items: itemsOf(body), nextPageToken: String(body.next_page_token ?? "") };
}

function itemsOf(body: JsonObject): readonly JsonObject[] {
  return (Object.values(body).find(Array.isArray) ?? []) as JsonObject[];
}

/** Writes the names of the root as the Studio API does, such as `start_time`. */
function toSnakeNames(item: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [toSnake(name), value]));
}

/** A list of resources, with a search and a filter. */
export function ListView({ kind }: { kind: Kind }) {
  const { route, permissions } = useApp();
  const access = useAccess(kind);
  const { methods } = access;
  const { filter = "", q = "", release = "" } = route.query;
  const pages = usePages();
  const pageToken = pages.token;
  useEffect(() => pages.show([""]), [filter, q, release]);
  const query: ListQuery = { kind, projectId: route.projectId, release, filter, search: q };
  const page = useLoad(
    (signal) => listItems({ ...query, pageToken }, methods.list?.path ?? "", signal),
    [route.projectId, release, filter, q, pageToken],
  );
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => setChosen(new Set()), [filter, q, release, pageToken]);
  const choose = (changes: Readonly<Record<string, string>>) => {
    location.hash = printRoute({ ...route, query: { ...route.query, ...changes } });
  };
  const createPermission = permissionOf(methods.create, access.release);
  const mayCreate = permissions.has(createPermission);
  const kqlError = page.error?.reason.startsWith("KQL") ? page.error : undefined;
  return (
    <>
      <div class="heading">
        <h1>{kind.words[1]}</h1>
        {mayCreate ? (
          <a class="button main end" href={linkTo(route, kind.section, "new")}>
            New {kind.words[0]}
          </a>
        ) : (
          <ActButton permission={createPermission} look="end">
            New {kind.words[0]}
          </ActButton>
        )}
      </div>
      <form
        class="tools"
        onSubmit={(event) => {
          event.preventDefault();
          const entered = new FormData(event.currentTarget);
          choose({
            q: String(entered.get("q") ?? ""),
            filter: String(entered.get("filter") ?? ""),
          });
        }}
      >
        {kind.delivered !== undefined && kind.hasPictures && (
          <input name="q" type="search" aria-label="Search" placeholder="Search" defaultValue={q} />
        )}
        <input
          name="filter"
          class="code"
          aria-label="Filter"
          placeholder="Filter, such as content_type: match"
          spellcheck={false}
          defaultValue={filter}
          aria-invalid={kqlError !== undefined}
        />
        <button type="submit">Apply</button>
      </form>
      {kqlError !== undefined && <pre class="violation">{kqlError.message}</pre>}
      {page.error !== undefined && kqlError === undefined && (
        <Failed error={page.error} retry={page.reload} />
      )}
      {page.value === undefined && page.isLoading && <Loading />}
      {page.value !== undefined && page.error === undefined && (
        <>
          {chosen.size > 0 && <Bulk {...{ kind, chosen, query }} onDone={page.reload} />}
          <Items
            {...{ kind, chosen }}
            items={page.value.items}
            isBusy={page.isLoading}
            onChoose={setChosen}
          />
        </>
      )}
      <Pager {...{ pages }} next={page.value?.nextPageToken ?? ""} of="the list" />
    </>
  );
}

function Items({
  kind,
  items,
  isBusy,
  chosen,
  onChoose,
}: {
  kind: Kind;
  items: readonly JsonObject[];
  isBusy: boolean;
  chosen: ReadonlySet<string>;
  onChoose: (chosen: ReadonlySet<string>) => void;
}) {
  const { route } = useApp();
  const ids = items.map(({ id }) => String(id));
  const choose = (id: string, isChosen: boolean) =>
    onChoose(new Set(isChosen ? [...chosen, id] : [...chosen].filter((it) => it !== id)));
  if (items.length === 0) {
    const isFiltered = Boolean(route.query.filter || route.query.q);
    return (
      <Empty title={isFiltered ? "Nothing matches" : `No ${kind.words[1].toLowerCase()} yet`}>
        {isFiltered && <a href={linkTo(route, kind.section)}>Show all</a>}
      </Empty>
    );
  }
  return (
    <section class="scroll" tabIndex={0} aria-label={kind.words[1]}>
      <table aria-busy={isBusy || undefined}>
        <thead>
          <tr>
            {kind.isShown && (
              <th scope="col">
                <input
                  type="checkbox"
                  aria-label="Choose all of this page"
                  checked={chosen.size === ids.length}
                  onChange={({ currentTarget: { checked } }) =>
                    onChoose(new Set(checked ? ids : []))
                  }
                />
              </th>
            )}
            {kind.hasPictures && (
              <th scope="col">
                <span class="unseen">Picture</span>
              </th>
            )}
            <th scope="col">Title</th>
            {kind.isShown && <th scope="col">Visibility</th>}
            {kind.columns.map((name) => (
              <th key={name} scope="col" title={name}>
                {printLabel(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={String(item.id)}>
              {kind.isShown && (
                <td>
                  <input
                    type="checkbox"
                    aria-label={`Choose ${titleOf(item)}`}
                    checked={chosen.has(String(item.id))}
                    onChange={(event) => choose(String(item.id), event.currentTarget.checked)}
                  />
                </td>
              )}
              {kind.hasPictures && (
                <td>
                  <Thumbnail url={String(item.poster_image_url ?? "")} />
                </td>
              )}
              <td>
                <a href={linkTo(route, kind.section, String(item.id))}>{titleOf(item)}</a>
                <small>{String(item.id)}</small>
              </td>
              {kind.isShown && (
                <td>
                  <VisibilityMark value={item.visibility} />
                </td>
              )}
              {kind.columns.map((name) => (
                <td key={name}>{printCell(item[name])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** A small picture; nothing for a URL that is none. */
export function Thumbnail({ url }: { url: string }) {
  if (!/^https?:/.test(url)) return <span class="thumbnail" aria-hidden="true" />;
  return <img class="thumbnail" src={url} alt="" loading="lazy" decoding="async" />;
}

/** The visibility of a resource in a word, with a color. */
export function VisibilityMark({ value }: { value: JsonValue | undefined }) {
  const name = String(value ?? "")
    .replace("VISIBILITY_", "")
    .toLowerCase();
  if (name === "" || name === "unspecified") return <span class="mark">not published</span>;
  return <span class={`mark ${name}`}>{name}</span>;
}

function printCell(value: JsonValue | undefined): string {
  if (typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value)) return printTime(value);
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
