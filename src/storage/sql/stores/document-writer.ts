import { isDeepStrictEqual } from "node:util";
import { toBinary } from "@bufbuild/protobuf";
import { type SqlBool, sql } from "kysely";
import { readField } from "../../../domain/base/descriptors.ts";
import { Code, DomainError } from "../../../domain/base/errors.ts";
import { settleAll } from "../../../domain/base/settle-all.ts";
import { toSnakeCase } from "../../../domain/base/text.ts";
import { kindOf, toAmounts } from "../../../domain/kinds.ts";
import type { Amounts } from "../../../domain/quotas.ts";
import type { Tx } from "../../db/db.ts";
import { build, prepareByKey, type SlotOf } from "../../db/query.ts";
import { timeColumn } from "../../db/times.ts";
import {
  type Document,
  documentKindOf,
  isInOrganization,
  organizationOf,
  type StoredKind,
  type TableKind,
  tableOf,
  type Written,
} from "./document-kinds.ts";
import { addReferences, eraseReferences } from "./references.ts";
import type { WriteUnit } from "./write-unit.ts";

/** A write of a document under a revision. */
interface DocumentWrite extends Written {
  /** The values stored with the message. */
  readonly extra?: object | undefined;
  /** The document that is replaced, if known. */
  readonly replaced?: Document | undefined;
}

/** The place of a document to write, and what it replaces. */
export interface DocumentPut {
  /** The organization that contains it; not read for an organization or a project. */
  readonly organizationId: string;
  /** The stored document with its bytes; absent: there is none. */
  readonly replaced?: { readonly value: Document; readonly bytes: number } | undefined;
  /** Returns the values that are stored with the message. */
  readonly findExtra?: () => Promise<object | undefined>;
  /** True if the caller checks conflicts with other documents. */
  readonly isChecked?: boolean;
}

/** Creates or replaces a document in the way of its kind. Returns its revision, and its growth of the owner. */
export async function putDocument(
  unit: WriteUnit,
  kind: StoredKind,
  value: Document,
  { replaced, findExtra, isChecked = false, ...place }: DocumentPut,
): Promise<{ readonly revision: number; readonly growth: Amounts }> {
  const { beforeWrite, put } = documentKindOf(kind);
  const organizationId = organizationOf(kind, value, place.organizationId);
  const doc = toDoc(kind, value);
  const isNew = replaced === undefined;
  const growth = toAmounts(kind, isNew ? 1 : 0, doc.length - (replaced?.bytes ?? 0));
  const owner = kindOf(kind).ownerOf(value);
  unit.grow(owner, growth);
  try {
    const [, revision, extra] = await settleAll([
      isChecked ? undefined : beforeWrite?.(unit.tx, value),
      unit.count({ kind, value, organizationId, isNew, growth }),
      findExtra?.(),
    ]);
    const write = { organizationId, revision, doc, extra, isNew, replaced: replaced?.value };
    await unit.write((tx) => {
      if (put !== undefined) return put(tx, value, write);
      const writeRow = isNew ? insertDocument : replaceDocument;
      return writeRow(tx, kind as TableKind, value, write);
    });
    return { revision, growth };
  } catch (error) {
    unit.shrink(owner, growth);
    throw error;
  }
}

/** Returns the stored form of a document. */
export function toDoc(kind: StoredKind, value: Document): Uint8Array {
  const { toDocument } = documentKindOf(kind);
  return toBinary(kindOf(kind).schema, toDocument?.(value) ?? value);
}

/** Inserts a document with its index entries. */
async function insertDocument(
  tx: Tx,
  kind: TableKind,
  value: Document,
  write: DocumentWrite,
): Promise<void> {
  const row = {
    ...(isInOrganization(kind) && { organization_id: write.organizationId }),
    id: kindOf(kind).idOf(value),
    ...toRow(kind, value, write),
    ...documentKindOf(kind).newColumnsOf?.(write.revision),
  };
  // The last one shows the caller whether the id is taken.
  const insert = insertRow([kind, ...Object.keys(row)].join(" "), row);
  await settleAll([tx.all(insert), follow(tx, kind, value, write), checkLimit(tx, kind, row)]);
}

