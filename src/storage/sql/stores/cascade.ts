import { sql } from "kysely";
import type { Schema } from "../../../../gen/tables.ts";
import type { ResourceRef } from "../../../domain/access/permissions.ts";
import { settleAll } from "../../../domain/base/settle-all.ts";
import {
  isRecorded,
  KIND_NAMES,
  type KindName,
  type KindsWith,
  kindOf,
  type RecordedKind,
  toAmounts,
} from "../../../domain/kinds.ts";
import { compareCodePoints } from "../../../domain/kql/index.ts";
import { type Amounts, sumAmounts } from "../../../domain/quotas.ts";
import type { ResourceName } from "../../../domain/references.ts";
import type { DeletedDependent } from "../../contract/document-store.ts";
import type { Db, Tx } from "../../db/db.ts";
import { build } from "../../db/query.ts";
import { eraseBindingsOn } from "../base/bindings.ts";
import { deleteInSteps } from "../base/delete-some.ts";
import type { Dialect } from "../base/dialect.ts";
import { endStep } from "../base/in-transaction.ts";
import { BYTES, readInParts } from "../base/read-documents.ts";
import { readDocument } from "../base/stored-document.ts";
import { addUsage } from "../base/usage.ts";
import { eraseProjectContent } from "../content/write/stored-items.ts";
import {
  documentKindOf,
  isInOrganization,
  isTableKind,
  type TableKind,
  tableOf,
} from "./document-kinds.ts";
import { inOrder, readOrder } from "./page-order.ts";
import { eraseReferences } from "./references.ts";
import { eraseProjectTurns } from "./run-turns.ts";

/** A kind of documents that depends on a resource of another kind. */
interface Dependent {
  readonly kind: TableKind;
  /** True if it is part of the resource, false if it refers to it. */
  readonly isInside: boolean;
  /** False: deleted silently with the resource. */
  readonly blocksDeletion: boolean;
}

const DEPENDENTS: ReadonlyMap<string, readonly Dependent[]> = new Map(
  KIND_NAMES.map((name) => [name, KIND_NAMES.flatMap((kind) => toDependent(kind, name))]),
);

function toDependent(kind: KindName, of: KindName): Dependent[] {
  if (!isTableKind(kind)) return [];
  const { in: owner, needs, blocksDeletion } = kindOf(kind);
  if (owner === of) return [{ kind, isInside: true, blocksDeletion }];
  return needs.some((it) => it === of) ? [{ kind, isInside: false, blocksDeletion: true }] : [];
}

/** The keys of the kinds without documents, which are deleted with their project. */
const KEYS: Readonly<Record<KindsWith<"keep", "integration" | "other">, readonly string[]>> = {
  sign_in_integration: ["project_id"],
  billing_integration: ["project_id"],
  action_run: ["id"],
  change: ["project_id", "revision", "part"],
  entitlement: ["project_id", "user_id", "start_time", "id"],
};

/** The tables of these kinds, and the references of a project, with their keys. */
export const ROWS_OF_PROJECT: readonly {
  readonly table: keyof Schema;
  readonly key: readonly string[];
  readonly kind?: KindName;
}[] = [
  ...(Object.keys(KEYS) as (keyof typeof KEYS)[]).map((kind) => ({
    ...{ table: tableOf(kind), key: KEYS[kind], kind },
  })),
  { table: "reference", key: ["project_id", "from_type", "from_id", "to_type", "to_id"] },
];

/** Lists the dependents of a resource, which prevent its deletion without `force`. */
export async function listDependents(
  read: Db,
  resource: ResourceRef,
  limit: number,
): Promise<ResourceName[]> {
  const dependents = (DEPENDENTS.get(resource.kind) ?? []).filter((it) => it.blocksDeletion);
  const found = await Promise.all([
    ...dependents.map(async (dependent) => {
      const rows = await read.all(selectDependents(dependent, resource).limit(limit));
      return toSorted(rows).map(({ id }) => ({ kind: dependent.kind, id }));
    }),
    resource.kind === "project" ? listContent(read, resource.id, limit) : [],
  ]);
  return found.flat().slice(0, limit);
}

