import { createHash } from "node:crypto";
import { create, type Message } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { LRUCache } from "lru-cache";
import { ChangeSchema } from "../../../gen/svc/studio/cms/change/v1/change_pb.ts";
import { type Entry, EntrySchema } from "../../../gen/svc/studio/iam/audit/v1/entry_pb.ts";
import { ReleaseState } from "../../../gen/svc/type/v1/release_pb.ts";
import type { ResourceRef } from "../../domain/access/permissions.ts";
import { type PathTree, WHOLE } from "../../domain/changes/path-tree.ts";
import {
  type DescribedChange,
  describeChanges,
  type ResourceChange,
  toRecordBefore,
} from "../../domain/changes/resource-change.ts";
import type { ResourceName } from "../../domain/references.ts";
import { checkWritable } from "../../domain/releases/release.ts";
import type { Store } from "../../storage/contract/store.ts";
import { scopeAround, toWriteScope, type WriteScope } from "../../storage/contract/write-scope.ts";
import { ChangeAnnouncer } from "./announce-changes.ts";
import { CONSISTENCY_HEADER, printConsistencyToken } from "./consistency-token.ts";
import { openRepeatedCall } from "./idempotency.ts";
import type { IncomingCall } from "./incoming-call.ts";
import type { WriteFields } from "./request-fields.ts";
import { readAccessRule } from "./request-fields.ts";
import { ResponseLimit } from "./response-limit.ts";
import { type AuthorizedCall, type ChangedResource, StudioCall } from "./studio-call.ts";

/** The dependencies of a {@link UnitOfWork}. */
export interface UnitOfWorkParts {
  readonly store: Store;
  readonly createId: () => string;
  /** Called when a write has committed runs that are to be sent. */
  readonly onRuns?: (() => void) | undefined;
  /** The most bytes of the history of a project; absent: any number. */
  readonly historyBytes?: number | undefined;
  /** Absent: the default. */
  readonly responseLimit?: ResponseLimit;
}

/** The bytes that a history grows by until it is trimmed: comparing its size costs a statement. */
const TRIMMED_BYTES = 2 ** 20;

/** The maximum number of projects whose growth is counted. */
const MOST_PROJECTS = 1_000;

/** Makes each write of the Studio API atomic. */
export class UnitOfWork {
  readonly #parts: UnitOfWorkParts;
  readonly #historyBytes: number;
  /** The bytes that histories have grown by in this process since they were last trimmed, by project. */
  readonly #untrimmed = new LRUCache<string, number>({ max: MOST_PROJECTS });
  readonly #announcer: ChangeAnnouncer;
  readonly #responseLimit: ResponseLimit;

  constructor(parts: UnitOfWorkParts) {
    this.#parts = parts;
    this.#historyBytes = parts.historyBytes ?? Number.MAX_SAFE_INTEGER;
    this.#responseLimit = parts.responseLimit ?? new ResponseLimit();
    this.#announcer = new ChangeAnnouncer(parts.store, parts.createId);
  }