/** Checks that a new document is within the limit of its kind. RESOURCE_EXHAUSTED with the reason of the limit. */
async function checkLimit(
  tx: Tx,
  kind: TableKind,
  row: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { limit } = documentKindOf(kind);
  if (limit === undefined) return;
  const { most, of, reason, columns } = limit;
  const isSibling = columns.map((it) => sql<SqlBool>`${sql.ref(it)} = ${row[it]}`);
  const siblings = build
    .selectFrom(tableOf(kind))
    .select("id")
    .where(({ and }) => and(isSibling));
  if ((await tx.all(siblings.limit(most + 1))).length <= most) return;
  const kinds = `${kind.replaceAll("_", " ")}s`;
  const message = `the ${of} has ${most} ${kinds}, the most that are allowed; delete one first`;
  throw new DomainError(Code.RESOURCE_EXHAUSTED, reason, message);
}

/** Inserts a row of a type, the first word of the key, with the columns that follow. */
const insertRow = prepareByKey((slot: SlotOf<Readonly<Record<string, unknown>>>, key: string) => {
  const [kind, ...columns] = key.split(" ");
  const row = Object.fromEntries(columns.map((it) => [it, slot(it)]));
  return build.insertInto(tableOf(kind as TableKind)).values(row as never);
});

/** Replaces the document with the same id. */
export async function replaceDocument(
  tx: Tx,
  kind: TableKind,
  value: Document,
  write: DocumentWrite,
): Promise<void> {
  const { idOf, ownerOf } = kindOf(kind);
  const id = idOf(value);
  const owner = ownerOf(value);
  const keepsReferences = hasSameReferences(kind, value, write.replaced);
  if (owner?.kind === "project" && !keepsReferences) {
    await tx.run(eraseReferences({ kind, id, projectId: owner.id }));
  }
  const row = toRow(kind, value, write);
  const { organizationId } = write;
  await tx.run(updateRow([kind, ...Object.keys(row)].join(" "), { ...row, organizationId, id }));
  await follow(tx, kind, value, write, keepsReferences);
}

/** Decides whether a document has the same references as the one that it replaces. */
function hasSameReferences(kind: TableKind, value: Document, replaced?: Document): boolean {
  if (replaced === undefined) return false;
  const { referencesOf } = kindOf(kind);
  return isDeepStrictEqual(referencesOf(value), referencesOf(replaced));
}

/** The key of a row, with the new values of its columns. */
interface RowUpdate extends Readonly<Record<string, unknown>> {
  readonly organizationId: string;
  readonly id: string;
}

/** Updates a row of a type, the first word of the key, in the columns that follow. */
const updateRow = prepareByKey((slot: SlotOf<RowUpdate>, key: string) => {
  const [kind, ...columns] = key.split(" ");
  return build
    .updateTable(tableOf(kind as TableKind))
    .set(Object.fromEntries(columns.map((it) => [it, slot(it)])))
    .where(
      isInOrganization(kind as TableKind) ? "organization_id" : "id",
      "=",
      slot("organizationId"),
    )
    .where("id", "=", slot("id"));
});

/** Writes the index entries of a document in other tables. */
async function follow(
  tx: Tx,
  kind: TableKind,
  value: Document,
  write: DocumentWrite,
  keepsReferences = false,
): Promise<void> {
  const { idOf, ownerOf, referencesOf } = kindOf(kind);
  const owner = ownerOf(value);
  if (owner?.kind === "project" && !keepsReferences) {
    const from = { kind, id: idOf(value), projectId: owner.id };
    await addReferences(tx, from, referencesOf(value));
  }
  await documentKindOf(kind).afterWrite?.(tx, value, write);
}

function toRow(kind: TableKind, value: Document, { revision, doc, extra }: DocumentWrite) {
  const { schema, columns, ownerOf } = kindOf(kind);
  const owner = ownerOf(value);
  const fields = schema.fields.filter(({ name }) => columns.includes(name));
  return {
    ...(owner && { [`${owner.kind}_id`]: owner.id }),
    create_time: timeColumn(value.createTime),
    update_time: timeColumn(value.updateTime),
    revision,
    doc,
    ...Object.fromEntries(fields.map((field) => [field.name, readField(value, field)])),
    ...documentKindOf(kind).columnsOf?.(value),
    ...toExtraColumns(extra),
  };
}

/** Returns the columns of the values that are stored with a message, in snake case. */
function toExtraColumns(extra: object = {}): Record<string, unknown> {
  return Object.fromEntries(Object.entries(extra).map(([name, it]) => [toSnakeCase(name), it]));
}
