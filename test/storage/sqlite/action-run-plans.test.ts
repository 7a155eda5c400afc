import Database from "better-sqlite3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createRunSlots } from "../../../src/domain/actions/run-slots.ts";
import { parseKql } from "../../../src/domain/kql/index.ts";
import type { DocumentQuery } from "../../../src/storage/document-store.ts";
import { migrate } from "../../../src/storage/sqlite/migrate.ts";
import type { Store } from "../../../src/storage/store.ts";
import { createStoreOver, type RunQuery } from "./one-connection.ts";

const NOW = new Date(2_000);
const LIST: DocumentQuery = {
  ...{ parentIds: ["p"], limit: 20, now: NOW },
  order: { field: "create_time", direction: "desc" },
};

let database: Database.Database;
let store: Store;
let queries: RunQuery[] = [];
beforeAll(() => {
  database = new Database(":memory:");
  migrate(database);
  database.exec(`
    INSERT INTO organization (id, create_time, update_time, revision, doc)
      VALUES ('o', 0, 0, 1, x'');
    INSERT INTO project (id, organization_id, create_time, update_time, revision, doc)
      VALUES ('p', 'o', 0, 0, 1, x'');
    INSERT INTO action_run (id, project_id, create_time, update_time, revision, doc, annotation_id,
      action_id, state, due_time, lease, first_attempt_time, payload)
    VALUES ('due', 'p', 0, 0, 1, x'', 'a', 'c', 1, 0, '', 9000000000000000000, '{}'),
      ('ended', 'p', 0, 0, 1, x'', 'a', 'c', 2, 9000000000000000000, '', 0, '{}');
    INSERT INTO action_turn VALUES
      ('action', 'p', 'c', 0), ('project', 'o', 'p', 0), ('organization', '', 'o', 0);
  `);
  store = createStoreOver(database, (query) => queries.push(query));
});
afterAll(() => store.close());

const DUE = "USING INDEX action_run_due (due_time<?)";
const CASES: readonly (readonly [string, () => Promise<unknown>, readonly string[]])[] = [
  [
    "when the next is due",
    () => store.actionRuns.nextDueTime(),
    ["USING COVERING INDEX action_turn_next (level=? AND parent_id=?)"],
  ],
  ["how many wait", () => store.actionRuns.backlog(), [DUE]],
  [
    "what is due",
    () =>
      store.actionRuns.take({
        lease: "l",
        now: NOW,
        leaseEnd: NOW,
        limit: 5,
        slots: createRunSlots(),
      }),
    [
      "USING COVERING INDEX action_turn_next (level=? AND parent_id=? AND turn<?)",
      "USING INDEX action_run_next (project_id=? AND action_id=? AND due_time<?)",
      "USING COVERING INDEX action_run_next (project_id=? AND action_id=? AND due_time<?)",
      "action USING INDEX",
      "action_run USING INDEX",
    ],
  ],
  [
    "what is given back",
    () => store.actionRuns.release("nobody"),
    ["USING INDEX action_run_by_lease (lease=?)"],
  ],
  [
    "what ended long ago",
    () => store.actionRuns.prune(new Date(1), 5),
    ["USING INDEX action_run_ended (update_time<?)"],
  ],
  [
    "the newest",
    () => store.actionRuns.list(LIST),
    ["USING INDEX action_run_by_project (project_id=?)"],
  ],
  [
    "the runs of an annotation",
    () => store.actionRuns.list({ ...LIST, filter: parseKql('annotation_id: "a"') }),
    ["USING INDEX action_run_by_annotation (project_id=? AND annotation_id=?)"],
  ],
  [
    "the runs of an action",
    () => store.actionRuns.list({ ...LIST, filter: parseKql('action_id: "c"') }),
    ["USING INDEX action_run_by_action (project_id=? AND action_id=?)"],
  ],
];

for (const [name, ask, wants] of CASES) {
  test(`${name} is found by an index, and not sorted by all`, async () => {
    queries = [];
    await ask();
    const plans = queries
      .filter(({ sql }) => /^(select|update|delete)/i.test(sql))
      .flatMap(({ sql, parameters }) =>
        database
          .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
          .all(...parameters)
          .map(({ detail }) => detail),
      );
    expect(plans.filter((it) => /^SCAN|TEMP B-TREE/.test(it))).toEqual([]);
    for (const want of wants) expect(plans.join("\n")).toContain(want);
  });
}
