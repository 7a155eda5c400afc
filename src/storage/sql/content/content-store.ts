import { notFound } from "../../../domain/base/errors.ts";
import type { ContentKind } from "../../../domain/content/order.ts";
import { isOpen, readStoredWindow } from "../../../domain/content/window.ts";
import { parsePlace, printPlace } from "../../content/places.ts";
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
} from "../../contract/content-store.ts";
import { build, prepare, prepareByKey, type SlotOf } from "../../db/query.ts";
import type { Connections } from "../base/connections.ts";
import { createListBudget } from "../base/list-budget.ts";
import type { Collection } from "./index/collections.ts";
import { findOpen } from "./index/windows.ts";
import { type ListSource, listItems } from "./plan/list-items.ts";
import { tallyItems } from "./plan/tally-items.ts";

/** Reads one kind of content. */
export class ContentReads implements ContentStore {
  readonly #connections: Pick<Connections, "collections" | "dialect" | "read">;
  readonly #kind: ContentKind;

  constructor(
    connections: Pick<Connections, "collections" | "dialect" | "read">,
    kind: ContentKind,
  ) {
    this.#connections = connections;
    this.#kind = kind;
  }

  async get({ id, ...scope }: VisibilityScope & { readonly id: string }): Promise<StoredContent> {
    const [item] = await this.getMany({ ...scope, ids: [id] });
    if (item === undefined) throw notFound(this.#kind, id);
    return item;
  }

  /** Reads items and tests visibility at the end: in the index it would cost a seek for each. */
  async getMany({
    projectId,
    visibilities,
    at,
    ids,
    budget = createListBudget(),
  }: ContentIds): Promise<readonly StoredContent[]> {
    const found = ids.length === 0 ? undefined : await this.#findCollection(projectId);
    if (found === undefined) return [];
    const { organizationId, collection } = found;
    const query = SELECT_ITEMS(ids.length, {
      organizationId,
      collection,
      kind: this.#kind,
      ...Object.fromEntries(ids.map((id, index) => [`id${index}`, id])),
    });
    const rows = await this.#connections.read.all(query, budget);
    return rows
      .filter((row) => visibilities.some((visibility) => visibility === row.visibility))
      .filter(({ doc }) => at === undefined || isOpen(readStoredWindow(doc), at))
      .map(({ id, doc }) => ({ id, json: doc }));
  }

  async list(query: ContentQuery): Promise<ContentPage> {
    const source = await this.#findSource(query);
    if (source === undefined) return { entries: [], next: undefined };
    const { budget } = source;
    const { after, order } = query;
    const start = after && parsePlace(order, after);
    const { rows, next } = await listItems(query, start, source);
    const entries: ContentEntry[] = [];
    for (const row of rows) {
      const last = entries.at(-1);
      const fits = budget.takeBytes(row.bytes);
      if (!fits && last !== undefined) return { entries, next: last.place };
      entries.push({ item: { id: row.id, json: row.doc }, place: printPlace(order, row) });
    }
    return { entries, next: next && printPlace(order, next) };
  }

  async tally(query: TallyQuery): Promise<Tally> {
    const source = await this.#findSource(query);
    if (source !== undefined) return tallyItems(query, source);
    const values = new Map(query.fields.map((field) => [field, new Map()]));
    return { total: 0, isLowerBound: false, values, areValuesLowerBounds: false };
  }

  /** Finds the collection that a list reads; undefined without items. */
  async #findSource({
    budget = createListBudget(),
    ...scope
  }: VisibilityScope & Pick<ContentQuery, "budget">): Promise<ListSource | undefined> {
    const found = await this.#findCollection(scope.projectId);
    if (found === undefined) return undefined;
    const { read: db, dialect } = this.#connections;
    const { collection, most_values: values, most_characters: characters } = found;
    const largest = { values, characters };
    const open = await findOpen(found, scope, { db, budget });
    return { db, dialect, kind: this.#kind, collection, open, largest, budget };
  }

  #findCollection(projectId: string): Promise<Collection | undefined> {
    const { collections, read } = this.#connections;
    const select = async () => {
      const [row] = await read.all(SELECT_COLLECTION({ projectId, kind: this.#kind }));
      return row;
    };
    return collections === undefined
      ? select()
      : collections.find(`${this.#kind} ${projectId}`, select);
  }
}

/** Selects the collection of a kind in a project. */
const SELECT_COLLECTION = prepare(
  (slot: SlotOf<{ readonly projectId: string; readonly kind: ContentKind }>) =>
    build
      .selectFrom("content_collection")
      .innerJoin("project", "project.id", "content_collection.project_id")
      .select(["project_id as projectId", "change_count as revision"])
      .select(["organization_id as organizationId", "collection"])
      .select(["most_values", "most_characters"])
      .where("project_id", "=", slot("projectId"))
      .where("kind", "=", slot("kind")),
);

interface ItemValues {
  readonly organizationId: string;
  readonly collection: number;
  readonly kind: ContentKind;
  readonly [id: `id${number}`]: string;
}

/** Selects items by organization, kind and several ids, with one seek in an index for each. */
const SELECT_ITEMS = prepareByKey((slot: SlotOf<ItemValues>, count: number) =>
  build
    .selectFrom("content")
    .select(["id", "doc", "visibility"])
    .where("organization_id", "=", slot("organizationId"))
    .where("kind", "=", slot("kind"))
    .where(
      "id",
      "in",
      Array.from({ length: count }, (_, index) => slot(`id${index}`)),
    )
    .where("collection", "=", slot("collection")),
);
