import { create } from "@bufbuild/protobuf";
import Database from "better-sqlite3";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { EntitlementSchema } from "../../../gen/svc/cda/monetization/entitlement/v1/entitlement_pb.ts";
import { TransactionStatus } from "../../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import type { RecordItem } from "../../../src/domain/records/record.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { OPEN_FRESH, pathOf } from "../../harness/fresh-store.ts";
import { DOCUMENT_SAMPLES, documentsOf, organizationOf } from "../contract/document-samples.ts";
import { ALPHA, createComponent, createEvent, createSmallDataset } from "../small-dataset.ts";

const COUNTS = {
  organization: ["project_count", "account_count"],
  project: ["item_count", "byte_count", "key_count"],
};
/** Reads the counts of all organizations and projects. */
function readCounts(database: Database.Database) {
  return Object.entries(COUNTS).map(([table, columns]) =>
    database.prepare(`SELECT id, ${columns.join()} FROM ${table} ORDER BY id`).all(),
  );
}

const TABLES_OF_ITEMS = [
  ...["video", "action", "annotation_type", "annotation", "banner_collection", "page"],
  ...["page_component", "ruleset", "offer", "transaction_record"],
];

/** Counts the rows of a copy of a database again. */
function recount(database: Database.Database) {
  const bytes = database.serialize();
  // In memory there is no write-ahead log.
  bytes.fill(1, 18, 20);
  const copy = new Database(bytes);
  const items = TABLES_OF_ITEMS.map(
    (table) => `SELECT project_id, octet_length(doc) AS bytes FROM ${table}`,
  );
  copy.exec(`
    CREATE TEMP VIEW item AS ${items.join(" UNION ALL ")}
    UNION ALL
    SELECT project_id, octet_length(doc) FROM content JOIN content_collection USING (collection)
    UNION ALL
    SELECT project_id, 0 FROM entitlement WHERE is_granted = 1;
    UPDATE organization SET
      project_count = (SELECT count(*) FROM project WHERE project.organization_id = organization.id),
      account_count = (SELECT count(*) FROM account WHERE account.organization_id = organization.id);
    UPDATE project SET
      key_count = (SELECT count(*) FROM project_key WHERE project_key.project_id = project.id),
      item_count = (SELECT count(*) FROM item WHERE item.project_id = project.id),
      byte_count = (SELECT coalesce(sum(bytes), 0) FROM item WHERE item.project_id = project.id);
  `);
  const counts = readCounts(copy);
  copy.close();
  return counts;
}

/** Opens the small dataset, and what recounts it. */
async function openSmall() {
  const fresh = await OPEN_FRESH.sqlite(createSmallDataset());
  onTestFinished(fresh.close);
  const check = () => {
    const database = new Database(pathOf(fresh.address), { readonly: true });
    const [got, want] = [readCounts(database), recount(database)];
    database.close();
    expect(got).toEqual(want);
    return got;
  };
  return { store: fresh.store, check };
}

test("what a dataset loads is counted", async () => {
  const { check } = await openSmall();
  const [organizations, projects] = check();
  expect(organizations?.length).toBeGreaterThan(1);
  expect(projects).toContainEqual(expect.objectContaining({ id: ALPHA }));
  for (const column of COUNTS.project.slice(0, 2)) {
    const counts = projects?.map((it) => (it as Record<string, number>)[column] ?? 0) ?? [];
    expect(Math.max(...counts), column).toBeGreaterThan(10);
  }
});

/** One change of a database, of which many fail. */
interface Step {
  readonly kind: number;
  readonly id: number;
  readonly act: "create" | "update" | "delete" | "import" | "fail";
  readonly length: number;
}

const STEPS = fc.array(
  fc.record<Step>({
    kind: fc.nat(),
    id: fc.nat(2),
    act: fc.constantFrom("create", "update", "delete", "import", "fail"),
    length: fc.nat(300),
  }),
  { minLength: 20, maxLength: 120 },
);

const SAMPLES = DOCUMENT_SAMPLES.filter(({ kind }) => kind !== "binding");
const NOBODY = () => {};
const IMPORTED = new Set([
  ...["event", "entity", "creative_work", "video", "annotation", "page", "offer", "ruleset"],
  ...["banner_collection", "annotation_type", "account", "project"],
]);

