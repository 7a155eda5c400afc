import type { Message } from "@bufbuild/protobuf";
import type { ResourceRef } from "../../domain/access/permissions.ts";
import type { DomainError } from "../../domain/base/errors.ts";
import { printKey, type ResourceChange } from "../../domain/changes/resource-change.ts";
import {
  type CheckFacts,
  isContentKind,
  isRecorded,
  kindOf,
  listRequiredOf,
  PERMISSIONS,
} from "../../domain/kinds.ts";
import { blameLine } from "../../domain/records/line-error.ts";
import { mergeRecord } from "../../domain/records/merge-record.ts";
import {
  type DocumentRecordKind,
  EXPORTED_KINDS,
  pathOf,
  type RecordItem,
  type RecordKind,
  recordIdOf,
  type StoredRecord,
} from "../../domain/records/record.ts";
import { checkContentRecord, checkRecord } from "../../domain/records/record-checks.ts";
import { type ResourceName, referenceNotFound } from "../../domain/references.ts";
import { chooseId } from "../../domain/validation/ids.ts";
import { checkInput } from "../../domain/validation/input-checks.ts";
import type { ImportOutcome } from "../../storage/contract/records.ts";
import type { OrganizationStore, Store } from "../../storage/contract/store.ts";
import { checkGranted } from "../steps/authorize.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { deletePageComponent } from "./page-component.ts";
import { Resource, type ResourceKind, type StudioDependencies } from "./resource.ts";

/** A record to write, the message that it replaces, and a changed order of a page's components. */
interface RecordChange {
  readonly record: RecordItem;
  readonly before: Message | undefined;
  readonly order?: ResourceChange["order"];
}

interface RecordWriterOptions {
  /** Returns the record to write for a given one. Default: the stored resource with the fields of the record. */
  readonly merge?: typeof mergeRecord;
  /** False to write what the account may not write, in a transaction that is rolled back. Default: true. */
  readonly checksAccess?: boolean;
  /** Called before each record that is written; an error that it throws ends the call. Default: nothing. */
  readonly onStep?: () => void;
}

/** The outcomes and the changes of written records by line, and the new revisions of their projects. */
interface Written {
  readonly outcomes: ReadonlyMap<number, ImportOutcome>;
  readonly changes: readonly RecordChange[];
  readonly revisions: ReadonlyMap<string, number>;
}

/**
 * Writes records of one project in the transaction of a call, by an import with the rules, permissions and quotas of
 * the calls that write one resource. Each change gets its audit entry and is announced. Results refer to records by
 * their lines. No two records are of one resource.
 */
export class RecordWriter {
  readonly #call: StudioCall;
  /** The project of the resource on which the permission of the call was checked. */
  readonly #project: ResourceRef;
  readonly #dependencies: StudioDependencies;
  readonly #options: RecordWriterOptions;
  readonly #facts: CheckFacts;
  /** The orders of pages before the first write, by id. */
  readonly #orders = new Map<string, readonly string[]>();

  constructor(
    call: StudioCall,
    dependencies: StudioDependencies,
    options: RecordWriterOptions = {},
  ) {
    this.#call = call;
    const { organizationId, projectId: id = "" } = call.resource;
    this.#project = { kind: "project", id, organizationId, projectId: id };
    this.#options = options;
    this.#dependencies = dependencies;
    this.#facts = { checkTarget: dependencies.checkTarget };
    call.changed = [];
  }

  /**
   * Writes all records, or none: the error of the first that is rejected names its line. With `onRejected`, which gets the
   * errors, a rejected record is omitted as if it had not been given, and so are those that need it. Returns the outcomes of
   * the others by line.
   */
  async write(
    records: readonly RecordItem[],
    onRejected?: (line: number, error: DomainError) => void,
  ): Promise<ReadonlyMap<number, ImportOutcome>> {
    const { store, organizationId } = this.#call;
    const written = await store.transaction({ organizationId }, (unit) =>
      this.#write(unit, records, onRejected),
    );
    this.#note(written);
    return written.outcomes;
  }

