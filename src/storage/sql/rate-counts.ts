import { build } from "../db/query.ts";
import type { RateCountStore } from "../rate-count-store.ts";
import type { Connections } from "./connections.ts";
import { retryConflicts } from "./in-transaction.ts";

/** The most rows of one statement. */
const CHUNK = 500;

/** Creates the store of request counts. */
export function createRateCountStore({ leases, dialect }: Connections): RateCountStore {
  return {
    add: (minute, counts) =>
      retryConflicts(dialect, () =>
        leases.transaction(async (tx) => {
          await tx.run(build.deleteFrom("rate_count").where("minute", "<", minute));
          // In one order, so that concurrent transactions do not wait for each other's rows in a circle.
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
      ),
  };
}
