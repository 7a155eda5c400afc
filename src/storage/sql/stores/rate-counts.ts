import { sql } from "kysely";
import type { RateCountStore } from "../../contract/store.ts";
import { build } from "../../db/query.ts";
import { ConnectedStore } from "../base/connections.ts";
import { deleteSome } from "../base/delete-some.ts";
import { retryConflicts } from "../base/in-transaction.ts";

/** Maximum number of rows of one statement. */
const CHUNK = 500;

/** The number of counts of earlier minutes that an addition may delete in any case. */
const SWEPT = 1_000;

/** The requests that all processes counted, by key. */
export class SqlRateCountStore extends ConnectedStore implements RateCountStore {
  add(minute: number, counts: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, number>> {
    const { dialect, leases } = this.connections;
    return retryConflicts(dialect, () =>
      leases.transaction(async (tx) => {
        const earlier = deleteSome({
          table: "rate_count",
          key: ["minute", "key"],
          condition: sql`minute < ${minute}`,
          orderedBy: "minute",
          limit: Math.max(SWEPT, 2 * counts.size),
          end: dialect.skipLocked,
        });
        await tx.run(earlier);
        // Always in the same order, so that concurrent transactions do not wait for each other's rows in a circle.
        const rows = [...counts.keys()]
          .sort()
          .map((key) => ({ minute, key, count: counts.get(key) ?? 0 }));
        const totals = new Map<string, number>();
        for (let from = 0; from < rows.length; from += CHUNK) {
          const stored = await tx.all(
            build
              .insertInto("rate_count")
              .values(rows.slice(from, from + CHUNK))
              .onConflict((it) =>
                it.columns(["minute", "key"]).doUpdateSet((eb) => ({
                  count: eb("rate_count.count", "+", eb.ref("excluded.count")),
                })),
              )
              .returning(["key", "count"]),
          );
          for (const { key, count } of stored) totals.set(key, count);
        }
        return totals;
      }),
    );
  }
}
