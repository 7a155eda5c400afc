import type { JsonObject } from "@bufbuild/protobuf";
import { type Call, call, preview } from "./api.ts";
import { toSnake } from "./drawing/text.ts";
import { type Access, pathOf } from "./resource.ts";

/** The items of a page of a list. */
const PAGE_SIZE = 50;

/** A page of a list. */
export interface ListedPage<T = JsonObject> {
  readonly items: readonly T[];
  readonly nextPageToken: string;
}

/** The arguments of a list. */
export interface ListQuery {
  /** KQL. */
  readonly filter?: string;
  /** Words: of kinds whose items have pictures anywhere, of others in their names. */
  readonly search?: string;
  /** Such as `update_time desc`. */
  readonly order?: string;
  readonly pageToken?: string;
  readonly pageSize?: number;
}

/**
 * Lists resources of a kind. Kinds of the Delivery API are read as previews of it, because these search and show drafts;
 * the others by the Studio API. Pages and offers have no filter in the Delivery API: a filter finds their current versions.
 */
export async function listItems(
  { kind, methods, projectId, release }: Access,
  { filter = "", search = "", order = "", pageToken = "", pageSize = PAGE_SIZE }: ListQuery,
  signal?: AbortSignal,
): Promise<ListedPage> {
  if (kind.delivered !== undefined && (kind.hasPictures || filter + search === "")) {
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
  const query = { project_id: projectId, page_size: pageSize, page_token: pageToken };
  const title = `title.${navigator.language.replace(/-.*/, "")}`;
  const byName = search && filterByText(search, ["name", "slug", "title.en", title]);
  const both = filter && byName ? `(${filter}) and (${byName})` : filter || byName;
  return readPage(pathOf(methods.list), { ...query, filter: both, order }, signal);
}

/** Writes a filter for the beginning of an id, and for words in fields or, with an `any` of "", for how these begin. */
export function filterByText(text: string, fields: readonly string[], any = "*"): string {
  const words = (any === "" ? [text] : text.trim().split(/\s+/)).map(escapeKql);
  const values = words.map((it) => {
    const capitalized = it.charAt(0).toUpperCase() + it.slice(1);
    return `(${any}${it}* or ${any}${capitalized}*)`;
  });
  const byId = /\s/.test(text) ? [] : [`id: ${escapeKql(text)}*`];
  return [...byId, ...fields.map((it) => `${it}: (${values.join(" and ")})`)].join(" or ");
}

/** Escapes what has a meaning in a value of KQL without quotes. */
function escapeKql(text: string): string {
  return text.replace(/[\\():<>"*{}]/g, "\\$&").replace(/\b(and|or|not)\b/gi, "\\$1");
}

/** Reads a page of a list of the Studio API. */
export async function readPage<T = JsonObject>(
  path: string,
  query: NonNullable<Call["query"]>,
  signal?: AbortSignal,
): Promise<ListedPage<T>> {
  const { body } = await call({ path, query, signal });
  const items = itemsOf(body) as readonly T[];
  return { items, nextPageToken: String(body.next_page_token ?? "") };
}

function itemsOf(body: JsonObject): readonly JsonObject[] {
  return (Object.values(body).find(Array.isArray) ?? []) as JsonObject[];
}

/** Writes the names of the root as the Studio API does, such as `start_time`. */
function toSnakeNames(item: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [toSnake(name), value]));
}