  /** Reports whether a history has grown so far that its size is compared with the maximum. */
  #isTrimDue(projectId: string, bytes: number): boolean {
    const grown = (this.#untrimmed.get(projectId) ?? 0) + bytes;
    const isDue = grown > Math.min(TRIMMED_BYTES, this.#historyBytes / 16);
    this.#untrimmed.set(projectId, isDue ? 0 : grown);
    return isDue;
  }

  /**
   * Calls the handler of a write in one transaction. Its writes, the webhook runs that announce them, the audit entry
   * and the repeatable response are committed together or not at all. With `validate_only`, all of it is executed and
   * rolled back. With a `request_id` that got a response within 24 hours, nothing is executed and the first response is
   * returned.
   */
  async run(
    authorized: AuthorizedCall,
    fields: WriteFields,
    message: Message,
    handle: (call: StudioCall) => Promise<Message>,
  ): Promise<Message> {
    const { store, createId, onRuns } = this.#parts;
    const { incoming, resource } = authorized;
    if (resource === undefined) throw new Error(`${incoming.method.name} writes no resource`);
    const scope = scopeOf(incoming, resource);
    try {
      const { response, call } = await runAudited(
        store,
        { scope, createId },
        async (unit, audit) => {
          const { requestId } = fields;
          const repeated =
            requestId === ""
              ? undefined
              : await openRepeatedCall(unit, authorized, message, requestId, this.#responseLimit);
          if (repeated?.response !== undefined) return { response: repeated.response };
          // A retried transaction begins with a new call.
          const call = new StudioCall(authorized, unit, createId());
          if (call.release !== undefined) await openForDrafts(unit, call.release);
          const response = await handle(call);
          if (await this.#announcer.announce(call)) call.hasRuns = true;
          const entries = await audit(
            ...call.changed.map((it, index) => ({
              ...toAuditedChange(authorized, resource, it, fields),
              ...(index === 0 && { id: call.changeId }),
            })),
          );
          const recorded = await recordChanges(unit, entries, call);
          const { projectId = "" } = entries[0] ?? {};
          if (projectId !== "" && this.#isTrimDue(projectId, recorded)) {
            await unit.history.trim(projectId, this.#historyBytes);
          }
          if (fields.validateOnly) throw new DryRunRollback(response);
          await repeated?.keep?.(response);
          return { response, call };
        },
      );
      if (call?.hasRuns) onRuns?.();
      const projectId = findProject(resource, call?.changed[0] ?? resource);
      // A deleted project has no known revision. No process knows one as new as its deletion.
      const revision = store.knownRevision(projectId) ?? call?.changes[0]?.revision;
      if (projectId !== "" && revision !== undefined) {
        incoming.responseHeaders[CONSISTENCY_HEADER] = printConsistencyToken(projectId, revision);
      }
      return response;
    } catch (thrown) {
      if (thrown instanceof DryRunRollback) return thrown.response;
      throw thrown;
    }
  }
}

/** An audit entry; without an id it gets one. */
export type AuditedChange = Omit<Entry, "$typeName" | "$unknown" | "id"> & { readonly id?: string };

/** Runs a write in one transaction, with an audit entry for each change that it passes to `audit`. */
export function runAudited<T>(
  store: Store,
  { scope, createId }: { readonly scope: WriteScope; readonly createId: () => string },
  run: (
    unit: Store,
    audit: (...changes: readonly AuditedChange[]) => Promise<readonly Entry[]>,
  ) => Promise<T>,
): Promise<T> {
  return store.transaction(scope, (unit) =>
    run(unit, async (...changes) => {
      const entries = changes.map((it) => create(EntrySchema, { ...it, id: it.id ?? createId() }));
      await unit.audit.add(...entries);
      return entries;
    }),
  );
}

/** Adds the changes of a call to the history of their project. Returns their bytes. */
async function recordChanges(
  unit: Store,
  entries: readonly Entry[],
  { budget, changes, hasSeparateChanges }: StudioCall,
): Promise<number> {
  let bytes = 0;
  const described = await budget.run(describeChanges(changes));
  for (const [index, entry] of entries.entries()) {
    const [from, to] = hasSeparateChanges ? [index, index + 1] : [0, changes.length];
    const own = changes.slice(from, to);
    bytes += await recordChange(unit, entry, own, described.slice(from, to), index);
    if (!hasSeparateChanges) break;
  }
  return bytes;
}

/** The methods whose repeated updates of one resource are one change. */
const JOINABLE = /\/(Update\w+|WriteRecords)$/;

/** Adds a change to the history of its project, which ends with it. */
async function recordChange(
  unit: Store,
  { id, time, organizationId, projectId, accountId, method, resourceType, resourceId }: Entry,
  changes: readonly ResourceChange[],
  described: readonly DescribedChange[],
  part: number,
): Promise<number> {
  const [first] = changes;
  if (first === undefined || (first.kind === "project" && first.after === undefined)) return 0;
  const resources = described.map(({ resource }) => resource);
  const [{ changed } = { changed: WHOLE }, ...others] = described;
  const isJoinable = others.length === 0 && changed.size > 0;
  const releaseId = resourceType === "release" ? resourceId : "";
  const change = { id, projectId, ...(time && { time }), accountId, method, releaseId, resources };
  return unit.history.add({
    organizationId,
    revision: Math.max(...changes.map((it) => it.revision)),
    part,
    joinedBy: isJoinable && JOINABLE.test(method) ? hashPaths(changed) : "",
    change: create(ChangeSchema, change),
    before: changes.map(toRecordBefore),
  });
}

/** Returns a short hash of all paths of a tree. */
export function hashPaths(tree: PathTree): string {
  const hash = createHash("sha256");
  const add = (it: PathTree) => {
    hash.update(JSON.stringify([...it.keys()]));
    it.forEach(add);
  };
  add(tree);
  return hash.digest("base64url").slice(0, 22);
}

/** The permissions of the calls that apply a release. */
const APPLYING = ["cms.releases.apply", "cms.releases.update"];

/**
 * Returns the scope of a write: for a project and for records, which may be of projects, the organization, otherwise the
 * narrowest that contains the resource.
 */
function scopeOf({ method }: IncomingCall, resource: ResourceRef): WriteScope {
  const rule = readAccessRule(method);
  const name = rule.case === "permission" ? rule.value.name : "";
  if (name.startsWith("cms.records.") || name === "cms.changes.revert") {
    return { organizationId: resource.organizationId };
  }
  if (APPLYING.includes(name) && resource.projectId !== undefined) {
    const { organizationId: owner, projectId } = resource;
    return { projectIds: [projectId], owner, isLong: true };
  }
  return name.startsWith("iam.projects.") ? scopeAround(resource) : toWriteScope([resource]);
}

/** Rolls back the transaction of a dry run and carries its response to the caller. */
class DryRunRollback extends Error {
  readonly response: Message;

  constructor(response: Message) {
    super("a dry run is rolled back");
    this.response = response;
  }
}

/** Finds the project of the resource that a call has written; empty if it belongs to none. */
function findProject({ projectId }: ResourceRef, changed: ResourceName | undefined): string {
  return projectId ?? (changed?.kind === "project" ? changed.id : "");
}

/**
 * Checks that drafts of a release can change, and opens it again if it could not be applied. FAILED_PRECONDITION
 * `RELEASE_SCHEDULED` or `RELEASE_STATE_FORBIDS`.
 */
async function openForDrafts(unit: Store, { id, organizationId }: ResourceRef): Promise<void> {
  const { release: releases } = unit.in(organizationId).documents;
  const { value } = await releases.get(id);
  checkWritable(value);
  if (value.state !== ReleaseState.FAILED) return;
  await releases.update(id, ({ value: { failure: _, ...release } }) => ({
    ...release,
    state: ReleaseState.OPEN,
  }));
}

function toAuditedChange(
  { incoming, caller, draft }: AuthorizedCall,
  resource: ResourceRef,
  changed: ChangedResource,
  { updatedFields }: WriteFields,
): AuditedChange {
  const { method, request } = incoming;
  return {
    time: timestampFromDate(request.now),
    organizationId: resource.organizationId || changed.id,
    projectId: findProject(resource, changed),
    accountId: caller.account.id,
    method: `${method.parent.typeName}/${method.name}`,
    resourceType: changed.kind,
    resourceId: changed.id,
    updatedFields: [...new Set(changed.updatedFields ?? updatedFields)],
    requestId: request.requestId,
    releaseId: draft?.releaseId ?? (resource.kind === "release" ? resource.id : ""),
  };
}
