import { type DescMessage, equals, type Message } from "@bufbuild/protobuf";
import type { Binding } from "../../../../gen/svc/studio/iam/binding/v1/binding_pb.ts";
import type { Page } from "../../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import { parseResourceKey } from "../../../domain/access/permissions.ts";
import { Code, DomainError, notFound } from "../../../domain/base/errors.ts";
import { invalidField } from "../../../domain/base/field-errors.ts";
import { fillTimes, stampTimes } from "../../../domain/base/stamp-times.ts";
import { findBuiltInRole } from "../../../domain/built-in-roles.ts";
import { kindOf } from "../../../domain/kinds.ts";
import type { Amounts } from "../../../domain/quotas.ts";
import { blameLine } from "../../../domain/records/line-error.ts";
import {
  type DocumentRecordKind,
  findOwner,
  RECORD_SCHEMAS,
  type RecordItem,
  recordIdOf,
} from "../../../domain/records/record.ts";
import type { ImportOptions, ImportOutcome } from "../../contract/records.ts";
import type { Tx } from "../../db/db.ts";
import { build } from "../../db/query.ts";
import { toSizedGroups } from "../base/read-documents.ts";
import { readDocument, type StoredDocument } from "../base/stored-document.ts";
import { eraseAlone } from "../stores/cascade.ts";
import { documentKindOf, type TableKind } from "../stores/document-kinds.ts";
import { putDocument, replaceDocument, toDoc } from "../stores/document-writer.ts";
import type { OpenHolder, WriteUnit } from "../stores/write-unit.ts";
import type { ImportCount } from "./import-count.ts";
import { PageImport, reserveSlug } from "./import-pages.ts";
import { listDanglingReferences, type MissingReferences } from "./missing-references.ts";
import { findStoredDocuments, measureDocuments } from "./stored-documents.ts";

/** A record of any kind except content. */
export type DocumentItem = RecordItem<DocumentRecordKind>;

interface Options
  extends Pick<ImportOptions, "createSecret" | "now" | "onDangling" | "projectId" | "resolve"> {
  readonly missing: MissingReferences;
}

/** A record to write. */
interface RecordWrite {
  readonly record: DocumentItem;
  readonly id: string;
  readonly value: Message;
  readonly old: StoredDocument | undefined;
  /** The stored message. */
  readonly before: Message | undefined;
  readonly organizationId: string;
}

/** A record that was written, and what it added to its owner. */
interface WrittenRecord extends RecordWrite {
  readonly growth: Amounts;
}

/** Writes the records of an import except content. */
export class DocumentImport {
  readonly #unit: WriteUnit;
  readonly #count: ImportCount;
  readonly #options: Options;
  readonly #pages: PageImport;
  /** The organizations of the file of one project. */
  readonly #organizations: DocumentItem[] = [];
  /** The writes by line, where a record can be omitted after it was written. */
  readonly #written = new Map<number, WrittenRecord>();

  constructor(unit: WriteUnit, count: ImportCount, options: Options) {
    this.#unit = unit;
    this.#count = count;
    this.#options = options;
    this.#pages = new PageImport(unit, count, (line) => this.#undo(line));
  }

