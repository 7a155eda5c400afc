import { toStoredText } from "../../../content/leaf-key.ts";
import type { Changes } from "../../../contract/store.ts";
import { raw, type SqlText, sql } from "../../../db/sql-text.ts";
import { LookupMemo, type OfRevision } from "./lookup-memo.ts";

/** The content of one kind in a project. */
export interface Collection extends OfRevision {
  readonly organizationId: string;
  readonly collection: number;
  /** Maximum numbers of scalars and characters that an item has or had. */
  readonly most_values: number;
  readonly most_characters: number;
}

/** Maximum number of cached collections. */
const MOST_COLLECTIONS = 30_000;

/** Creates a cache of collections, by kind and project. */
export function createCollections(changes: Pick<Changes, "knownRevision">): LookupMemo<Collection> {
  return new LookupMemo(changes, MOST_COLLECTIONS);
}

/** The length of the start of a name in its index, in characters: in PostgreSQL, an entry takes up to 2,704 bytes. */
const INDEXED = 512;

/** Selects the start of a path's name, which has an index. */
export const NAME_START: SqlText<string> = raw(`substr(name, 1, ${INDEXED})`);

const START = new RegExp(`^.{0,${INDEXED}}`, "su");

/** Returns the start of a name as {@link NAME_START} selects it, without splitting a character. */
export function toNameStart(name: string): string {
  return name.length <= INDEXED ? name : (START.exec(name)?.[0] ?? "");
}

/** Selects the number of a path in a collection; null, which equals nothing, if the collection has no such path. */
export function selectPath(path: string, collection: number): SqlText {
  const name = toStoredText(path);
  return sql`(select path from content_path where collection = ${collection} and name = ${name} and ${NAME_START} = ${toNameStart(name)})`;
}
