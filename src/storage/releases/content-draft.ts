import type { DocumentOrder } from "../../domain/base/paging.ts";
import type { ContentKind, ContentOrder } from "../../domain/content/order.ts";
import { isFoundBy } from "../../domain/content/search.ts";
import { readStoredFields } from "../../domain/content/stored-fields.ts";
import { isVisible } from "../../domain/content/visibility.ts";
import { compareCodePoints, KqlDocument } from "../../domain/kql/index.ts";
import {
  type ContentMessage,
  type ContentRow,
  listWords,
  prepareRow,
} from "../content/content-rows.ts";
import { findTimeColumn, VALUE_LENGTH } from "../content/indexed-fields.ts";
import { cutKey, toLeafKey, toStoredText } from "../content/leaf-key.ts";
import type { ListedRow, SortKey } from "../content/places.ts";
import type { StoredContent, VisibilityScope } from "../contract/content-store.ts";
import { UNSET_TIME } from "../db/times.ts";

/** An item as releases leave it, in the forms that would be stored. */
export class ContentDraft {
  readonly #kind: ContentKind;
  readonly #message: ContentMessage;
  #row: ContentRow | undefined;
  #words: readonly string[] | undefined;
  #document: KqlDocument | undefined;

  constructor(kind: ContentKind, message: ContentMessage) {
    this.#kind = kind;
    this.#message = message;
  }

  /** The item for readers of content. */
  get content(): StoredContent {
    const { id, doc: json } = this.#stored;
    return { id, json };
  }

  /** The item for filters. */
  get document(): KqlDocument {
    this.#document ??= new KqlDocument(readStoredFields(this.#stored.doc));
    return this.#document;
  }

  /** Reports whether readers of a scope may see it. */
  isIn(scope: Pick<VisibilityScope, "at" | "visibilities">): boolean {
    return isVisible(this.#message, scope);
  }

  /** Reports whether a search finds it. */
  hasWords(words: readonly string[]): boolean {
    this.#words ??= listWords(JSON.parse(this.#stored.doc));
    const own = this.#words;
    return words.every((word) => isFoundBy(own, word));
  }

  /** Lists the values of some fields, each once. */
  listValues(fields: readonly string[]): readonly (readonly [field: string, value: string])[] {
    return fields.flatMap((field) => {
      const leaves = this.document.leaves.filter(
        ({ path, value }) => path === field && toLeafKey(value).length < VALUE_LENGTH,
      );
      const values = new Set(leaves.map(({ value }) => String(value)));
      return Array.from(values, (value) => [field, value] as const);
    });
  }

  /** Returns its row in a list. */
  toRow(order: ContentOrder): ListedRow {
    const { id, doc } = this.#stored;
    const second = order.second && { second: this.#keyOf(order.second) };
    return { key: this.#keyOf(order), ...second, id, doc, bytes: Buffer.byteLength(doc) };
  }

  /** Returns its sort key: of several values, the first in the direction counts. */
  #keyOf({ field, direction }: DocumentOrder): SortKey {
    if (field === "id") return null;
    const { sortTime, createTime, updateTime } = this.#stored;
    const column = findTimeColumn(field);
    if (column !== undefined) {
      const time = { sort_time: sortTime, create_time: createTime, update_time: updateTime }[
        column
      ];
      return time === UNSET_TIME ? null : time;
    }
    const path = toStoredText(field);
    const keys = this.document.leaves
      .filter((leaf) => toStoredText(leaf.path) === path)
      .map(({ value }) => cutKey(toLeafKey(value)));
    return keys.sort(compareCodePoints).at(direction === "asc" ? 0 : -1) ?? null;
  }

  /** Its row. Its index entries are made when a list asks for one: they cost more than all else. */
  get #stored(): ContentRow {
    this.#row ??= prepareRow({ kind: this.#kind, message: this.#message, line: 0 });
    return this.#row;
  }
}