  /** Deletes a resource; unless it is forced, only if nothing refers to it: FAILED_PRECONDITION `STILL_REFERRED_TO`. */
  async remove(kind: RecordKind, id: string, isForced: boolean): Promise<void> {
    const call = this.#call;
    this.#check(`${kindOf(kind).permissions}.delete`, { ...this.#project, kind, id });
    // The condition of the call is about another resource.
    const checkNothing = () => {};
    if (kind === "page_component") {
      await this.#keepOrder((await call.organization.pageComponents.locate(id)).pageId);
      await deletePageComponent(call, id, checkNothing);
    } else {
      const resources = new Resource(kind as ResourceKind, this.#dependencies);
      await resources.delete(call, id, isForced, checkNothing);
    }
    call.changed.push({ kind, id });
  }

  async #write(
    unit: Store,
    records: readonly RecordItem[],
    onRejected?: (line: number, error: DomainError) => void,
  ): Promise<Written> {
    const { budget } = this.#call;
    const changes = new Map<number, RecordChange>();
    const outcomes = new Map<number, ImportOutcome>();
    const pages = records.filter(({ componentIds }) => componentIds !== undefined);
    for (const page of pages) await this.#keepOrder(recordIdOf(page));
    const lines = new Map(
      records.map((it) => [printKey({ kind: it.kind, id: recordIdOf(it) }), it.line]),
    );
    const { projects } = await unit.importRecords([records], {
      createSecret: this.#dependencies.createSecret,
      resolve: async (given, stored) => {
        await budget.pace();
        this.#options.onStep?.();
        const record = this.#resolve(given, stored);
        changes.set(record.line, { record, before: stored?.message });
        return record;
      },
      onRecord({ line }, outcome) {
        outcomes.set(line, outcome);
      },
      ...(onRejected && {
        onRejected(line, error) {
          outcomes.delete(line);
          changes.delete(line);
          onRejected(line, error);
        },
      }),
      onDangling({ kind, id, to }) {
        const change = changes.get(lines.get(printKey({ kind, id })) ?? 0);
        if (change !== undefined) checkReference(change, to);
      },
    });
    for (const page of pages) {
      const { line } = page;
      const before = this.#orders.get(recordIdOf(page)) ?? [];
      const change = changes.get(line);
      if (change === undefined) continue;
      const after = await readOrder(unit.in(this.#project.organizationId), recordIdOf(page));
      if (before.join() === after.join()) continue;
      changes.set(line, { ...change, order: { before, after } });
      if (outcomes.get(line) === "unchanged") outcomes.set(line, "updated");
    }
    for (const [line, outcome] of outcomes) if (outcome === "unchanged") changes.delete(line);
    return { outcomes, changes: [...changes.values()], revisions: new Map(projects) };
  }

  /** Keeps the order of a page as it is before the first write, for its history. */
  async #keepOrder(pageId: string): Promise<void> {
    if (this.#orders.has(pageId)) return;
    this.#orders.set(pageId, await readOrder(this.#call.organization, pageId));
  }

  /** Returns the record to write, if the account may write it and its kind allows it. */
  #resolve<Item extends RecordItem>(given: Item, stored: StoredRecord | undefined): Item {
    this.#checkPermission(given, stored);
    const path = pathOf(given.kind);
    if (stored === undefined && given.kind !== "sign_in_integration") {
      chooseId(recordIdOf(given), `${path}.id`, () => "");
    }
    const { merge = mergeRecord } = this.#options;
    const record = merge(given, stored, this.#call.now);
    if (record.message === stored?.message) return record;
    if (record.mask !== undefined) checkInput(kindOf(record.kind).schema, record.message, path);
    if (isContentKind(record.kind)) {
      checkContentRecord(record.kind, record.message);
      return record;
    }
    return checkRecord(record as RecordItem<DocumentRecordKind>, this.#facts) as Item;
  }

  /** Checks the permission to update the stored resource, or to create it in its project or on its page. */
  #checkPermission(record: RecordItem, stored: StoredRecord | undefined): void {
    const { kind, pageId = "" } = record;
    const project = this.#project;
    const parent = kind === "page_component" ? { ...project, kind: "page", id: pageId } : project;
    if (stored !== undefined) {
      const resource = { ...project, kind, id: recordIdOf(record) };
      this.#check(
        `${kindOf(kind).permissions}.update`,
        kind === "sign_in_integration" ? project : resource,
      );
    }
    if (stored === undefined || record.pageId !== stored.pageId) {
      this.#check(creationOf(kind), parent);
    }
  }

  #check(permission: string, resource: ResourceRef): void {
    if (this.#options.checksAccess === false) return;
    checkGranted(this.#call.held, resource, permission);
  }

  /** Adds the audit entries and the announcements of what is written. */
  #note({ changes, revisions }: Written): void {
    const call = this.#call;
    for (const { record, before, order } of changes) {
      const { kind, message, pageId, mask } = record;
      const id = recordIdOf(record);
      call.changed.push({ kind, id, ...(mask && { updatedFields: mask.paths }) });
      if (!isRecorded(kind)) continue;
      const revision = revisions.get(this.#project.id) ?? 0;
      call.addChange({ kind, before, after: message, revision, pageId, ...(order && { order }) });
    }
  }
}

/** Reports whether records write a kind: of a project, with an update method. */
export function isWritable(kind: RecordKind): boolean {
  const { in: parent, permissions } = kindOf(kind);
  const isUpdated = parent === "project" && PERMISSIONS.has(`${permissions}.update`);
  return isUpdated && EXPORTED_KINDS.includes(kind);
}

/** Returns the ids of a page's components, in order. */
export async function readOrder(
  { pageComponents }: OrganizationStore,
  pageId: string,
): Promise<readonly string[]> {
  return (await pageComponents.listPlaces(pageId)).map(({ id }) => id);
}

/** Returns the permission to create a resource; an integration is only updated. */
function creationOf(kind: RecordKind): string {
  const create = `${kindOf(kind).permissions}.create`;
  return PERMISSIONS.has(create) ? create : `${kindOf(kind).permissions}.update`;
}

/**
 * Checks that a record does not add a reference to a resource that its project lacks: `REFERENCE_NOT_FOUND`, with its
 * line.
 */
function checkReference({ record, before }: RecordChange, to: ResourceName): void {
  const { kind, message, line } = record;
  const isTo = ({ kind, id }: ResourceName) => kind === to.kind && id === to.id;
  if (before !== undefined && listRequiredOf(kind, before).some(isTo)) return;
  const reference = listRequiredOf(kind, message).find(isTo);
  if (reference !== undefined) throw blameLine(line, referenceNotFound(reference, pathOf(kind)));
}
