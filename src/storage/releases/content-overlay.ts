import { notFound } from "../../domain/base/errors.ts";
import type { ContentKind } from "../../domain/content/order.ts";
import { createKqlSteps } from "../../domain/kql/index.ts";
import { type ListedRow, parsePlace, printPlace } from "../content/places.ts";
import type {
  ContentEntry,
  ContentIds,
  ContentPage,
  ContentQuery,
  ContentStore,
  StoredContent,
  Tally,
  TallyQuery,
  VisibilityScope,
} from "../contract/content-store.ts";
import type { ContentDraft } from "./content-draft.ts";
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
    const drafts = new DraftRows(list);
    for await (const content of this.#matches(drafted.values(), { ...query, budget })) {
      budget.count(() => drafts.add(content.toRow(order)));
    }
    const { rows, next } = await mergeDrafts(list, drafts.list());
    const entries: ContentEntry[] = [];
    for (const row of rows) {
      const last = entries.at(-1);
      const fits = !drafted.has(row.id) || budget.takeBytes(row.bytes);
      if (!fits && last !== undefined) return { entries, next: last.place };
      entries.push({ item: { id: row.id, json: row.doc }, place: printPlace(order, row) });
    }
    return { entries, next: next && printPlace(order, next) };
  }

  async tally(query: TallyQuery): Promise<Tally> {
    const drafted = await this.#releases.find(this.#kind);
    if (drafted.size === 0) return this.#current.tally(query);
    const { except = [], fields, most, budget = this.#releases.budget } = query;
    const hidden = [...except, ...drafted.keys()];
    const current = await this.#current.tally({ ...query, budget, except: hidden });
    const values = new Map([...current.values].map(([field, counts]) => [field, new Map(counts)]));
    let { total, isLowerBound } = current;
    const counted = [...drafted].flatMap(([id, draft]) => (except.includes(id) ? [] : [draft]));
    for await (const content of this.#matches(counted, { ...query, budget })) {
      isLowerBound ||= total === most;
      if (isLowerBound) break;
      total += 1;
      for (const [field, value] of content.listValues(fields)) {
        const counts = values.get(field);
        counts?.set(value, (counts.get(value) ?? 0) + 1);
      }
    }
    return {
      total,
      isLowerBound,
      values,
      areValuesLowerBounds: current.areValuesLowerBounds || isLowerBound,
    };
  }

  /** Yields the drafted items that a list has, in any order. */
  async *#matches(
    drafted: Iterable<DraftedResource>,
    {
      filter,
      words,
      now,
      budget,
      ...scope
    }: Pick<ContentQuery, "at" | "filter" | "now" | "visibilities" | "words"> &
      Required<Pick<ContentQuery, "budget">>,
  ): AsyncGenerator<ContentDraft> {
    const test = filter && createKqlSteps(filter, now.getTime());
    for await (const { content } of this.#releases.merge(drafted)) {
      if (!content?.isIn(scope)) continue;
      await budget.nextStep();
      if (!budget.count(() => content.hasWords(words))) continue;
      if (!test || (await budget.run(test(content.document)))) yield content;
    }
  }
}
