import { expect } from "vitest";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { parseKql } from "../../../src/domain/kql/index.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { openDatabase } from "../../harness/database.ts";
import type { FreshStore } from "../../harness/fresh-store.ts";
import { ALPHA, BETA, createEvent, createSmallDataset } from "../small-dataset.ts";
import type { Scenario } from "./scenario.ts";

/** Tests the deletion of paths that no item has. */
export function contentPathContract(scenario: Scenario): void {
  const events = [
    createEvent("one", { fields: { kept: 1, gone: 2, description: "a" } }),
    createEvent("two", { fields: { kept: 3, lost: { a: 1, b: 2 } } }),
    createEvent("other", { projectId: BETA, fields: { gone: 4, more: 5 } }),
  ];

  for (const limit of [1, 2, 100]) {
    scenario(
      `examines ${limit} at a time, and deletes those of values that no item has any more`,
      createSmallDataset({ events }),
      async (store, { address }) => {
        const before = await listPaths(address);
        expect(before).toContain(`${ALPHA} fields.lost.a`);
        const { event } = store.in("acme").documents;
        await event.update("one", ({ value }) => ({ ...value, fields: { kept: 1 } }));
        await event.delete("two", () => {});
        await event.update("other", ({ value }) => ({ ...value, fields: { more: 5 } }));
        // The last number stays: it must not come again.
        await event.update("one", ({ value }) => ({ ...value, fields: { kept: 1, last: 1 } }));
        await event.update("one", ({ value }) => ({ ...value, fields: { kept: 1 } }));
        const gone = ["fields.gone", "fields.description", "fields.lost.a", "fields.lost.b"];
        const kept = before.filter(
          (it) => !gone.some((name) => it === `${ALPHA} ${name}`) && it !== `${BETA} fields.gone`,
        );
        await pruneAll(store, limit);
        expect(await listPaths(address)).toEqual([...kept, `${ALPHA} fields.last`]);
        await event.update("one", ({ value }) => ({ ...value, fields: { kept: 1, gone: 2 } }));
        await pruneAll(store, limit);
        for (const [filter, ids] of [
          ["fields.gone: 2", ["one"]],
          ["fields.kept: *", ["one"]],
          ["fields.lost: *", []],
        ] as const) {
          expect(await listIds(store, filter)).toEqual(ids);
        }
      },
    );
  }
}

async function pruneAll({ contentPaths }: Store, limit: number): Promise<void> {
  let place: number | undefined;
  do place = await contentPaths.prune(place, limit);
  while (place !== undefined);
}

/** Lists the paths with their projects, in the order of their numbers. */
async function listPaths(address: FreshStore["address"]): Promise<readonly string[]> {
  const db = openDatabase(address);
  const rows = await db
    .selectFrom("content_path")
    .innerJoin("content_collection as own", "own.collection", "content_path.collection")
    .select(["own.project_id", "name"])
    .where("own.kind", "=", "event")
    // Without it, the statement would read the whole table.
    .where("path", ">", 0)
    .orderBy("path")
    .execute();
  await db.destroy();
  return rows.map(({ project_id, name }) => `${project_id} ${name}`);
}

async function listIds(store: Store, filter: string): Promise<readonly string[]> {
  const { entries } = await store.events.list({
    ...{ projectId: ALPHA, visibilities: [Visibility.PUBLISHED], at: undefined, words: [] },
    ...{ filter: parseKql(filter), order: { field: "id", direction: "asc" }, limit: 9 },
    now: new Date(0),
  });
  return entries.map(({ item }) => item.id);
}
