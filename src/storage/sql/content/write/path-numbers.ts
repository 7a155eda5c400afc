import type { ContentKind } from "../../../../domain/content/order.ts";
import { isIndexed } from "../../../content/indexed-fields.ts";
import type { Tx } from "../../../db/db.ts";
import { build } from "../../../db/query.ts";
import { sql } from "../../../db/sql-text.ts";
import type { Dialect } from "../../base/dialect.ts";
import { NAME_START, toNameStart } from "../index/collections.ts";

/** The paths that one statement creates, and the starts of names that one statement reads. */
const CHUNK = 500;

/** The numbers of a collection's paths. Because there may be very many, only those in use are read. */
export class PathNumbers {
  readonly #tx: Tx;
  readonly #dialect: Dialect;
  readonly #projectId: string;
  readonly #kind: ContentKind;
  readonly #numbers = new Map<string, number>();
  readonly #asked = new Set<string>();

  constructor(tx: Tx, dialect: Dialect, projectId: string, kind: ContentKind) {
    this.#tx = tx;
    this.#dialect = dialect;
    this.#projectId = projectId;
    this.#kind = kind;
  }

  /** Reads the numbers of paths that were not read before. */
  async read(names: readonly string[]): Promise<void> {
    const fresh = names.filter((name) => !this.#asked.has(name));
    const byStart = [...Map.groupBy(fresh, toNameStart)];
    for (let from = 0; from < byStart.length; from += CHUNK) {
      const chunk = byStart.slice(from, from + CHUNK);
      const starts = chunk.map(([start]) => start);
      const names = chunk.flatMap(([, own]) => own);
      const rows = await this.#tx.all(
        build
          .selectFrom("content_path")
          .select(["path", "name"])
          // Its number may still be unknown.
          .where("collection", "=", (eb) =>
            eb
              .selectFrom("content_collection as own")
              .select("own.collection")
              .where("own.project_id", "=", this.#projectId)
              .where("own.kind", "=", this.#kind),
          )
          .where(NAME_START, "in", starts)
          .where(this.#dialect.isListed(sql`name`, names)),
      );
      for (const { name, path } of rows) this.#numbers.set(name, path);
    }
    for (const name of fresh) this.#asked.add(name);
  }

  /** Creates the missing numbers of paths that were read. */
  async create(collection: number, names: readonly string[]): Promise<void> {
    const fresh = names.filter((name) => !this.#numbers.has(name));
    for (let from = 0; from < fresh.length; from += CHUNK) {
      const rows = await this.#tx.all(
        build
          .insertInto("content_path")
          .values(fresh.slice(from, from + CHUNK).map((name) => ({ collection, name })))
          // After the last number PostgreSQL begins again, and may find one that is in use.
          .onConflict((it) => it.column("path").doNothing())
          .returning(["path", "name"]),
      );
      for (const { name, path } of rows) this.#numbers.set(name, path);
    }
    if (fresh.some((name) => !this.#numbers.has(name))) await this.create(collection, fresh);
  }

  /** Returns the number of a path that exists. */
  get(name: string): number {
    const number = this.#numbers.get(name);
    if (number === undefined) throw new Error("the path has no number");
    return number;
  }

  /** Lists the known numbers of paths that have no posting lists. */
  listUnindexed(): readonly number[] {
    return [...this.#numbers].flatMap(([name, path]) => (isIndexed(name) ? [] : [path]));
  }
}