/** A document with its parent and its size. */
export interface StoredResource extends ResourceRef {
  readonly kind: TableKind;
  readonly bytes: number;
}

/**
 * Deletes a document with its dependents, their bindings and their index entries, and subtracts them from the usage. Returns the
 * dependents with history; undefined if they are too many.
 */
export async function eraseDocument(
  tx: Tx,
  dialect: Dialect,
  document: StoredResource,
): Promise<readonly DeletedDependent[] | undefined> {
  const { kind, organizationId, projectId } = document;
  let part = await collect(tx, dialect, document);
  // The history of a project ends with it.
  const isKept = projectId !== undefined && kind !== "project";
  const dependents = isKept ? await readDependents(tx, document, part) : [];
  let freed = await eraseAll(tx, part);
  while (!part.includes(document)) {
    part = await collect(tx, dialect, document);
    freed = sumAmounts([freed, await eraseAll(tx, part)]);
  }
  await addUsage(tx, { kind: "organization", id: organizationId }, freed);
  if (projectId !== undefined && kind !== "project") {
    await addUsage(tx, { kind: "project", id: projectId }, freed);
  }
  return dependents;
}

/** The documents that a step of a deletion deletes. */
const DOCUMENTS_AT_ONCE = 100;

/** Deletes documents, the last one first: dependents before what they depend on. Returns the change of the usage. */
async function eraseAll(tx: Tx, documents: readonly StoredResource[]): Promise<Amounts> {
  for (const [index, each] of documents.toReversed().entries()) {
    await eraseAlone(tx, each);
    if ((index + 1) % DOCUMENTS_AT_ONCE === 0) await endStep(tx);
  }
  return sumAmounts(documents.map((each) => toAmounts(each.kind, -1, -each.bytes)));
}

/** The dependents that a history keeps of one deletion at most: their number, and their bytes. */
const MOST_KEPT = 500;
const MOST_BYTES = 16 * 1024 * 1024;

/** Reads the documents with history among those that depend on one; undefined if they are too many. */
async function readDependents(
  tx: Tx,
  document: StoredResource,
  documents: readonly StoredResource[],
): Promise<readonly DeletedDependent[] | undefined> {
  const { id } = document;
  const kept = documents.filter((each) => each !== document && isRecorded(each.kind));
  const size = kept.reduce((sum, { bytes }) => sum + bytes, 0);
  const areAll = documents.includes(document);
  if (!areAll || kept.length > MOST_KEPT || size > MOST_BYTES) return undefined;
  const read = Array.from(
    Map.groupBy(kept, ({ kind }) => kind),
    async ([kind, group]) => {
      const { organizationId } = group[0] as StoredResource;
      const toDeleted = (doc: Uint8Array) => ({
        kind: kind as RecordedKind,
        before: readDocument(kindOf(kind).schema, doc),
      });
      const select = build
        .selectFrom(tableOf(kind))
        .select(["id", "doc"])
        .where("organization_id", "=", organizationId);
      const find = (ids: readonly string[]) => tx.all(select.where("id", "in", [...ids]));
      const deleted = new Map<string, DeletedDependent>();
      for await (const rows of readInParts(group, find)) {
        for (const { id, doc } of rows) deleted.set(id, toDeleted(doc));
      }
      if (kind === "page_component") {
        const order = await readOrder(tx, id, organizationId);
        return inOrder(order, deleted).map((it, index) => ({
          ...{ ...it, pageId: id, predecessorId: order[index - 1] ?? "" },
        }));
      }
      return [...deleted.values()];
    },
  );
  return (await settleAll(read)).flat();
}

/** The most dependents of a document, or of its dependents, that are read before any is deleted. */
const MOST_COLLECTED = 1_000;

/**
 * Finds a document with its direct and indirect dependents; if there are too many, some of them without the document, on which
 * no others depend. Deletes the data other than documents of the projects among them.
 */
