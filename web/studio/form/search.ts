import { type Kind, titleOf } from "../kinds.ts";
import { filterByText, type ListQuery, listItems } from "../list-items.ts";
import type { Access } from "../resource.ts";

/** A resource that a search has found. */
export interface Hit {
  readonly id: string;
  readonly title: string;
  /** The URL of its picture; empty: none. */
  readonly picture: string;
  /** Undefined: the id was typed, and names nothing yet. */
  readonly kind: Kind | undefined;
}

/** The hits that are shown. */
const HITS = 10;

/** The hits that are ranked: the Delivery API searches all texts, and lists its hits by id. */
const RANKED = 50;

/** The ids of a request: a filter has at most 8 KiB, and a list 100 items. */
const AT_ONCE = 100;

/** Finds resources of a kind by words and by the beginning of their id or title, by at most two requests. */
export async function searchKind(
  access: Access,
  text: string,
  signal: AbortSignal,
): Promise<readonly Hit[]> {
  const { kind } = access;
  const list = (query: ListQuery) => listHits(access, { pageSize: HITS, ...query }, signal);
  if (text === "") return list({});
  if (kind.delivered === undefined || !kind.hasPictures) return list({ search: text });
  const lists = await Promise.all([
    list({ filter: filterByText(text, ["title.en"], "") }),
    list({ search: text, pageSize: RANKED }),
  ]);
  return rank(lists.flat(), text).slice(0, HITS);
}

/** Finds resources by their ids, by one request for each kind and 100 ids. */
export async function findByIds(
  kinds: readonly Access[],
  ids: readonly string[],
  signal: AbortSignal,
): Promise<readonly Hit[]> {
  const parts = Object.values(Object.groupBy(ids, (_, index) => Math.floor(index / AT_ONCE)));
  const filters = parts.map(
    (it = []) => `id: (${it.map((id) => JSON.stringify(id)).join(" or ")})`,
  );
  const lists = kinds.flatMap((it) =>
    filters.map((filter) => listHits(it, { filter, pageSize: AT_ONCE }, signal)),
  );
  return (await Promise.all(lists)).flat();
}

async function listHits(
  access: Access,
  query: ListQuery,
  signal: AbortSignal,
): Promise<readonly Hit[]> {
  const { kind } = access;
  const { items } = await listItems(access, query, signal);
  return items.map((it) => {
    const picture = String(it.poster_image_url ?? "");
    return { id: String(it.id), title: titleOf(it), picture, kind };
  });
}

/** Sorts hits by how their title matches, each once. */
function rank(hits: readonly Hit[], text: string): readonly Hit[] {
  const distinct = [...new Map(hits.map((it) => [it.id, it])).values()];
  const start = text.toLowerCase();
  const rankOf = ({ title }: Hit) => {
    const at = title.toLowerCase().indexOf(start);
    return at < 0 ? 2 : Math.min(at, 1);
  };
  return distinct.toSorted((a, b) => rankOf(a) - rankOf(b));
}
