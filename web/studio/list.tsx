import type { JsonObject } from "@bufbuild/protobuf";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { ActButton } from "./acts.tsx";
import { useApp } from "./app.ts";
import { Bulk } from "./bulk.tsx";
import { printFact } from "./form/form.tsx";
import { type Kind, permissionOf, titleOf } from "./kinds.ts";
import { type ListQuery, listItems } from "./list-items.ts";
import { useLoad, useReloadOnFocus } from "./load.tsx";
import { Thumbnail, VisibilityMark } from "./marks.tsx";
import { Pager, usePages } from "./pager.tsx";
import { schemaOf, useAccess } from "./resource.ts";
import { changeChoices, linkTo } from "./router.ts";
import { type Field, listFields } from "./schema.ts";
import { Empty } from "./states.tsx";
import { onSubmit } from "./submit.ts";
import { useTitles } from "./titles.ts";

const NONE: ReadonlySet<string> = new Set();

/** A list of resources, with a search and a filter. */
export function ListView({ kind }: { kind: Kind }) {
  const { document, route, permissions } = useApp();
  const access = useAccess(kind);
  const { methods, release } = access;
  const { filter = "", q = "" } = route.query;
  const pages = usePages();
  const pageToken = pages.token;
  useEffect(() => pages.show([""]), [filter, q, release]);
  const form = useRef<HTMLFormElement>(null);
  // Another link changes the search, too. Before the person can type: a later reset would empty the inputs.
  useLayoutEffect(() => form.current?.reset(), [filter, q]);
  const wanted = JSON.stringify([filter, q, release, pageToken]);
  const page = useLoad(
    async (signal) => {
      const query: ListQuery = { filter, search: q };
      return { ...(await listItems(access, { ...query, pageToken }, signal)), query, wanted };
    },
    [wanted],
  );
  useReloadOnFocus(page);
  const [chosen, setChosen] = useState(NONE);
  // Not before: until then, the items that can be chosen are the former ones.
  useEffect(() => setChosen(NONE), [page.value?.wanted]);
  const isNewest = page.value?.wanted === wanted;
  const fields = new Map(listFields(schemaOf(methods), document).map((it) => [it.name, it]));
  const createPermission = permissionOf(methods.create, release);
  const kqlError = page.error?.reason.startsWith("KQL") ? page.error : undefined;
  return (
    <>
      <div class="heading">
        <h1>{kind.words[1]}</h1>
        {!kind.isReadOnly &&
          (permissions.has(createPermission) ? (
            <a class="button main end" href={linkTo(route, kind.section, "new")}>
              New {kind.words[0]}
            </a>
          ) : (
            <ActButton permission={createPermission} class="end">
              New {kind.words[0]}
            </ActButton>
          ))}
      </div>
      <form ref={form} class="tools" onSubmit={onSubmit(changeChoices)}>
        {(fields.has("name") || fields.has("title")) && (
          <input name="q" type="search" aria-label="Search" placeholder="Search" defaultValue={q} />
        )}
        <input
          name="filter"
          class="code"
          aria-label="Filter"
          placeholder={`Filter, such as ${kind.filter}`}
          spellcheck={false}
          defaultValue={filter}
          aria-invalid={kqlError !== undefined}
        />
        <button type="submit">Apply</button>
      </form>
      {kqlError !== undefined && (
        <pre class="violation" role="alert">
          {kqlError.message}
        </pre>
      )}
      {kqlError === undefined && page.state}
      {page.state === undefined && (
        <Items
          {...{ kind, fields, chosen }}
          items={page.value.items}
          isBusy={page.isLoading}
          onChoose={setChosen}
        />
      )}
      {page.value !== undefined && (
        <Bulk
          {...{ access }}
          chosen={page.state === undefined ? chosen : NONE}
          query={page.value.query}
          onDone={page.reload}
        />
      )}
      <Pager {...{ pages }} next={(isNewest && page.value?.nextPageToken) || ""} of="the list" />
    </>
  );
}

function Items({
  kind,
  fields,
  items,
  isBusy,
  chosen,
  onChoose,
}: {
  kind: Kind;
  fields: ReadonlyMap<string, Field>;
  items: readonly JsonObject[];
  isBusy: boolean;
  chosen: ReadonlySet<string>;
  onChoose: (chosen: ReadonlySet<string>) => void;
}) {
  const { route } = useApp();
  const isShown = fields.has("visibility") && fields.has("availability");
  const columns = kind.columns.filter((it) => fields.has(it));
  const keyOf = (item: JsonObject, name: string) => {
    const [kind] = fields.get(name)?.references ?? [];
    return kind && item[name] ? `${kind}:${item[name]}` : "";
  };
  const keys = items.flatMap((it) => columns.map((name) => keyOf(it, name))).filter(Boolean);
  const titles = useTitles(keys);
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
            {isShown && (
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
            <th scope="col">{items.every((it) => titleOf(it) === it.id) ? "ID" : "Title"}</th>
            {isShown && <th scope="col">Visibility</th>}
            {columns.map((name) => (
              <th key={name} scope="col" title={name}>
                {fields.get(name)?.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={String(item.id)}>
              {isShown && (
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
                {titleOf(item) !== item.id && <small>{String(item.id)}</small>}
              </td>
              {isShown && (
                <td>
                  <VisibilityMark of={item} />
                </td>
              )}
              {columns.map((name) => (
                <td key={name}>
                  {titles.get(keyOf(item, name)) ?? printFact(fields.get(name), item[name])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
