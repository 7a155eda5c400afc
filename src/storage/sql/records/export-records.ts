import type { Message } from "@bufbuild/protobuf";
import type { Organization } from "../../../../gen/svc/studio/iam/organization/v1/organization_pb.ts";
import type { Project } from "../../../../gen/svc/studio/iam/project/v1/project_pb.ts";
import { type Release, ReleaseState } from "../../../../gen/svc/type/v1/release_pb.ts";
import { notFound } from "../../../domain/base/errors.ts";
import type { OrderPlace } from "../../../domain/base/paging.ts";
import type { ContentKind } from "../../../domain/content/order.ts";
import { isContentKind } from "../../../domain/kinds.ts";
import {
  EXPORTED_KINDS,
  RECORD_KINDS,
  RECORD_SCHEMAS,
  type RecordItem,
  type RecordKind,
  recordIdOf,
  wrapRecord,
} from "../../../domain/records/record.ts";
import { toTransferred } from "../../../domain/releases/release.ts";
import type { DocumentStore } from "../../contract/document-store.ts";
import type { RecordExport } from "../../contract/records.ts";
import type { Db } from "../../db/db.ts";
import { build } from "../../db/query.ts";
import { type Connections, inside } from "../base/connections.ts";
import { inReadTransaction } from "../base/in-transaction.ts";
import { BYTES, readInParts } from "../base/read-documents.ts";
import { readDocument } from "../base/stored-document.ts";
import { ContentTable } from "../stores/content-table.ts";
import type { TableKind } from "../stores/document-kinds.ts";
import { DocumentTable } from "../stores/documents.ts";
import { toEntitlement } from "../stores/entitlements.ts";
import { inOrder, parseOrder } from "../stores/page-order.ts";
import { SqlReleaseItemStore } from "../stores/release-items.ts";

/** Maximum number of records that are found at a time. */
const STEP = 500;

/** Maximum number of pages whose components are found at a time: each has 100 at most. */
const PAGES = 5;

/** Exports the records of a project; see {@link RecordExport}. */
export function exportRecords(
  connections: Connections,
  projectId: string,
  take: Parameters<RecordExport["exportRecords"]>[1],
  kinds: readonly RecordKind[] = EXPORTED_KINDS,
): Promise<void> {
  return inReadTransaction(connections, projectId, async (tx) => {
    const [project] = await tx.all(
      build
        .selectFrom("project")
        .select(["id", "organization_id as organizationId"])
        .where("id", "=", projectId),
    );
    if (project === undefined) throw notFound("project", projectId);
    for (const kind of RECORD_KINDS.filter((name) => kinds.includes(name))) {
      for await (const items of readKind(inside(connections, tx), kind, project)) {
        if (items.length > 0) await take(items.map(wrapRecord));
      }
    }
  });
}

/** Reads the records of one kind in the export of a project, some at a time. */
function readKind(
  connections: Connections,
  kind: RecordKind,
  { id, organizationId }: { readonly id: string; readonly organizationId: string },
): AsyncGenerator<readonly RecordItem[]> {
  const db = connections.read;
  switch (kind) {
    case "organization":
      return readOne(db, kind, organizationId);
    case "project":
      return readOne(db, kind, id);
    case "sign_in_integration":
      return readIntegration(db, id);
    case "page_component":
      return readPageComponents(db, id);
    case "entitlement":
      return readEntitlements(db, id);
    case "release":
      return readReleases(connections, id, organizationId);
    case "transaction":
      return readTransactions(connections, id, organizationId);
    default:
      return readDocuments(connections, kind, id, organizationId);
  }
}

/** Reads an organization or project; its quotas belong to the installation and are not exported. */
async function* readOne(db: Db, kind: "organization" | "project", id: string) {
  const rows = await db.all(build.selectFrom(kind).select("doc").where("id", "=", id));
  const items = rows.map(({ doc }) => toItem(kind, doc));
  for (const { message } of items) delete (message as Organization | Project).quotas;
  yield items;
}

async function* readIntegration(db: Db, projectId: string) {
  const select = build.selectFrom("sign_in_integration").select("doc");
  const rows = await db.all(select.where("project_id", "=", projectId));
  yield rows.map(({ doc }) => toItem("sign_in_integration", doc));
}

