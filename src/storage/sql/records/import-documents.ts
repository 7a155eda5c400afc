import { type DescMessage, equals, type Message, toBinary } from "@bufbuild/protobuf";
import { sql } from "kysely";
import type { Binding } from "../../../../gen/svc/studio/iam/binding/v1/binding_pb.ts";
import type { Page } from "../../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import { parseResourceKey } from "../../../domain/access/permissions.ts";
import { Code, DomainError, notFound } from "../../../domain/base/errors.ts";
import { invalidField } from "../../../domain/base/field-errors.ts";
import { fillTimes, stampTimes } from "../../../domain/base/stamp-times.ts";
import { findBuiltInRole } from "../../../domain/built-in-roles.ts";
import { toAmounts } from "../../../domain/kinds.ts";
import type { Amounts } from "../../../domain/quotas.ts";
import { blameLine } from "../../../domain/records/line-error.ts";
import {
  type DocumentRecordKind,
  findOwner,
  RECORD_SCHEMAS,
  type RecordItem,
  type RecordKind,
  recordIdOf,
  type StoredRecord,
} from "../../../domain/records/record.ts";
import type { ImportOptions, ImportOutcome } from "../../contract/record-import.ts";
import type { Tx } from "../../db/db.ts";
import { build } from "../../db/query.ts";
import { firstRevision, isCounter } from "../base/revisions.ts";
import { toSizedGroups } from "../base/sized-groups.ts";
import { readDocument, type StoredDocument } from "../base/stored-document.ts";
import { eraseAlone } from "../stores/cascade.ts";
import { documentKindOf, type TableType } from "../stores/document-kinds.ts";
import { putDocument, replaceDocument } from "../stores/document-writer.ts";
import { listDanglingReferences } from "./dangling-references.ts";
import type { ImportCount } from "./import-count.ts";
import { PageImport, reserveSlug } from "./import-pages.ts";
import type { ImportScope, ImportScopes } from "./import-scopes.ts";
import type { MissingReferences } from "./missing-references.ts";
import { findStoredDocuments, measureDocuments } from "./stored-documents.ts";

/** Returns once all earlier statements have. */
const NOTHING = sql`select 1`;

/** A record of any kind except content. */
export type DocumentItem = RecordItem<DocumentRecordKind>;

interface Options
  extends Pick<ImportOptions, "createSecret" | "now" | "onDangling" | "projectId" | "resolve"> {
  readonly missing: MissingReferences;
}

/** A record to write, with its stored form. */
interface DocumentWrite {
  readonly record: DocumentItem;
  readonly id: string;
  readonly value: Message;
  readonly doc: Uint8Array;
  readonly old: StoredDocument | undefined;
  readonly scope: ImportScope | undefined;
  readonly growth: Amounts;
}

/** Writes the records of an import except content. */
export class DocumentImport {
  readonly #tx: Tx;
  readonly #scopes: ImportScopes;
  readonly #count: ImportCount;
  readonly #options: Options;
  readonly #pages: PageImport;
  /** The organizations of the file of one project. */
  readonly #organizations: DocumentItem[] = [];
  /** The writes by line, where a record can be omitted after it was written. */
  readonly #written = new Map<number, DocumentWrite>();

  constructor(tx: Tx, scopes: ImportScopes, count: ImportCount, options: Options) {
    this.#tx = tx;
    this.#scopes = scopes;
    this.#count = count;
    this.#options = options;
    this.#pages = new PageImport(tx, scopes, count, (line) => this.#undo(line));
  }

