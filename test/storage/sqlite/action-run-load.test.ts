import Database from "better-sqlite3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RunSlots } from "../../../src/domain/actions/run-slots.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { migrate } from "../../../src/storage/sqlite/migrate.ts";
import { expectWithin, MACHINE } from "../../harness/turns.ts";
import { createStoreOver } from "./one-connection.ts";

const NOW = new Date(1_000_000);
const RUNS = 100_000;

let store: Store;
beforeAll(() => {
  const database = new Database(":memory:");
  migrate(database);
  const organizations = ["hostile", "many", "victim"].map((id) => `('${id}', 0, 0, 1, x'')`);
  database.exec(`
    INSERT INTO organization (id, create_time, update_time, revision, doc)
      VALUES ${organizations.join(", ")};
    INSERT INTO project (id, organization_id, create_time, update_time, revision, doc)
      VALUES ('hostile', 'hostile', 0, 0, 1, x''), ('victim', 'victim', 0, 0, 1, x'');
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
    INSERT INTO project (id, organization_id, create_time, update_time, revision, doc)
      SELECT 'many-' || i, 'many', 0, 0, 1, x'' FROM n;
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${RUNS})
    INSERT INTO action_run (id, project_id, create_time, update_time, revision, doc, annotation_id,
      action_id, state, due_time, lease, first_attempt_time, payload)
      SELECT 'run-' || i, 'hostile', 0, 0, 1, x'', 'a', 'hook', 1, i, '', 0, '{}' FROM n
      UNION ALL
      SELECT 'many-' || i, 'many-' || i, 0, 0, 1, x'', 'a', 'hook-' || i, 1, i, '', 0, '{}' FROM n
        WHERE i <= 5000
      UNION ALL
      SELECT 'victim', 'victim', 0, 0, 1, x'', 'a', 'hook-v', 1, 999999, '', 0, '{}';
    INSERT INTO run_turn
      SELECT organization_id, project_id, action_id, min(due_time)
      FROM action_run JOIN project ON project.id = project_id GROUP BY project_id, action_id;
    INSERT INTO run_turn
      SELECT organization_id, '', '', min(turn) FROM run_turn GROUP BY organization_id;
  `);
  store = createStoreOver(database);
});
afterAll(() => store.close());

test(`${RUNS} due runs of one project and 5000 projects of another tenant: a claim is short and fair`, async () => {
  const slots = new RunSlots();
  const times: number[] = [];
  const projects: string[] = [];
  for (let n = 0; n < 6; n += 1) {
    const claim = { lease: `l-${n}`, now: NOW, leaseEnd: new Date(NOW.getTime() + 60_000) };
    const start = performance.now();
    const { runs } = await store.actionRuns.take({ ...claim, slots, limit: 16 });
    times.push(performance.now() - start);
    for (const { holder } of runs) slots.take(holder);
    projects.push(...runs.map(({ holder }) => holder.organizationId));
  }
  // The run of the victim is due last of all.
  expect(projects.indexOf("victim")).toBeLessThan(3);
  // What the limits leave: a project, an organization, and the victim's run.
  const countOf = (id: string) => projects.filter((it) => it === id).length;
  expect([countOf("hostile"), countOf("many"), countOf("victim")]).toEqual([24, 48, 1]);
  expectWithin(Math.min(...times), 15 * MACHINE);
});
