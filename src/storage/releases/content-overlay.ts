import { notFound } from "../../domain/base/errors.ts";
import type { ContentKind } from "../../domain/content/order.ts";
import { createFlatTest } from "../../domain/kql/index.ts";
import type {
  ContentEntry,
  ContentIds,
  ContentPage,
  ContentQuery,
  ContentStore,
  StoredContent,
  VisibilityScope,
} from "../contract/content-store.ts";
import { parsePlace, printPlace } from "../sql/content/content-store.ts";
import type { ListedRow } from "../sql/content/plan/clauses.ts";
import { type CurrentList, DraftRows, mergeDrafts } from "./merged-list.ts";
import type { DraftedResource, ReleaseStates } from "./release-states.ts";

/** Content of one kind as releases leave it. */
export class ContentOverlay implements ContentStore {
  readonly #kind: ContentKind;
  readonly #current: ContentStore;
  readonly #releases: ReleaseStates;

  constructor(kind: ContentKind, current: ContentStore, releases: ReleaseStates) {
    this.#kind = kind;
    this.#current = current;
    this.#releases = releases;
  }

  async get({ id, ...scope }: VisibilityScope & { readonly id: string }): Promise<StoredContent> {
    const [item] = await this.getMany({ ...scope, ids: [id] });
    if (item === undefined) throw notFound(this.#kind, id);
    return item;
  }

  async getMany(key: ContentIds): Promise<readonly StoredContent[]> {
    const ids = [...new Set(key.ids)];
    const drafted = await this.#releases.find(this.#kind, ids);
    const current = await this.#current.getMany({
      ...key,
      ids: ids.filter((id) => !drafted.has(id)),
    });
    const { budget } = this.#releases;
    const items = [...current];
    for await (const { content } of this.#releases.merge(drafted.values())) {
      if (content?.isIn(key)) items.push(budget.count(() => content.content));
    }
    return items;
  }

  async list(query: ContentQuery): Promise<ContentPage> {
    const drafted = await this.#releases.find(this.#kind);
    if (drafted.size === 0) return this.#current.list(query);
    const { order, limit } = query;
    const { budget = this.#releases.budget } = query;
    const list: CurrentList<ListedRow> = {
      order,
      limit,
      after: query.after && parsePlace(order, query.after),
      read: async (limit: number, after: ListedRow | undefined) => {
        const place = after && printPlace(order, after);
        const { entries, next } = await this.#current.list({
          ...query,
          budget,
          limit,
          after: place,
        });
        const rows = entries.map(({ item, place }) => ({
          ...parsePlace(order, place),
          doc: item.json,
          // Reading it has counted its bytes.
          bytes: 0,
        }));
        return { rows, next: next && parsePlace(order, next) };
      },
      isHidden: ({ id }: ListedRow) => drafted.has(id),
      get isSpent() {
        return budget.isSpent;
      },
    };
    const matches = await this.#listMatches(list, drafted.values(), { ...query, budget });
    const { rows, next } = await mergeDrafts(list, matches);
    const entries: ContentEntry[] = [];
    for (const row of rows) {
      const last = entries.at(-1);
      const fits = !drafted.has(row.id) || budget.takeBytes(row.bytes);
      if (!fits && last !== undefined) return { entries, next: last.place };
      entries.push({ item: { id: row.id, json: row.doc }, place: printPlace(order, row) });
    }
    return { entries, next: next && printPlace(order, next) };
  }

  /** Lists the drafts that a page of a list may contain, in any order. */
  async #listMatches(
    list: CurrentList<ListedRow>,
    drafted: Iterable<DraftedResource>,
    {
      order,
      filter,
      words,
      now,
      budget,
      ...scope
    }: ContentQuery & Required<Pick<ContentQuery, "budget">>,
  ): Promise<readonly ListedRow[]> {
    const test = filter && createFlatTest(filter, now.getTime());
    const rows = new DraftRows(list);
    for await (const { content } of this.#releases.merge(drafted)) {
      if (!content?.isIn(scope)) continue;
      await budget.nextStep();
      budget.count(() => {
        const isMatch = content.hasWords(words) && (!test || test(content.document));
        if (isMatch) rows.add(content.toRow(order));
      });
    }
    return rows.list();
  }
}
