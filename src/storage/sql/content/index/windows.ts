import { isWithin, type Period } from "../../../../domain/base/time.ts";
import type { WorkBudget } from "../../../../domain/base/work-budget.ts";
import { WINDOW_PATHS } from "../../../../domain/content/window.ts";
import type { Instant } from "../../../../domain/kql/index.ts";
import { toMillis } from "../../../../domain/kql/instant.ts";
import { type LeafKey, toLeafKey } from "../../../content/leaf-key.ts";
import type { VisibilityScope } from "../../../contract/content-store.ts";
import type { Db } from "../../../db/db.ts";
import { type Condition, join, sql } from "../../../db/sql-text.ts";
import { type Collection, NAME_START } from "./collections.ts";

/** The windows of a collection until the next boundary. */
interface Windows extends Period {
  readonly scope: string;
  /** True if items have windows. */
  readonly exist: boolean;
}

/** The windows of cached collections, each of one revision. */
const KNOWN = new WeakMap<Collection, Windows>();

/**
 * Returns the conditions of open windows on rows of `content` and `content_value`, named `source`. There are none if the
 * collection has no windows, or if the reader is not bound by them. Limits the read to the next start or end of a window,
 * among items with the visibilities.
 */
export async function findOpen(
  collection: Collection,
  { at, visibilities }: Pick<VisibilityScope, "at" | "visibilities">,
  { db, budget }: { readonly db: Db; readonly budget: WorkBudget },
): Promise<readonly Condition[]> {
  if (at === undefined) return [];
  const scope = visibilities.join();
  const now = at.time.getTime();
  let windows = KNOWN.get(collection);
  if (windows?.scope !== scope || !isWithin(windows, now)) {
    const rows = await db.all(selectBoundaries(collection, visibilities, toKey(at.time)), budget);
    const times = rows.flatMap(({ next }) => next?.slice(1) ?? []);
    const until = Math.min(...times.map((time) => toMillis(time as Instant)));
    windows = { scope, exist: rows.length > 0, from: now, until };
    KNOWN.set(collection, windows);
  }
  if (windows.until < Infinity) at.limitUntil(windows.until);
  if (!windows.exist) return [];
  const key = toKey(at.time);
  return [sql`source.open_from <= ${key}`, sql`source.open_until > ${key}`];
}

function toKey(time: Date): LeafKey {
  return toLeafKey(time.toISOString());
}

/** Selects the next start and the next end in each visibility, with one seek each; no rows without windows. */
function selectBoundaries(
  { collection }: Collection,
  visibilities: VisibilityScope["visibilities"],
  now: LeafKey,
) {
  const selects = WINDOW_PATHS.flatMap((name) =>
    visibilities.map(
      (visibility) => sql`
        select (
          select value from content_value
          where path = content_path.path and visibility = ${visibility} and value > ${now}
          order by value limit 1
        ) as next
        from content_path
        where collection = ${collection} and name = ${name} and ${NAME_START} = ${name}
      `,
    ),
  );
  return sql<{ readonly next: string | null }>`${join(selects, " union all ")}`;
}
