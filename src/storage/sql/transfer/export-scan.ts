import type { Message } from "@bufbuild/protobuf";
import type { Organization } from "../../../../gen/svc/studio/iam/organization/v1/organization_pb.ts";
import type { Project as ProjectMessage } from "../../../../gen/svc/studio/iam/project/v1/project_pb.ts";
import { type ContentKind, isContentKind } from "../../../domain/content/order.ts";
import { KINDS } from "../../../domain/kinds.ts";
import {
  RECORD_SCHEMAS,
  type RecordItem,
  type RecordKind,
} from "../../../domain/transfer/record.ts";
import { type Db, onlyRow } from "../../db/db.ts";
import { build } from "../../db/query.ts";
import type { Connections } from "../connections.ts";
import { createContentDocuments } from "../content/write/content-documents.ts";
import { documentKindOf, type TableType } from "../document-kinds.ts";
import { readDocument } from "../stored-document.ts";
import { readGrantedEntitlement } from "./granted-entitlements.ts";

/** A place in the order of one kind: an id or, for page components, a page and a position. */
export interface ScanPlace {
  readonly id: string;
  readonly position?: number;
}

/** A step of records of one kind, in order. */
export interface ScanStep {
  readonly items: readonly RecordItem[];
  /** The place to continue from; absent if no more follow. */
  readonly next?: ScanPlace;
}

/** Reads the next records of one kind. */
export type RecordScan = (after?: ScanPlace) => Promise<ScanStep>;

interface Project {
  readonly id: string;
  readonly organizationId: string;
}

/** The most records of one step. */
const STEP = 500;

const NOTHING: RecordScan = async () => ({ items: [] });

/** Creates a scan of the records of one kind that the export of a project holds. */
export function createRecordScan(
  connections: Connections,
  kind: RecordKind,
  project: Project,
): RecordScan {
  const db = connections.read;
  if (KINDS[kind].record !== "exported") return NOTHING;
  switch (kind) {
    case "organization":
      return () => readOne(db, kind, project.organizationId);
    case "project":
      return () => readOne(db, kind, project.id);
    case "sign_in_integration":
      return () => readIntegration(db, project.id);
    case "page_component":
      return scanPageComponents(db, project.id);
    case "transaction":
      return scanTransactions(db, project.id);
    case "entitlement":
      return scanEntitlements(db, project.id);
    default:
      return isContentKind(kind)
        ? scanContent(connections, kind, project)
        : scanRows(db, kind, project.id);
  }
}

/** Reads an organization or project; its quotas are those of the installation and not exported. */
async function readOne(db: Db, kind: "organization" | "project", id: string) {
  const rows = await db.all(build.selectFrom(kind).select("doc").where("id", "=", id));
  const item = toItem(kind, onlyRow(rows).doc);
  delete (item.message as Organization | ProjectMessage).quotas;
  return { items: [item] };
}

async function readIntegration(db: Db, projectId: string) {
  const rows = await db.all(
    build.selectFrom("sign_in_integration").select("doc").where("project_id", "=", projectId),
  );
  return { items: rows.map(({ doc }) => toItem("sign_in_integration", doc)) };
}

function scanContent(connections: Connections, kind: ContentKind, project: Project): RecordScan {
  const documents = createContentDocuments(connections, kind, project.organizationId);
  return async (after) => {
    const { values, next } = await documents.list({
      parentIds: [project.id],
      order: { field: "id", direction: "asc" },
      limit: STEP,
      now: new Date(0),
      ...(after && { after: { key: null, id: after.id } }),
    });
    const items = values.map((message) => ({ kind, message: message as Message, line: 0 }));
    return { items, ...(next && { next: { id: next.id } }) };
  };
}

function scanRows(db: Db, kind: TableType & RecordKind, projectId: string): RecordScan {
  // The tables share these columns; naming one table provides their types.
  const table = documentKindOf(kind).table as "video";
  return async (after) => {
    const rows = await db.all(
      build
        .selectFrom(table)
        .select(["id", "doc"])
        .where("project_id", "=", projectId)
        .where("id", ">", after?.id ?? "")
        .orderBy("id")
        .limit(STEP),
    );
    return toStep(rows, ({ doc }) => toItem(kind, doc));
  };
}

function scanPageComponents(db: Db, projectId: string): RecordScan {
  return async ({ id, position = 0 } = { id: "" }) => {
    const rows = await db.all(
      build
        .selectFrom("page")
        .innerJoin("page_component", (join) =>
          join
            .onRef("page_component.organization_id", "=", "page.organization_id")
            .onRef("page_component.page_id", "=", "page.id"),
        )
        .select(["page.id", "page_component.position", "page_component.doc"])
        .where("page.project_id", "=", projectId)
        .where("page.id", ">=", id)
        .where((eb) =>
          eb.or([eb("page.id", ">", id), eb("page_component.position", ">", position)]),
        )
        .orderBy("page.id")
        .orderBy("page_component.position")
        .limit(STEP),
    );
    return toStep(rows, (row) => ({ ...toItem("page_component", row.doc), pageId: row.id }));
  };
}

function scanTransactions(db: Db, projectId: string): RecordScan {
  return async (after) => {
    const rows = await db.all(
      build
        .selectFrom("transaction_record")
        .select(["id", "doc", "billing_transaction_id as billingTransactionId"])
        .where("project_id", "=", projectId)
        .where("id", ">", after?.id ?? "")
        .orderBy("id")
        .limit(STEP),
    );
    return toStep(rows, ({ doc, billingTransactionId }) => ({
      ...toItem("transaction", doc),
      billingTransactionId,
    }));
  };
}

function scanEntitlements(db: Db, projectId: string): RecordScan {
  return async (after) => {
    const rows = await db.all(
      build
        .selectFrom("entitlement")
        .selectAll()
        .where("project_id", "=", projectId)
        .where("id", ">", after?.id ?? "")
        .where("is_granted", "=", 1)
        .orderBy("id")
        .limit(STEP),
    );
    return toStep(rows, (row) => ({
      kind: "entitlement",
      message: readGrantedEntitlement(row),
      line: 0,
    }));
  };
}

function toStep<Row extends { readonly id: string; readonly position?: number }>(
  rows: readonly Row[],
  toRecord: (row: Row) => RecordItem,
): ScanStep {
  const last = rows.length < STEP ? undefined : rows.at(-1);
  return {
    items: rows.map(toRecord),
    ...(last && {
      next: { id: last.id, ...(last.position !== undefined && { position: last.position }) },
    }),
  };
}

function toItem(kind: RecordKind, doc: Uint8Array): RecordItem {
  return { kind, message: readDocument(RECORD_SCHEMAS[kind], doc), line: 0 };
}