  /** Writes records of one kind and one owner; organizations have no scope. */
  async write(records: readonly DocumentItem[], scope: ImportScope | undefined): Promise<void> {
    const [{ kind } = { kind: undefined }] = records;
    if (kind === undefined) return;
    const organizationId = scope?.organizationId ?? "";
    for (const group of await this.#toGroups(kind, records, organizationId)) {
      const ids = [...new Set(group.map(recordIdOf))];
      const stored = await findStoredDocuments(this.#tx, kind, ids, organizationId);
      for (const record of group) {
        await this.#count.attempt(record.line, () => this.#writeRecord(record, scope, stored));
      }
    }
  }

  /** Cuts records into groups that are read together. */
  async #toGroups(
    kind: DocumentRecordKind,
    records: readonly DocumentItem[],
    organizationId: string,
  ): Promise<readonly (readonly DocumentItem[])[]> {
    if (this.#options.resolve === undefined) return [records];
    const ids = [...new Set(records.map(recordIdOf))];
    const sizes = await measureDocuments(this.#tx, kind, ids, organizationId);
    return toSizedGroups(records, (record) => sizes.get(recordIdOf(record)) ?? 0);
  }

  /** Completes the pages, and checks references and the organizations of the file. */
  async end(): Promise<void> {
    await this.#pages.writeSlugs();
    await this.#checkReferences();
    await this.#pages.writeOrders();
    const { projectId } = this.#options;
    const [first] = this.#organizations;
    if (projectId === undefined || first === undefined) return;
    const select = build
      .selectFrom("project")
      .select("organization_id")
      .where("id", "=", projectId);
    const project = await this.#tx.first(select);
    for (const record of this.#organizations) {
      const id = recordIdOf(record);
      if (id === project?.organization_id) continue;
      const error = notOfProject(`${id} is not the organization of project ${projectId}`);
      throw blameLine(record.line, error);
    }
  }

  async #writeRecord(
    given: DocumentItem,
    scope: ImportScope | undefined,
    stored: Map<string, StoredDocument>,
  ): Promise<void> {
    const { kind, line } = given;
    const id = recordIdOf(given);
    const old = stored.get(id);
    checkOwner(given, id, old);
    const { resolve } = this.#options;
    const record = (await resolve?.(given, old && toStoredRecord(kind, old))) ?? given;
    if (kind === "binding") await checkBinding(this.#tx, record.message as Binding);
    if (kind === "page_component" && scope !== undefined) {
      await this.#pages.open(id, given, old?.pageId, scope);
    }
    const schema: DescMessage = RECORD_SCHEMAS[kind];
    const { now } = this.#options;
    const filled =
      now && fillTimes(schema, record.message, old && readDocument(schema, old.doc), now);
    let value = toStoredForm(record, old);
    let doc = toBinary(schema, value);
    const outcome = decideOutcome(record, doc, old);
    if (outcome === "updated" && now && filled?.includes("update_time")) {
      stampTimes(schema, record.message, ["update_time"], now);
      value = toStoredForm(record, old);
      doc = toBinary(schema, value);
    }
    if (kind === "organization") this.#checkOrganization(record, id, outcome);
    if (outcome !== "unchanged") {
      const bytes = doc.length - (old?.doc.length ?? 0);
      const growth = toAmounts(kind, old === undefined ? 1 : 0, bytes);
      await this.#writeDocument({ record, id, value, doc, old, scope, growth });
      if (scope !== undefined) this.#options.missing.add(record, id, scope);
      stored.set(id, { ...record, id, ownerId: findOwner(record)?.id ?? "", doc });
    }
    if (kind === "page" && record.componentIds !== undefined && scope !== undefined) {
      await this.#pages.order(id, { componentIds: record.componentIds, line }, scope);
    }
    if (kind === "page_component" && scope !== undefined) {
      await this.#pages.list(id, record, outcome, scope);
    } else {
      this.#count.add({ kind, id, line }, outcome);
    }
  }

  /** Checks that the file of one project does not change an organization, although its export contains one. */
  #checkOrganization(record: DocumentItem, id: string, outcome: ImportOutcome): void {
    if (this.#options.projectId === undefined) return;
    if (outcome !== "unchanged") {
      throw notOfProject(`${id} would be ${outcome}, but --project writes only the project`);
    }
    this.#organizations.push(record);
  }

  async #writeDocument(write: DocumentWrite): Promise<void> {
    const { record, value, scope, growth } = write;
    const { kind, line } = record;
    scope?.grow(growth);
    try {
      // Slugs are checked at the end: a file may exchange them.
      if (kind !== "page") await documentKindOf(kind).beforeWrite?.(this.#tx, value);
      const revision = await this.#revisionOf(write);
      if (this.#count.leavesOut) await this.#writeApart(write, revision);
      else await this.#writeRow(this.#tx, write, revision);
    } catch (error) {
      scope?.shrink(growth);
      throw error;
    }
    if (this.#count.leavesOut) this.#written.set(line, write);
    if (kind === "page") this.#pages.addSlug(value as Page, line, write.old?.slug);
  }

  /** Writes a document that the database may reject without ending the transaction. */
  #writeApart(write: DocumentWrite, revision: number): Promise<void> {
    return this.#tx.transaction(async (tx) => {
      await this.#writeRow(tx, write, revision);
      // A statement without a waiting caller makes the next one fail.
      await tx.all(NOTHING);
    });
  }

  async #writeRow(tx: Tx, write: DocumentWrite, revision: number): Promise<void> {
    const { record, id, value, doc, old, scope } = write;
    const { kind, pageId, billingTransactionId } = record;
    const organizationId = scope?.organizationId ?? id;
    const isNew = old === undefined;
    const extra = {
      ...(billingTransactionId !== undefined && { billingTransactionId }),
      ...(pageId !== undefined && { pageId }),
      ...(kind === "page" && { slug: reserveSlug(value as Page) }),
      ...((kind === "action" || kind === "webhook") && isNew && { secret: this.#createSecret() }),
    };
    await putDocument(tx, kind, value, { organizationId, revision, doc, extra, isNew });
    if (isNew && isCounter(kind)) {
      (await this.#scopes.open({ type: kind, id })).revision = revision;
    }
  }

  /** Returns the revision of a change: the revision of its owner or, for an organization or project, its own. */
  async #revisionOf({ record: { kind }, id, old, scope }: DocumentWrite): Promise<number> {
    if (!isCounter(kind)) return this.#scopes.revisionOf(scope as ImportScope);
    if (old === undefined) return firstRevision(this.#tx, kind, id);
    return this.#scopes.revisionOf(await this.#scopes.open({ type: kind, id }));
  }

  /** Restores the document that the record of a line has replaced, if it was written. */
  async #undo(line: number): Promise<void> {
    const write = this.#written.get(line);
    this.#written.delete(line);
    if (write === undefined || write.scope === undefined) return;
    const { id, old, scope, growth } = write;
    const kind = write.record.kind as TableType;
    const { organizationId, id: projectId } = scope;
    scope.shrink(growth);
    if (old === undefined) {
      await eraseAlone(this.#tx, { type: kind, id, organizationId, projectId });
      return;
    }
    const { doc, revision = 0, pageId, slug } = old;
    await replaceDocument(this.#tx, kind, readDocument(RECORD_SCHEMAS[kind as RecordKind], doc), {
      ...{ organizationId, revision, doc },
      extra: {
        ...(pageId !== undefined && { pageId }),
        ...(slug !== undefined && { slug }),
      },
    });
  }

  /** Passes on the dangling references of what was written, and leaves out the records that are rejected for them. */
  async #checkReferences(): Promise<void> {
    const { onDangling } = this.#options;
    if (onDangling === undefined) return;
    const projects = this.#scopes.listProjects();
    for await (const reference of listDanglingReferences(this.#tx, projects)) {
      try {
        onDangling(reference);
      } catch (error) {
        await this.#pages.leaveOut(error);
      }
    }
  }

  #createSecret(): string {
    const { createSecret } = this.#options;
    if (createSecret === undefined) throw new Error("an import of secrets needs createSecret");
    return createSecret();
  }
}

function toStoredRecord(kind: DocumentRecordKind, { doc, pageId }: StoredDocument): StoredRecord {
  return { message: readDocument(RECORD_SCHEMAS[kind], doc), pageId };
}

/** Returns the stored form of the message of a record. */
function toStoredForm({ kind, message }: DocumentItem, old: StoredDocument | undefined): Message {
  const { toStored } = documentKindOf(kind);
  if (toStored === undefined) return message;
  return toStored(message, () => old && readDocument(RECORD_SCHEMAS[kind], old.doc));
}

/** Decides whether a record differs from the stored document, ignoring the order of map keys. */
function decideOutcome(
  { kind, pageId, billingTransactionId }: DocumentItem,
  doc: Uint8Array,
  old: StoredDocument | undefined,
): ImportOutcome {
  if (old === undefined) return "created";
  if (pageId !== old.pageId || billingTransactionId !== old.billingTransactionId) return "updated";
  if (Buffer.compare(doc, old.doc) === 0) return "unchanged";
  const schema: DescMessage = RECORD_SCHEMAS[kind];
  const isSame = equals(schema, readDocument(schema, doc), readDocument(schema, old.doc));
  return isSame ? "unchanged" : "updated";
}

/** Rejects an id that another resource has. */
function checkOwner(record: DocumentItem, id: string, old: StoredDocument | undefined): void {
  const owner = findOwner(record);
  if (old === undefined || ((owner?.id ?? "") === old.ownerId && !old.isBought)) return;
  const description = old.isBought
    ? "is used by an entitlement that a transaction grants"
    : `belongs to another ${owner?.type}`;
  const message = `${record.kind}.id: ${id} ${description}`;
  throw new DomainError(Code.ALREADY_EXISTS, "ALREADY_EXISTS", message);
}

/** Checks that the account, the role and the target of a binding exist in its organization; NOT_FOUND otherwise. */
async function checkBinding(tx: Tx, binding: Binding): Promise<void> {
  const { organizationId, accountId, accountOrganizationId, roleId, resourceKey } = binding;
  const need = async (kind: "account" | "project" | "role", id: string) => {
    const stored = await findStoredDocuments(tx, kind, [id], organizationId);
    if (stored.get(id)?.ownerId !== organizationId) throw notFound(kind, id);
  };
  await need("account", accountId);
  if (accountOrganizationId !== "" && accountOrganizationId !== organizationId) {
    throw notFound("account", accountId);
  }
  if (findBuiltInRole(roleId) === undefined) await need("role", roleId);
  const { type, id, projectId } = parseResourceKey(resourceKey);
  if (projectId !== undefined) await need("project", projectId);
  else if (id !== organizationId) throw notFound(type, id);
}

function notOfProject(description: string): DomainError {
  return invalidField("organization.id", "NOT_OF_PROJECT", description);
}