  /** Writes records of one kind and one owner; organizations have no scope. */
  async write(records: readonly DocumentItem[], scope: OpenHolder | undefined): Promise<void> {
    const [{ kind } = { kind: undefined }] = records;
    if (kind === undefined) return;
    const organizationId = scope?.organizationId ?? "";
    for (const group of await this.#toGroups(kind, records, organizationId)) {
      const ids = [...new Set(group.map(recordIdOf))];
      const stored = await findStoredDocuments(this.#unit.tx, kind, ids, organizationId);
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
    const sizes = await measureDocuments(this.#unit.tx, kind, ids, organizationId);
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
    const [project] = await this.#unit.tx.all(select);
    for (const record of this.#organizations) {
      const id = recordIdOf(record);
      if (id === project?.organization_id) continue;
      const error = notOfProject(`${id} is not the organization of project ${projectId}`);
      throw blameLine(record.line, error);
    }
  }

  async #writeRecord(
    given: DocumentItem,
    scope: OpenHolder | undefined,
    found: Map<string, StoredDocument>,
  ): Promise<void> {
    const { kind, line } = given;
    const id = recordIdOf(given);
    const old = found.get(id);
    checkOwner(given, id, old);
    const { resolve } = this.#options;
    const before = old && readDocument(RECORD_SCHEMAS[kind], old.doc);
    const stored = before && { message: before, pageId: old?.pageId };
    const record = (await resolve?.(given, stored)) ?? given;
    if (kind === "binding") await checkBinding(this.#unit.tx, record.message as Binding);
    if (kind === "page_component" && scope !== undefined) {
      await this.#pages.open(id, given, old?.pageId, scope);
    }
    const schema: DescMessage = RECORD_SCHEMAS[kind];
    const { now } = this.#options;
    const filled = now && fillTimes(schema, record.message, before, now);
    let value = toReplacing(record, before);
    const outcome = decideOutcome(record, value, old, before);
    if (outcome === "updated" && now && filled?.includes("update_time")) {
      stampTimes(schema, record.message, ["update_time"], now);
      value = toReplacing(record, before);
    }
    if (kind === "organization") this.#checkOrganization(record, id, outcome);
    if (outcome !== "unchanged") {
      const organizationId = scope?.organizationId ?? "";
      await this.#writeDocument({ record, id, value, old, before, organizationId });
      if (scope !== undefined) this.#options.missing.add(record, id, scope);
      found.set(id, {
        ...record,
        id,
        ownerId: findOwner(record)?.id ?? "",
        doc: toDoc(kind, value),
      });
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

  async #writeDocument(write: RecordWrite): Promise<void> {
    const { record, value, old, before, organizationId } = write;
    const { kind, line } = record;
    const { growth } = await putDocument(this.#unit, kind, value, {
      organizationId,
      replaced: old && before && { value: before, bytes: old.doc.length },
      findExtra: async () => this.#toExtra(write),
      // Slugs are checked at the end: a file may exchange them.
      isChecked: kind === "page",
    });
    if (this.#count.omitsRejected) this.#written.set(line, { ...write, growth });
    if (kind === "page") this.#pages.addSlug(value as Page, line, old?.slug);
  }

  /** Returns the values that are stored with the message of a record. */
  #toExtra({ record, value, old }: RecordWrite): object {
    const { kind, pageId, billingTransactionId } = record;
    const hasNewSecret = (kind === "action" || kind === "webhook") && old === undefined;
    return {
      ...(billingTransactionId !== undefined && { billingTransactionId }),
      ...(pageId !== undefined && { pageId }),
      ...(kind === "page" && { slug: reserveSlug(value as Page) }),
      ...(hasNewSecret && { secret: this.#createSecret() }),
    };
  }

  /** Restores the document that the record of a line has replaced, if it was written. */
  async #undo(line: number): Promise<void> {
    const write = this.#written.get(line);
    this.#written.delete(line);
    if (write === undefined) return;
    const { record, id, value, old, before, organizationId, growth } = write;
    const kind = record.kind as TableKind;
    const owner = kindOf(kind).ownerOf(value);
    this.#unit.shrink(owner, growth);
    if (old === undefined || before === undefined) {
      const projectId = owner?.id ?? "";
      await eraseAlone(this.#unit.tx, { kind, id, organizationId, projectId });
      return;
    }
    const { doc, revision = 0, pageId, slug } = old;
    await replaceDocument(this.#unit.tx, kind, before, {
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
    const projects = this.#unit.listProjects();
    for await (const reference of listDanglingReferences(this.#unit.tx, projects)) {
      try {
        onDangling(reference);
      } catch (error) {
        await this.#pages.omit(error);
      }
    }
  }

  #createSecret(): string {
    const { createSecret } = this.#options;
    if (createSecret === undefined) throw new Error("an import of secrets needs createSecret");
    return createSecret();
  }
}

/** Returns the message of a record as it replaces the stored one. */
function toReplacing({ kind, message }: DocumentItem, before: Message | undefined): Message {
  return documentKindOf(kind).toReplacing?.(message, before) ?? message;
}

/** Decides whether a record differs from the stored document, ignoring the order of map keys. */
function decideOutcome(
  { kind, pageId, billingTransactionId }: DocumentItem,
  value: Message,
  old: StoredDocument | undefined,
  before: Message | undefined,
): ImportOutcome {
  if (old === undefined || before === undefined) return "created";
  if (pageId !== old.pageId || billingTransactionId !== old.billingTransactionId) return "updated";
  return equals(RECORD_SCHEMAS[kind] as DescMessage, value, before) ? "unchanged" : "updated";
}

/** Rejects an id that another resource has. */
function checkOwner(record: DocumentItem, id: string, old: StoredDocument | undefined): void {
  const owner = findOwner(record);
  if (old === undefined || ((owner?.id ?? "") === old.ownerId && !old.isBought)) return;
  const description = old.isBought
    ? "is used by an entitlement that a transaction grants"
    : `belongs to another ${owner?.kind}`;
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
  const { kind, id, projectId } = parseResourceKey(resourceKey);
  if (projectId !== undefined) await need("project", projectId);
  else if (id !== organizationId) throw notFound(kind, id);
}

function notOfProject(description: string): DomainError {
  return invalidField("organization.id", "NOT_OF_PROJECT", description);
}