async function take(store: Store, { kind, id, act, length }: Step): Promise<void> {
  const index = kind % (SAMPLES.length + 2);
  const type =
    SAMPLES[index]?.kind ?? (index === SAMPLES.length ? "page_component" : "entitlement");
  // The small dataset has one of most kinds.
  const name = id === 0 ? `${type}-1` : `id-${id}`;
  const text = "é".repeat(length);
  if (index === SAMPLES.length) return takeComponent(store, name, act, text);
  if (index === SAMPLES.length + 1) return takeEntitlement(store, name, act);
  const sample = SAMPLES[index] as (typeof SAMPLES)[number];
  const [parent] = sample.parents;
  const own = sample.kind === "organization" ? name : parent;
  const documents =
    sample.kind === "project"
      ? documentsOf(store, sample, parent)
      : documentsOf(store, sample, organizationOf(own));
  const grants = sample.kind === "transaction" && length % 2 === 0;
  const init = { [sample.label.local]: `${name} ${text}`, ...(grants && CAPTURED) };
  const value = sample.make(name, own, sample.kind === "organization" ? { name: text } : init);
  switch (act) {
    case "create":
      await documents.create(value, ...sample.extras(name));
      break;
    case "update":
      await documents.update(name, (current) => ({ ...current.value, ...init }));
      break;
    case "delete":
      await documents.delete(name, NOBODY);
      break;
    case "import": {
      if (!IMPORTED.has(sample.kind)) return;
      const items = [{ kind: sample.kind, message: value, line: 1 }] as unknown as RecordItem[];
      await store.importRecords([items]);
      break;
    }
    case "fail":
      await store.transaction({ organizationId: organizationOf(parent) }, async (unit) => {
        await documentsOf(unit, sample, organizationOf(own)).create(value, ...sample.extras(name));
        throw new Error("the end of it fails");
      });
  }
}

/** What makes a transaction grant an entitlement, which is counted with it. */
const CAPTURED = {
  status: TransactionStatus.CAPTURED,
  offerId: "offer",
  createTime: { seconds: 1n },
};

async function takeComponent(store: Store, id: string, act: Step["act"], text: string) {
  const components = store.in("acme").pageComponents;
  const value = createComponent(id, { name: text });
  if (act === "update") await components.update(id, () => value);
  else if (act === "delete") await components.delete(id, NOBODY);
  else await components.create(value, { pageId: "page-1" }, NOBODY);
}

async function takeEntitlement(store: Store, id: string, act: Step["act"]) {
  const admin = store.in("acme").entitlementAdmin;
  const startTime = { seconds: 1n };
  const entitlement = { id, projectId: ALPHA, userId: "u", offerId: "offer", startTime };
  const value = create(EntitlementSchema, entitlement);
  const items = [{ kind: "entitlement", message: value, line: 1 }] as unknown as RecordItem[];
  if (act === "import") await store.importRecords([items]);
  else if (act === "delete") await admin.delete(id, NOBODY);
  else await admin.create(value);
}

test("after any changes, the counts equal a recount of the tables", async () => {
  const succeeded = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(STEPS, async (steps) => {
      const { store, check } = await openSmall();
      for (const step of steps) {
        const result = await take(store, step).then(
          () => "done",
          () => "refused",
        );
        const name = `${step.act} ${result}`;
        succeeded.set(name, (succeeded.get(name) ?? 0) + 1);
      }
      // Pages and videos go with all that is theirs.
      for (const type of ["page", "video"] as const) {
        const { values } = await store.in("acme").documents[type].list({
          parentIds: [ALPHA],
          order: { field: "id", direction: "asc" },
          ...{ limit: 1, now: new Date(0) },
        });
        for (const { id } of values) await store.in("acme").documents[type].delete(id, NOBODY);
      }
      check();
    }),
    { numRuns: 12 },
  );
  for (const act of ["create", "update", "delete", "import"]) {
    expect(succeeded.get(`${act} done`) ?? 0, act).toBeGreaterThan(5);
  }
});

test("a project is counted no more once it is deleted", async () => {
  const { store, check } = await openSmall();
  await store.in("acme").documents.event.create(createEvent("late", {}));
  await store.in("acme").documents.project.delete(ALPHA, NOBODY);
  const [, projects] = check();
  expect(projects).not.toContainEqual(expect.objectContaining({ id: ALPHA }));
});
