import { type Message, toBinary } from "@bufbuild/protobuf";
import type { Organization } from "../../../../gen/svc/studio/iam/organization/v1/organization_pb.ts";
import type { Project } from "../../../../gen/svc/studio/iam/project/v1/project_pb.ts";
import type { Transaction as Purchase } from "../../../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import type { Page } from "../../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import type { PageComponent } from "../../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { Code, DomainError } from "../../../domain/errors.ts";
import { toAmounts } from "../../../domain/kinds.ts";
import { decideAccess } from "../../../domain/monetization/entitlement.ts";
import { type Amounts, readQuotas } from "../../../domain/quotas.ts";
import { atLine } from "../../../domain/transfer/line-fault.ts";
import { RECORD_SCHEMAS, type RecordOwner } from "../../../domain/transfer/record.ts";
import type { ImportOptions, ImportOutcome, PreparedDocument } from "../../record-import.ts";
import { type Counter, firstRevision, isCounter } from "../revisions.ts";
import { readDocument } from "../stored-document.ts";
import type { BatchImport, ImportParts } from "./content-import.ts";
import { createOrganizationCheck } from "./organization-check.ts";
import { createPageImport } from "./page-import.ts";
import { createParentCheck } from "./parent-check.ts";
import { createReferenceCheck } from "./reference-check.ts";
import { findStoredDocuments, isSameDocument, type StoredDocument } from "./stored-documents.ts";
import { writeRecord } from "./write-record.ts";

type Options = Pick<
  ImportOptions,
  "createSecret" | "ignoresReferences" | "isCopy" | "isDryRun" | "projectId"
>;

/**
 * Creates the import of everything except content. A dry run tracks what would have been written. Pages are
 * decided once everything is read.
 */
export function createDocumentImport(
  parts: ImportParts,
  options: Options,
): BatchImport<readonly PreparedDocument[]> {
  const { tx, scopes, usage, count } = parts;
  const parents = createParentCheck(tx);
  const references = createReferenceCheck(tx);
  const pages = createPageImport(parts, options.isDryRun === true);
  const organizations = createOrganizationCheck(options.projectId);
  /** The documents that a dry run would have written, by kind and id. */
  const planned = new Map<string, StoredDocument>();

  async function take(
    read: PreparedDocument,
    organizationId: string,
    stored: Map<string, StoredDocument>,
  ) {
    const { kind, id, owner } = read;
    const old = planned.get(`${organizationId} ${kind} ${id}`) ?? stored.get(id);
    if (options.isCopy && kind === "project" && old !== undefined) return;
    const document = isCounter(kind) && old !== undefined ? keepQuotas(kind, read, old) : read;
    const value = readDocument(RECORD_SCHEMAS[kind], document.doc);
    if (owner !== undefined) await scopes.find(owner);
    await parents.check(document, value, { organizationId, old: old?.doc });
    checkOwner(document, old);
    const outcome = decideOutcome(document, old);
    if (kind === "organization") organizations.note(document, outcome);
    const position =
      kind === "page_component"
        ? await pages.open(document, organizationId, old?.pageId)
        : undefined;
    if (outcome !== "unchanged") {
      if (isCounter(kind) && old === undefined) usage.add({ type: kind, id }, quotasOf(value));
      await grow(document, organizationId, old);
      const revision = options.isDryRun
        ? 0
        : await write(document, value, { organizationId, old, position });
      if (isCounter(kind) && old === undefined) {
        scopes.add({ type: kind, id }, owner?.id ?? id, revision);
      }
      if (options.isDryRun) plan(document, organizationId, value);
      else stored.set(id, toStored(document));
    }
    parents.add(document);
    if (kind === "project") organizations.noteProject(document);
    references.add(document, value, { organizationId, isWritten: outcome !== "unchanged" });
    if (kind === "page") pages.notePage(document, value as Page, outcome);
    if (kind === "page_component") {
      await pages.noteComponent(document, organizationId, value as PageComponent, outcome);
    } else {
      count.add(document, outcome);
    }
  }

  /** Counts what a written record adds to its owner. */
  async function grow(
    { kind, owner, doc }: PreparedDocument,
    organizationId: string,
    old: StoredDocument | undefined,
  ): Promise<void> {
    if (owner === undefined) return;
    const bytes = doc.length - (old?.doc.length ?? 0);
    const count = await usage.open(owner, organizationId);
    count(toAmounts(kind, old === undefined ? 1 : 0, bytes));
  }

  function plan(document: PreparedDocument, organizationId: string, value: Message): void {
    const { kind, id } = document;
    planned.set(`${organizationId} ${kind} ${id}`, toStored(document));
    if (kind !== "transaction" || decideAccess(value as Purchase) === undefined) return;
    planned.set(`${organizationId} entitlement ${id}`, { ...toStored(document), isBought: true });
  }

  async function write(
    document: PreparedDocument,
    value: Message,
    { organizationId, old, position }: WritePlace,
  ): Promise<number> {
    const { kind, id, owner } = document;
    const scope: RecordOwner | undefined = isCounter(kind) ? { type: kind, id } : owner;
    const revision =
      isCounter(kind) && old === undefined
        ? await firstRevision(tx, kind, id)
        : await scopes.move(scope as RecordOwner);
    await writeRecord(tx, document, value, {
      organizationId,
      isNew: old === undefined,
      revision,
      createSecret: options.createSecret,
      ...(position !== undefined && { position }),
    });
    return revision;
  }

  return {
    async take(documents) {
      for (const run of toRuns(documents)) {
        const [{ kind, owner }] = run;
        const ids = [...new Set(run.map((it) => it.id))];
        // Empty if there is no such owner, which the check then rejects with the line.
        const organizationId = (owner && (await scopes.organizationOf(owner))) ?? "";
        const stored = await findStoredDocuments(tx, kind, ids, organizationId);
        for (const document of run) {
          const place = kind === "organization" ? document.id : organizationId;
          await atLine(document.line, () => take(document, place, stored));
        }
      }
    },
    async end() {
      await organizations.end(tx);
      if (options.ignoresReferences !== true) await references.end();
      await pages.end();
    },
  };
}