async function* readDocuments(
  connections: Connections,
  kind: ContentKind | (TableKind & RecordKind),
  projectId: string,
  organizationId: string,
): AsyncGenerator<readonly RecordItem[]> {
  const documents: Pick<DocumentStore<Message>, "list"> = isContentKind(kind)
    ? new ContentTable(connections, kind, organizationId)
    : new DocumentTable(connections, kind, organizationId);
  let after: OrderPlace | undefined;
  do {
    const { values, next } = await documents.list({
      parentIds: [projectId],
      order: { field: "id", direction: "asc" },
      limit: STEP,
      now: new Date(0),
      ...(after && { after }),
    });
    yield values.map((message) => ({ kind, message, line: 0 }));
    after = next;
  } while (after !== undefined);
}

async function* readTransactions(
  connections: Connections,
  projectId: string,
  organizationId: string,
): AsyncGenerator<readonly RecordItem[]> {
  const select = build
    .selectFrom("transaction_record")
    .select(["id", "billing_transaction_id"])
    .where("organization_id", "=", organizationId);
  for await (const items of readDocuments(connections, "transaction", projectId, organizationId)) {
    const rows = await connections.read.all(select.where("id", "in", items.map(recordIdOf)));
    const idOf = new Map(rows.map((row) => [row.id, row.billing_transaction_id]));
    yield items.map((it) => ({ ...it, billingTransactionId: idOf.get(recordIdOf(it)) ?? "" }));
  }
}

/** Reads the releases that are not applied, each with its drafts: the base of a draft precedes it. */
async function* readReleases(
  connections: Connections,
  projectId: string,
  organizationId: string,
): AsyncGenerator<readonly RecordItem[]> {
  const store = new SqlReleaseItemStore(connections);
  for await (const items of readDocuments(connections, "release", projectId, organizationId)) {
    for (const item of items) {
      const release = item.message as Release;
      if (release.state === ReleaseState.APPLIED) continue;
      yield [{ ...item, message: toTransferred(release) }];
      const { id: releaseId } = release;
      for (const { base, draft, isForced } of await store.list({ organizationId, releaseId })) {
        yield [
          ...(base ? [{ ...base, releaseId, isBase: true, isForced: isForced && !draft }] : []),
          ...(draft ? [{ ...draft, releaseId }] : []),
        ];
      }
    }
  }
}

async function* readPageComponents(db: Db, projectId: string) {
  let last = "";
  for (;;) {
    const pages = await db.all(
      build
        .selectFrom("page")
        .select(["id", "organization_id", "component_ids"])
        .where("project_id", "=", projectId)
        .where("id", ">", last)
        .orderBy("id")
        .limit(PAGES),
    );
    if (pages.length === 0) return;
    last = pages.at(-1)?.id ?? "";
    const components = build
      .selectFrom("page_component")
      .where("organization_id", "=", pages[0]?.organization_id ?? "")
      .where(
        "page_id",
        "in",
        pages.map(({ id }) => id),
      );
    const found = await db.all(components.select(["id", BYTES]));
    const sizes = new Map(found.map((it) => [it.id, it]));
    const read = (ids: readonly string[]) =>
      db.all(components.select(["id", "page_id", "doc"]).where("id", "in", [...ids]));
    const inOrderOfPages = pages.flatMap((page) => inOrder(parseOrder(page), sizes));
    for await (const rows of readInParts(inOrderOfPages, read)) {
      yield rows.map(({ page_id: pageId, doc }) => ({ ...toItem("page_component", doc), pageId }));
    }
  }
}

async function* readEntitlements(db: Db, projectId: string) {
  const granted = build
    .selectFrom("entitlement")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("is_granted", "=", 1)
    .orderBy("id")
    .limit(STEP);
  let last = "";
  for (;;) {
    const rows = await db.all(granted.where("id", ">", last));
    if (rows.length === 0) return;
    last = rows.at(-1)?.id ?? "";
    yield rows.map(
      (row) => ({ kind: "entitlement", message: toEntitlement(row), line: 0 }) as const,
    );
  }
}

function toItem(kind: RecordKind, doc: Uint8Array): RecordItem {
  return { kind, message: readDocument(RECORD_SCHEMAS[kind], doc), line: 0 };
}
