import { type DescMessage, type Message, toBinary } from "@bufbuild/protobuf";
import { cutPage, type OrderPlace } from "../../domain/base/paging.ts";
import type { ContentOrder } from "../../domain/content/order.ts";
import {
  comparePlaces,
  type ListedPage,
  type ListPlace,
  mergePartitions,
} from "../content/places.ts";
import type { DocumentPage, VisibleQuery } from "../contract/document-store.ts";

/** A list of current resources, into which the drafts of releases are merged. */
export interface CurrentList<Row extends ListPlace> {
  readonly order: Pick<ContentOrder, "direction" | "second"> & { readonly field: string };
  readonly limit: number;
  readonly after: ListPlace | undefined;
  /** Reads up to `limit` current resources after a place; `next` continues if more may follow. */
  read(limit: number, after: ListPlace | undefined): Promise<ListedPage<Row>>;
  /** Reports whether the releases hide a current resource. */
  isHidden(row: Row): boolean;
  /** True once reading must end. */
  readonly isSpent?: boolean;
}

/** The drafts that a page of a list may contain, however many are added. */
export class DraftRows<Row extends ListPlace> {
  readonly #list: CurrentList<Row>;
  #rows: Row[] = [];

  constructor(list: CurrentList<Row>) {
    this.#list = list;
  }

  add(row: Row): void {
    const { order, after, limit } = this.#list;
    if (after !== undefined && comparePlaces(order, row, after) <= 0) return;
    this.#rows.push(row);
    // One more than the page has shows that more follow.
    if (this.#rows.length > 2 * (limit + 1)) this.#rows = this.#sort().slice(0, limit + 1);
  }

  /** Returns the rows that may be on the page, in order. */
  list(): readonly Row[] {
    return this.#sort();
  }

  #sort(): Row[] {
    return this.#rows.sort((a, b) => comparePlaces(this.#list.order, a, b));
  }
}

/** The number of current resources that are first read in addition, because some are hidden. */
const SPARE = 20;

/** Lists a page of current resources that are not hidden, and of drafts, as if these were one more partition. */
export async function mergeDrafts<Row extends ListPlace>(
  list: CurrentList<Row>,
  drafts: readonly Row[],
): Promise<ListedPage<Row>> {
  const { order, limit, after } = list;
  const behind = drafts.filter(
    (row) => after === undefined || comparePlaces(order, row, after) > 0,
  );
  const countUpTo = (place: ListPlace) =>
    behind.filter((row) => comparePlaces(order, row, place) <= 0).length;
  const rows: Row[] = [];
  let end = after;
  let spare = SPARE;
  do {
    const page = await list.read(limit + 1 - rows.length + spare, end);
    rows.push(...page.rows.filter((row) => !list.isHidden(row)));
    end = page.next;
    spare *= 2;
  } while (end !== undefined && rows.length + countUpTo(end) <= limit && !list.isSpent);
  return mergePartitions([{ rows, ...(end && { end }) }, { rows: behind }], order, limit);
}

/** A list of current documents in the order of a field, into which drafts are merged. */
export interface DocumentList<T extends Message> {
  readonly schema: DescMessage;
  readonly order: string;
  readonly query: Pick<VisibleQuery, "after" | "budget" | "limit">;
  toPlace(value: T): OrderPlace;
  read(query: Pick<VisibleQuery, "after" | "limit">): Promise<DocumentPage<T>>;
  isHidden(value: T): boolean;
}

/** Lists a page of documents like {@link mergeDrafts}, as many as fit into a response. */
export async function mergeDocuments<T extends Message>(
  { schema, order, query: { limit, after, budget }, toPlace, read, isHidden }: DocumentList<T>,
  drafts: readonly T[],
): Promise<DocumentPage<T>> {
  const toRow = (value: T) => ({ ...toPlace(value), value });
  const { rows, next } = await mergeDrafts(
    {
      order: { field: order, direction: "asc" },
      limit: limit + 1,
      after,
      read: async (limit, start) => {
        const { values, next } = await read({ limit, ...(start && { after: start }) });
        return { rows: values.map(toRow), next };
      },
      isHidden: ({ value }) => isHidden(value),
      get isSpent() {
        return budget?.isOutOfTime === true;
      },
    },
    drafts.map(toRow),
  );
  const { shown, last = next } = cutPage(
    rows,
    limit,
    ({ value }) => toBinary(schema, value).length,
  );
  return {
    values: shown.map(({ value }) => value),
    ...(last && { next: { key: last.key, id: last.id } }),
  };
}