/** The organization and position of a record, and the stored document. */
interface WritePlace {
  readonly organizationId: string;
  readonly old: StoredDocument | undefined;
  readonly position: number | undefined;
}

function toStored(document: PreparedDocument): StoredDocument {
  const { id, owner, doc, pageId, billingTransactionId } = document;
  return {
    id,
    ownerId: owner?.id ?? "",
    doc,
    ...(pageId !== undefined && { pageId }),
    ...(billingTransactionId !== undefined && { billingTransactionId }),
  };
}

/** Returns a record of an organization or project with the quotas that are stored. */
function keepQuotas(
  kind: Counter,
  document: PreparedDocument,
  old: StoredDocument,
): PreparedDocument {
  const schema = RECORD_SCHEMAS[kind];
  const value = readDocument(schema, document.doc) as Organization | Project;
  const { quotas } = readDocument(schema, old.doc) as Organization | Project;
  if (quotas === undefined) delete value.quotas;
  else value.quotas = quotas;
  return { ...document, doc: toBinary(schema, value) };
}

/** Returns the quotas of an organization or project. */
function quotasOf(value: Message): Amounts {
  return readQuotas((value as Organization | Project).quotas);
}

function decideOutcome(document: PreparedDocument, old?: StoredDocument): ImportOutcome {
  if (old === undefined) return "created";
  return isSameDocument(document, old) ? "unchanged" : "updated";
}

/** Rejects an id that another resource has. */
function checkOwner({ kind, id, owner }: PreparedDocument, old: StoredDocument | undefined): void {
  if (old === undefined) return;
  if (old.isBought) throw taken(kind, id, "is used by an entitlement that a transaction grants");
  if (owner === undefined || old.ownerId === owner.id) return;
  throw taken(kind, id, `belongs to another ${owner.type}`);
}

function taken(kind: string, id: string, description: string): DomainError {
  const message = `${kind}.id: ${id} ${description}`;
  return new DomainError(Code.ALREADY_EXISTS, "ALREADY_EXISTS", message);
}

/** The ids looked up per statement. */
const RUN = 500;

type Run = readonly [PreparedDocument, ...PreparedDocument[]];

/** Cuts documents into runs of one kind. */
function toRuns(documents: readonly PreparedDocument[]): Run[] {
  const runs: [PreparedDocument, ...PreparedDocument[]][] = [];
  for (const document of documents) {
    const run = runs.at(-1);
    const isSame = run?.[0].kind === document.kind && run[0].owner?.id === document.owner?.id;
    if (run !== undefined && isSame && run.length < RUN) run.push(document);
    else runs.push([document]);
  }
  return runs;
}
