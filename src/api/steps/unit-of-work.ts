import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ContextValues, Interceptor, UnaryRequest, UnaryResponse } from "@connectrpc/connect";
import { type Entry, EntrySchema } from "../../../gen/svc/studio/iam/audit/v1/entry_pb.ts";
import { readTraceContext } from "../../domain/actions/run-payload.ts";
import { isManagement } from "../../domain/messages/interfaces.ts";
import type { Store } from "../../storage/store.ts";
import { scopeAround, toWriteScope, type WriteScope } from "../../storage/write-scope.ts";
import { readAccessRule } from "./access-rule.ts";
import { createAnnounceChanges } from "./announce-changes.ts";
import {
  afterCommit,
  findPart,
  getAccount,
  getOrganizationId,
  getPart,
  getRequest,
  setPart,
  toCallStore,
} from "./call.ts";
import { CONSISTENCY_HEADER, printConsistencyToken } from "./consistency-token.ts";
import { openRepeatedCall } from "./idempotency.ts";
import { findWriteFields, type WriteFields } from "./write-fields.ts";

/**
 * Creates the interceptor that makes each management call atomic: the writes of its handler, the runs of webhooks
 * that announce them, the audit entry and the repeatable answer are committed together or not at all. `onRuns` is
 * called when there are such runs. With `validate_only`, all of it is executed and rolled back; with a
 * `request_id` that was answered within 24 hours, nothing is executed and the first answer is returned.
 */
export function createUnitOfWork(
  store: Store,
  createId: () => string,
  onRuns: () => void = () => {},
): Interceptor {
  const announceChanges = createAnnounceChanges(store, createId);
  return (next) => async (request) => {
    if (request.stream || !isManagement(request.method.parent)) return next(request);
    const { contextValues } = request;
    const fields = findWriteFields(request.method)?.read(request.message);
    if (fields === undefined) {
      setPart(contextValues, "store", toCallStore(store, getOrganizationId(contextValues)));
      return next(request);
    }
    try {
      const scope = scopeOfCall(request);
      const response = await runAudited(store, { scope, createId }, async (unit, audit) => {
        // A retried transaction starts from an empty state.
        setPart(contextValues, "effects", []);
        setPart(contextValues, "contentChanges", []);
        const repeated = await openRepeatedCall(unit, request, fields.requestId);
        if (repeated.answer !== undefined) {
          setPart(contextValues, "repeated", repeated.answer);
          return await next(request);
        }
        const callStore = toCallStore(unit, getOrganizationId(contextValues));
        setPart(contextValues, "store", callStore);
        const response = await next(request);
        if (response.stream) return response;
        const changes = getPart(contextValues, "contentChanges");
        const { now } = getRequest(contextValues);
        const call = { now, readTrace: () => readTraceContext(request.header) };
        if (await announceChanges(callStore, changes, call)) afterCommit(contextValues, onRuns);
        await audit(toChange(request, fields));
        if (fields.validateOnly) throw new DryRunRollback(response);
        await repeated.keep(response);
        return response;
      });
      for (const effect of getPart(contextValues, "effects")) effect();
      const projectId = findChangedProject(contextValues);
      const revision = store.knownRevision(projectId);
      if (revision !== undefined) {
        response.header.set(CONSISTENCY_HEADER, printConsistencyToken(projectId, revision));
      }
      return response;
    } catch (thrown) {
      if (thrown instanceof DryRunRollback) return thrown.response;
      throw thrown;
    }
  };
}

/** An audit entry without its id. */
export type AuditedChange = Omit<Entry, "$typeName" | "$unknown" | "id">;

/** Runs a write in one transaction, with an audit entry for each change that it passes to `audit`. */
export function runAudited<T>(
  store: Store,
  { scope, createId }: { readonly scope: WriteScope; readonly createId: () => string },
  run: (unit: Store, audit: (change: AuditedChange) => Promise<void>) => Promise<T>,
): Promise<T> {
  return store.transaction(scope, (unit) =>
    run(unit, (change) => unit.audit.add(create(EntrySchema, { ...change, id: createId() }))),
  );
}

/**
 * Returns the scope of a write: for a project its organization, otherwise the narrowest that contains the
 * resource.
 */
function scopeOfCall({ method, contextValues }: UnaryRequest): WriteScope {
  const place = getPart(contextValues, "resource");
  const rule = readAccessRule(method);
  const isOfProject = rule.case === "permission" && rule.value.name.startsWith("iam.projects.");
  return isOfProject ? scopeAround(place) : toWriteScope([place]);
}

/** Rolls back the transaction of a dry run and carries its answer to the caller. */
class DryRunRollback extends Error {
  readonly response: UnaryResponse;

  constructor(response: UnaryResponse) {
    super("a dry run is rolled back");
    this.response = response;
  }
}

/** Finds the project of the resource that a call has written; empty if it belongs to none. */
function findChangedProject(values: ContextValues): string {
  const place = getPart(values, "resource");
  const changed = findPart(values, "changed") ?? place;
  return place.projectId ?? (changed.type === "project" ? changed.id : "");
}

function toChange(
  { method, contextValues }: UnaryRequest,
  { updatedFields }: WriteFields,
): AuditedChange {
  const { now, requestId } = getRequest(contextValues);
  const place = getPart(contextValues, "resource");
  const changed = findPart(contextValues, "changed") ?? place;
  return {
    time: timestampFromDate(now),
    organizationId: place.organizationId || changed.id,
    projectId: findChangedProject(contextValues),
    accountId: getAccount(contextValues).id,
    method: `${method.parent.typeName}/${method.name}`,
    resourceType: changed.type,
    resourceId: changed.id,
    updatedFields: [...updatedFields],
    requestId,
  };
}
