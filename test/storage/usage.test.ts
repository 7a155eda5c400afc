import { create } from "@bufbuild/protobuf";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { EntitlementSchema } from "../../gen/svc/cda/monetization/entitlement/v1/entitlement_pb.ts";
import { TransactionStatus } from "../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import { Code } from "../../src/domain/base/errors.ts";
import type { RecordItem } from "../../src/domain/records/record.ts";
import type { Store } from "../../src/storage/contract/store.ts";
import { listUnderived } from "../harness/derived-rows.ts";
import { openFresh } from "../harness/fresh-store.ts";
import { DOCUMENT_SAMPLES, documentsOf, organizationOf } from "./contract/document-samples.ts";
import { ALPHA, createComponent, createEvent, createSmallDataset } from "./small-dataset.ts";

/** Opens the small dataset, and what compares what is stored besides its documents. */
async function openSmall() {
  const { store, address, close } = await openFresh(createSmallDataset());
  onTestFinished(close);
  return { store, check: async () => expect(await listUnderived(address)).toEqual([]) };
}

test("what a dataset loads is counted", async () => {
  const { store, check } = await openSmall();
  await check();
  const { value } = await store.in("acme").documents.project.get(ALPHA);
  expect(Number(value.usage?.items)).toBeGreaterThan(10);
  expect(Number(value.usage?.bytes)).toBeGreaterThan(10);
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
const NOT_FOUND = { code: Code.NOT_FOUND };
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

test("after any changes, all that is stored follows from the documents", async () => {
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
      await check();
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
  await check();
  await expect(store.in("acme").documents.project.get(ALPHA)).rejects.toMatchObject(NOT_FOUND);
});
