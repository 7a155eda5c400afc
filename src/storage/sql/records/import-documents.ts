import { clone, type DescMessage, equals, type Message, toBinary } from "@bufbuild/protobuf";
import type { Entitlement } from "../../../../gen/svc/cda/monetization/entitlement/v1/entitlement_pb.ts";
import type { Binding } from "../../../../gen/svc/studio/iam/binding/v1/binding_pb.ts";
import type { Organization } from "../../../../gen/svc/studio/iam/organization/v1/organization_pb.ts";
import type { Project } from "../../../../gen/svc/studio/iam/project/v1/project_pb.ts";
import type { Page } from "../../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import { type Release, ReleaseSchema } from "../../../../gen/svc/type/v1/release_pb.ts";
import { parseResourceKey } from "../../../domain/access/permissions.ts";
import { findBuiltInRole } from "../../../domain/access/roles.ts";
import { Code, DomainError, notFound } from "../../../domain/errors.ts";
import { invalidField } from "../../../domain/field-errors.ts";
import { toAmounts } from "../../../domain/kinds.ts";
import { atLine, blameLine } from "../../../domain/records/line-error.ts";
import {
  type DocumentRecordKind,
  findOwner,
  RECORD_SCHEMAS,
  type RecordItem,
  recordIdOf,
  type StoredRecord,
} from "../../../domain/records/record.ts";
import { replaceRelease } from "../../../domain/releases/release.ts";
import type { Tx } from "../../db/db.ts";
import { build } from "../../db/query.ts";
import type { ImportOptions, ImportOutcome } from "../../record-import.ts";
import { documentKindOf } from "../document-kinds.ts";
import { insertDocument, replaceDocument } from "../document-writer.ts";
import {
  eraseEntitlement,
  insertGrantedEntitlement,
  toEntitlement,
  toEntitlementRow,
} from "../entitlements.ts";
import { firstRevision, isCounter } from "../revisions.ts";
import { writeSignInIntegration } from "../sign-in-integrations.ts";
import { readDocument } from "../stored-document.ts";
import type { ImportCount } from "./import-count.ts";
import { PageImport } from "./import-pages.ts";
import type { ImportScope, ImportScopes } from "./import-scopes.ts";
import { findStoredDocuments, type StoredDocument } from "./stored-documents.ts";

/** A record of any kind except content. */
export type DocumentItem = RecordItem<DocumentRecordKind>;

type Options = Pick<ImportOptions, "createSecret" | "projectId" | "resolve">;

/** A record to write, with its stored form. */
interface DocumentWrite {
  readonly record: DocumentItem;
  readonly id: string;
  readonly value: Message;
  readonly doc: Uint8Array;
  readonly old: StoredDocument | undefined;
  readonly scope: ImportScope | undefined;
  /** The position of a page component that is new on its page. */
  readonly position: number | undefined;
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

  constructor(tx: Tx, scopes: ImportScopes, count: ImportCount, options: Options) {
    this.#tx = tx;
    this.#scopes = scopes;
    this.#count = count;
    this.#options = options;
    this.#pages = new PageImport(tx, scopes, count);
  }

  /** Writes records of one kind and one owner; organizations have no scope. */
  async write(records: readonly DocumentItem[], scope: ImportScope | undefined): Promise<void> {
    const [{ kind } = { kind: undefined }] = records;
    if (kind === undefined) return;
    const ids = [...new Set(records.map(recordIdOf))];
    const stored = await findStoredDocuments(this.#tx, kind, ids, scope?.organizationId ?? "");
    for (const record of records) {
      await atLine(record.line, () => this.#writeRecord(record, scope, stored));
    }
  }

  /** Completes the pages, and checks the organizations of the file. */
  async end(): Promise<void> {
    await this.#pages.end();
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
    const { kind, pageId = "", line } = given;
    const id = recordIdOf(given);
    const old = stored.get(id);
    checkOwner(given, id, old);
    const { resolve } = this.#options;
    const record = resolve?.(given, old && toStoredRecord(kind, old)) ?? given;
    if (kind === "binding") await checkBinding(this.#tx, record.message as Binding);
    const position =
      kind === "page_component" && scope !== undefined
        ? await this.#pages.open(id, pageId, old?.pageId, scope)
        : undefined;
    const value = toStoredForm(record, old);
    const doc = toBinary(RECORD_SCHEMAS[kind] as DescMessage, value);
    const outcome = decideOutcome(record, doc, old);
    if (kind === "organization") this.#checkOrganization(record, id, outcome);
    if (outcome !== "unchanged") {
      scope?.grow(toAmounts(kind, old === undefined ? 1 : 0, doc.length - (old?.doc.length ?? 0)));
      await this.#writeDocument({ record, id, value, doc, old, scope, position });
      stored.set(id, { ...record, id, ownerId: findOwner(record)?.id ?? "", doc });
    }
    if (kind === "page" && record.componentIds !== undefined && scope !== undefined) {
      await this.#pages.order(id, record.componentIds, scope);
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
    const { record, id, value, doc, old, scope, position } = write;
    const { kind, line, pageId, billingTransactionId } = record;
    const organizationId = scope?.organizationId ?? id;
    const isNew = old === undefined;
    const revision = await this.#revisionOf(write);
    if (kind === "sign_in_integration") {
      await writeSignInIntegration(this.#tx, value as never, revision);
    } else if (kind === "entitlement") {
      const entitlement = value as Entitlement;
      await eraseEntitlement(this.#tx, entitlement, organizationId);
      await insertGrantedEntitlement(this.#tx, entitlement, { organizationId, revision });
    } else {
      const extra = {
        ...(billingTransactionId !== undefined && { billingTransactionId }),
        ...(position !== undefined && { pageId, position }),
        ...(kind === "page" && { slug: this.#pages.reserveSlug(value as Page, line) }),
        ...((kind === "action" || kind === "webhook") && isNew && { secret: this.#createSecret() }),
      };
      // Slugs are checked at the end: a file may exchange them.
      if (kind !== "page") await documentKindOf(kind).beforeWrite?.(this.#tx, value);
      const options = { organizationId, revision, doc, extra };
      if (isNew) await insertDocument(this.#tx, kind, value, options);
      else await replaceDocument(this.#tx, kind, value, options);
    }
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

  #createSecret(): string {
    const { createSecret } = this.#options;
    if (createSecret === undefined) throw new Error("an import of secrets needs createSecret");
    return createSecret();
  }
}

function toStoredRecord(kind: DocumentRecordKind, { doc, pageId }: StoredDocument): StoredRecord {
  return { message: readDocument(RECORD_SCHEMAS[kind], doc), pageId };
}

/** Returns the stored form of the message of a record: an organization or project keeps its quotas. */
function toStoredForm({ kind, message }: DocumentItem, old: StoredDocument | undefined): Message {
  if (kind === "release") {
    return replaceRelease(message as Release, old && readDocument(ReleaseSchema, old.doc));
  }
  // Without the scope of its offer, and with times in microseconds.
  if (kind === "entitlement") return toEntitlement(toEntitlementRow(message as Entitlement));
  if (!isCounter(kind) || old === undefined) return message;
  const schema: DescMessage = RECORD_SCHEMAS[kind];
  const value = clone(schema, message) as Organization | Project;
  const { quotas } = readDocument(schema, old.doc) as Organization | Project;
  if (quotas === undefined) delete value.quotas;
  else value.quotas = quotas;
  return value;
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
