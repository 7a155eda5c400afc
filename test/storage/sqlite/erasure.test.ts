import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import Database from "better-sqlite3";
import { beforeEach, expect, test } from "vitest";
import { EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import {
  ActionRunSchema,
  ActionRunState,
} from "../../../gen/svc/studio/annotations/action_run/v1/action_run_pb.ts";
import { ChangeSchema } from "../../../gen/svc/studio/cms/change/v1/change_pb.ts";
import { EntrySchema } from "../../../gen/svc/studio/iam/audit/v1/entry_pb.ts";
import { SignInIntegrationSchema } from "../../../gen/svc/studio/iam/sign_in_integration/v1/sign_in_integration_service_pb.ts";
import { TransactionStatus } from "../../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { openSqliteStore } from "../../../src/storage/sqlite/open.ts";
import { loadDataset } from "../../harness/load-dataset.ts";
import { createTestFolder } from "../../harness/test-folder.ts";
import { DOCUMENT_SAMPLES, documentsOf } from "../contract/document-samples.ts";
import { createComponent, createSmallDataset } from "../small-dataset.ts";

const DOOMED = "doomed";
/** What outlives a project: who did what, how far its counter came, and that it is gone. */
const LASTING = ["audit_entry", "retired_counter", "change"];

let file: string;
beforeEach(() => {
  file = join(createTestFolder(), "marquee.db");
});

test("nothing is left in any table of a project that is deleted", async () => {
  const store = openSqliteStore(file);
  await loadDataset(store, createSmallDataset());
  const before = readTables();
  await fill(store);
  const filled = readTables();
  const untouched = [...filled.keys()].filter(
    (table) => filled.get(table)?.length === before.get(table)?.length,
  );
  expect(untouched.sort(), "every table has something of the project").toEqual(OTHERS);

  await store.in("acme").documents.project.delete(DOOMED, () => undefined);
  const after = readTables();
  for (const [table, rows] of before) {
    if (LASTING.includes(table)) continue;
    expect([table, after.get(table)]).toEqual([table, rows]);
  }
  expect(after.get("retired_counter")).toHaveLength(1);
  expect(after.get("audit_entry")).toHaveLength(1);
  await store.close();
});

/** The tables in which projects have nothing. */
const OTHERS = [
  "access_token",
  "account",
  "answered_request",
  "organization",
  "retired_counter",
  "role",
  "secret",
  "staff_sign_in",
  "viewer_token_key",
];

/** Makes a project with something of everything in it. */
async function fill(store: Store): Promise<void> {
  const { documents } = store.in("acme");
  const time = { seconds: 1n };
  const inOrganization = (type: "binding" | "project") => {
    const sample = DOCUMENT_SAMPLES.find((it) => it.kind === type);
    if (sample === undefined) throw new Error(`there is no sample of ${type}`);
    return sample;
  };
  await documents.project.create(inOrganization("project").make(DOOMED, "acme") as never);
  const roleId = "viewer";
  for (const resourceKey of [`${DOOMED}/${DOOMED}/project`, `x/${DOOMED}/page`]) {
    const init = { roleId, resourceKey };
    const binding = inOrganization("binding").make(`on ${resourceKey}`, "acme", init);
    await documents.binding.create(binding as never);
  }
  for (const sample of DOCUMENT_SAMPLES.filter(({ root }) => root === "project")) {
    const init = {
      ...{ userId: "u", offerId: "offer-1", status: TransactionStatus.CAPTURED },
      ...{ captureTime: time, typeId: "t", title: { en: "Words" }, fields: { a: [{ b: 1 }] } },
    };
    const value = sample.make(`of ${DOOMED}`, DOOMED, init);
    await documentsOf(store, sample, "acme").create(value, ...sample.extras("x"));
  }
  await store
    .in("acme")
    .pageComponents.create(
      createComponent("component", { projectId: DOOMED }),
      { pageId: `of ${DOOMED}` },
      () => undefined,
    );
  await store.signInIntegrations.put(DOOMED, () =>
    create(SignInIntegrationSchema, { projectId: DOOMED, audiences: ["web"] }),
  );
  await store.audit.add(
    create(EntrySchema, { id: "e", organizationId: "acme", projectId: DOOMED, time }),
  );
  await store.history.add({
    ...{ organizationId: "acme", revision: 1, part: 0, joinedBy: "", before: [undefined] },
    change: create(ChangeSchema, {
      id: "c",
      projectId: DOOMED,
      time,
      resources: [{ key: "page:p" }],
    }),
  });
  const event = create(EventSchema, { id: "drafted", projectId: DOOMED });
  await store.releaseItems.put({
    ...{ organizationId: "acme", releaseId: `of ${DOOMED}`, kind: "event", id: "drafted" },
    ...{ projectId: DOOMED, draft: { kind: "event", message: event, line: 0 } },
    ...{ isForced: false, accountId: "ann", updateTime: new Date(0) },
  });
  const waiting = create(ActionRunSchema, {
    ...{ id: "run", projectId: DOOMED, annotationId: "a", actionId: "b" },
    ...{ state: ActionRunState.PENDING, createTime: time, nextAttemptTime: time },
  });
  await store.actionRuns.create([{ run: waiting }]);
  const database = new Database(file);
  database.exec(`
    INSERT INTO billing_integration (project_id, revision, secret, secret_create_time)
      VALUES ('${DOOMED}', 1, 's', 0);
    INSERT INTO entitlement
      (organization_id, project_id, user_id, start_time, id, end_time, offer_id, is_granted, revision)
      VALUES ('acme', '${DOOMED}', 'u', 0, 'granted', 1, 'o', 1, 1);
  `);
  database.close();
}

/** Reads every row of every table as text, apart from counters of changes. */
function readTables(): Map<string, readonly string[]> {
  const database = new Database(file, { readonly: true });
  const tables = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .pluck()
    .all() as string[];
  const read = tables
    .filter((name) => !name.startsWith("sqlite_"))
    .map((name) => {
      const rows = database.prepare(`SELECT * FROM ${name}`).all() as Record<string, unknown>[];
      return [name, rows.map(({ change_count: _, ...row }) => JSON.stringify(row)).sort()] as const;
    });
  database.close();
  return new Map(read);
}
