import type { ContentKind, ContentOrder, FieldOrder } from "../../domain/content/order.ts";
import { readStoredFields } from "../../domain/content/stored-fields.ts";
import { notFound } from "../../domain/errors.ts";
import { compareCodePoints, createFlatTest, KqlDocument } from "../../domain/kql/index.ts";
import type { RecordItem } from "../../domain/records/record.ts";
import type { PreparedItem } from "../content-import.ts";
import type {
  ContentEntry,
  ContentIds,
  ContentPage,
  ContentQuery,
  ContentStore,
  StoredContent,
  VisibilityScope,
} from "../delivery-store.ts";
import { parsePlace, printPlace } from "../sql/content/content-store.ts";
import { toStoredText } from "../sql/content/filter/leaf-key.ts";
import { findTimeColumn } from "../sql/content/indexed-fields.ts";
import { cutKey, isFoundBy, type ListedRow, type SortKey } from "../sql/content/plan/clauses.ts";
import { type ContentMessage, toContentBatch } from "../sql/content/write/content-rows.ts";
import { createListBudget } from "../sql/list-budget.ts";
import { UNSET_TIME } from "../sql/times.ts";
import { mergeDrafts } from "./merged-list.ts";
import type { ReleaseStates } from "./release-states.ts";

/** Content of one kind as releases leave it. */
export class ContentOverlay implements ContentStore {
  readonly #kind: ContentKind;
  readonly #live: ContentStore;
  readonly #releases: ReleaseStates;
  #drafts: ReadonlyMap<string, ContentDraft | undefined> | undefined;

  constructor(kind: ContentKind, live: ContentStore, releases: ReleaseStates) {
    this.#kind = kind;
    this.#live = live;
    this.#releases = releases;
  }

  async get({ id, ...scope }: VisibilityScope & { readonly id: string }): Promise<StoredContent> {
    const [item] = await this.getMany({ ...scope, ids: [id] });
    if (item === undefined) throw notFound(this.#kind, id);
    return item;
  }

  async getMany(key: ContentIds): Promise<readonly StoredContent[]> {
    const drafts = await this.#findDrafts();
    const ids = [...new Set(key.ids)];
    const live = await this.#live.getMany({ ...key, ids: ids.filter((id) => !drafts.has(id)) });
    const drafted = ids.flatMap((id) => drafts.get(id) ?? []).filter((it) => it.isIn(key));
    return [...live, ...drafted.map(({ content }) => content)];
  }

  async list(query: ContentQuery): Promise<ContentPage> {
    const drafts = await this.#findDrafts();
    if (drafts.size === 0) return this.#live.list(query);
    const { order, limit } = query;
    const budget = query.budget ?? createListBudget();
    const matches = await this.#listMatches([...drafts.values()], { ...query, budget });
    const list = {
      order,
      limit,
      after: query.after && parsePlace(order, query.after),
      read: async (limit: number, after: ListedRow | undefined) => {
        const place = after && printPlace(order, after);
        const { entries, next } = await this.#live.list({ ...query, budget, limit, after: place });
        const rows = entries.map(({ item, place }) => ({
          ...parsePlace(order, place),
          doc: item.json,
          // Reading it has counted its bytes.
          bytes: 0,
        }));
        return { rows, next: next && parsePlace(order, next) };
      },
      isHidden: ({ id }: ListedRow) => drafts.has(id),
      get isSpent() {
        return budget.isSpent;
      },
    };
    const { rows, next } = await mergeDrafts<ListedRow>(list, matches);
    const entries: ContentEntry[] = [];
    for (const row of rows) {
      const last = entries.at(-1);
      const fits = !drafts.has(row.id) || budget.takeBytes(row.bytes);
      if (!fits && last !== undefined) return { entries, next: last.place };
      entries.push({ item: { id: row.id, json: row.doc }, place: printPlace(order, row) });
    }
    return { entries, next: next && printPlace(order, next) };
  }

  /** Returns the drafts by id; undefined: the item is deleted. */
  async #findDrafts(): Promise<ReadonlyMap<string, ContentDraft | undefined>> {
    const { states } = await this.#releases.of(this.#kind);
    this.#drafts ??= new Map(Array.from(states, ([id, state]) => [id, state && openDraft(state)]));
    return this.#drafts;
  }

  /** Lists the drafts that a list contains, in any order. */
  async #listMatches(
    drafts: readonly (ContentDraft | undefined)[],
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
    const rows: ListedRow[] = [];
    for (const draft of drafts) {
      if (draft === undefined || !draft.isIn(scope)) continue;
      await budget.nextStep();
      const isMatch = budget.count(
        () => draft.hasWords(words) && (test === undefined || test(draft.document)),
      );
      if (isMatch) rows.push(draft.toRow(order));
    }
    return rows;
  }
}

/** The drafts of states, which stay when a preview is read again. */
const DRAFTS = new WeakMap<RecordItem, ContentDraft>();

function openDraft(state: RecordItem): ContentDraft {
  const known = DRAFTS.get(state);
  if (known !== undefined) return known;
  const draft = new ContentDraft(state.kind as ContentKind, state.message as ContentMessage);
  DRAFTS.set(state, draft);
  return draft;
}

/** An item as releases leave it, in the forms that would be stored. */
class ContentDraft {
  readonly #kind: ContentKind;
  readonly #message: ContentMessage;
  #item: PreparedItem | undefined;
  #document: KqlDocument | undefined;

  constructor(kind: ContentKind, message: ContentMessage) {
    this.#kind = kind;
    this.#message = message;
  }

  /** The item for readers of content. */
  get content(): StoredContent {
    const { id, doc: json } = this.#prepared;
    return { id, json };
  }

  /** The item for filters. */
  get document(): KqlDocument {
    this.#document ??= new KqlDocument(readStoredFields(this.#prepared.doc));
    return this.#document;
  }

  /** Reports whether readers of a scope may see it. */
  isIn({ visibilities }: Pick<VisibilityScope, "visibilities">): boolean {
    return visibilities.includes(this.#message.visibility);
  }

  /** Reports whether a search finds it. */
  hasWords(words: readonly string[]): boolean {
    return words.every((word) => isFoundBy(this.#prepared.words, word));
  }

  /** Returns its row in a list. */
  toRow(order: ContentOrder): ListedRow {
    const { id, doc } = this.#prepared;
    const second = order.second && { second: this.#keyOf(order.second) };
    return { key: this.#keyOf(order), ...second, id, doc, bytes: Buffer.byteLength(doc) };
  }

  /** Returns its sort key: of several values, the first in the direction counts. */
  #keyOf({ field, direction }: FieldOrder): SortKey {
    if (field === "id") return null;
    const { sortTime, createTime, updateTime, leaves } = this.#prepared;
    const column = findTimeColumn(field);
    if (column !== undefined) {
      const time = { sort_time: sortTime, create_time: createTime, update_time: updateTime }[
        column
      ];
      return time === UNSET_TIME ? null : time;
    }
    const path = toStoredText(field);
    const keys = leaves.filter((leaf) => leaf.path === path).map(({ key }) => cutKey(key));
    return keys.sort(compareCodePoints).at(direction === "asc" ? 0 : -1) ?? null;
  }

  get #prepared(): PreparedItem {
    if (this.#item === undefined) {
      const content = { kind: this.#kind, message: this.#message, line: 0 };
      [this.#item] = toContentBatch([content]).items;
    }
    return this.#item as PreparedItem;
  }
}