async function collect(
  tx: Tx,
  dialect: Dialect,
  document: StoredResource,
): Promise<readonly StoredResource[]> {
  const all = new Map<string, StoredResource>();
  let level: readonly StoredResource[] = [document];
  while (level.length > 0) {
    if (level.length > MOST_COLLECTED) {
      all.clear();
      level = level.slice(0, MOST_COLLECTED);
    }
    for (const each of level) {
      const key = JSON.stringify([each.kind, each.organizationId, each.id]);
      // A dependent of several documents follows the last of them.
      all.delete(key);
      all.set(key, each);
    }
    const [found] = await settleAll([
      settleAll(level.flatMap((each) => listErased(tx, each))),
      ...level.filter(({ kind }) => kind === "project").map((it) => eraseProject(tx, dialect, it)),
    ]);
    level = found.flat();
  }
  return [...all.values()];
}

/** Lists the dependents of a document, by their types. */
function listErased(
  tx: Tx,
  document: StoredResource,
): readonly Promise<readonly StoredResource[]>[] {
  return (DEPENDENTS.get(document.kind) ?? []).map(async (dependent) => {
    const rows = await tx.all(
      selectDependents(dependent, document)
        .select(BYTES)
        .limit(MOST_COLLECTED + 1),
    );
    return toSorted(rows).map(({ id, organization_id: organizationId, bytes }) => {
      const { kind } = dependent;
      const projectId = kind === "project" ? id : document.projectId;
      return { kind, id, organizationId, bytes, ...(projectId !== undefined && { projectId }) };
    });
  });
}

/** Deletes a document without its dependents. */
export async function eraseAlone(tx: Tx, document: Omit<StoredResource, "bytes">): Promise<void> {
  const { kind, id, organizationId, projectId } = document;
  await documentKindOf(kind).beforeErase?.(tx, document);
  await eraseBindingsOn(tx, document);
  if (projectId !== undefined) {
    await tx.run(eraseReferences({ kind, id, projectId }));
  }
  const row = build
    .deleteFrom(tableOf(kind))
    .where(isInOrganization(kind) ? "organization_id" : "id", "=", organizationId)
    .where("id", "=", id);
  await tx.run(row);
}

/** Deletes the data of a project other than documents. */
async function eraseProject(
  tx: Tx,
  dialect: Dialect,
  { id, organizationId }: StoredResource,
): Promise<void> {
  await settleAll([
    eraseRows(tx, id),
    eraseProjectContent(tx, dialect, id),
    eraseProjectTurns(tx, organizationId, id),
  ]);
}

/** Deletes the rows of a project in tables that have no documents. */
async function eraseRows(tx: Tx, projectId: string): Promise<void> {
  const condition = sql`project_id = ${projectId}`;
  await settleAll(
    ROWS_OF_PROJECT.map(({ table, key }) => deleteInSteps(tx, { table, key, condition })),
  );
}

/** Selects the dependents of a resource, in any order: to sort them by id, SQLite would read all of the project. */
function selectDependents({ kind, isInside }: Dependent, resource: ResourceRef) {
  const select = build
    .selectFrom(tableOf(kind))
    .select(["id", "organization_id"])
    .where(sql.ref(`${resource.kind}_id`), "=", resource.id);
  const { organizationId, projectId } = resource;
  if (kind === "binding" && resource.kind === "account") {
    // An account may also have bindings in other organizations.
    return select.where(sql.ref("account_organization_id"), "=", organizationId);
  }
  const inOrganization = select.where("organization_id", "=", organizationId);
  if (isInside || kindOf(kind).in !== "project") return inOrganization;
  if (projectId === undefined) throw new Error(`${resource.kind} ${resource.id} has no project`);
  return inOrganization.where("project_id", "=", projectId);
}

function toSorted<Row extends { readonly id: string }>(rows: readonly Row[]): readonly Row[] {
  return rows.toSorted((a, b) => compareCodePoints(a.id, b.id));
}

async function listContent(read: Db, projectId: string, limit: number) {
  return await read.all(
    build
      .selectFrom("content_collection")
      .innerJoin("content", "content.collection", "content_collection.collection")
      .select(["content.kind", "content.id"])
      .where("content_collection.project_id", "=", projectId)
      .limit(Math.max(0, limit)),
  );
}
