import { create } from "@bufbuild/protobuf";
import { type FieldMask, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Interceptor, UnaryRequest, UnaryResponse } from "@connectrpc/connect";
import { type Entry, EntrySchema } from "../../gen/svc/studio/iam/audit/v1/entry_pb.ts";
import { isHarmless } from "../domain/access/roles.ts";
import { isManagement } from "../domain/messages/interfaces.ts";
import type { Store } from "../storage/store.ts";
import { scopeAround, toWriteScope, type WriteScope } from "../storage/write-scope.ts";
import { readAccessRule } from "./access-rule.ts";
import { afterCommitKey, changedKey, repeatedKey, storeKey } from "./call-store.ts";
import { getAccount, getRequest, resourceKey } from "./caller.ts";
import { openRepeatedCall } from "./idempotency.ts";

/**
 * Creates the interceptor that makes each management call one unit: what its handler writes, the audit
 * entry and the answer for a repeated call are kept together or not at all. With `validate_only` all of
 * it is carried out and none kept; with a `request_id` that was answered within 24 hours nothing is
 * carried out and the first answer given.
 */
export function createChangesInterceptor(store: Store, createId: () => string): Interceptor {
  return (next) => async (request) => {
    if (request.stream || !isManagement(request.method.parent)) return next(request);
    const { contextValues } = request;
    if (!isWrite(request)) {
      contextValues.set(storeKey, store);
      return next(request);
    }
    try {
      const answer = await store.transaction(scopeOfCall(request), async (unit) => {
        contextValues.set(afterCommitKey, []);
        const repeated = await openRepeatedCall(unit, request);
        if (repeated.answer !== undefined) {
          contextValues.set(repeatedKey, repeated.answer);
          return await next(request);
        }
        contextValues.set(storeKey, unit);
        const response = await next(request);
        if (response.stream) return response;
        await unit.audit.add(toEntry(request, createId()));
        if (Reflect.get(request.message, "validateOnly") === true) throw new Rehearsal(response);
        await repeated.keep(response);
        return response;
      });
      for (const effect of contextValues.get(afterCommitKey)) effect();
      return answer;
    } catch (thrown) {
      if (thrown instanceof Rehearsal) return thrown.response;
      throw thrown;
    }
  };
}

/** Undoes the transaction of a call that was only to be tried. */
class Rehearsal extends Error {
  readonly response: UnaryResponse;

  constructor(response: UnaryResponse) {
    super("nothing is kept");
    this.response = response;
  }
}

function isWrite({ method }: UnaryRequest): boolean {
  if (method.idempotency === NO_SIDE_EFFECTS) return false;
  const rule = readAccessRule(method);
  return rule.case === "permission" && !isHarmless(rule.value.name);
}

const NO_SIDE_EFFECTS = 1;

/** A project itself is written in the scope of its organization, all else in the narrowest around it. */
function scopeOfCall({ method, contextValues }: UnaryRequest): WriteScope {
  const place = contextValues.get(resourceKey);
  const rule = readAccessRule(method);
  if (place === undefined || rule.case !== "permission") return "installation";
  return rule.value.name.startsWith("iam.projects.") ? scopeAround(place) : toWriteScope([place]);
}

function toEntry({ method, message, contextValues }: UnaryRequest, id: string): Entry {
  const { now, requestId } = getRequest(contextValues);
  const place = contextValues.get(resourceKey);
  if (place === undefined) throw new Error(`${method.name} names no resource`);
  const changed = contextValues.get(changedKey) ?? place;
  return create(EntrySchema, {
    id,
    time: timestampFromDate(now),
    organizationId: place.organizationId || changed.id,
    projectId: place.projectId ?? (changed.type === "project" ? changed.id : ""),
    accountId: getAccount(contextValues).id,
    method: `${method.parent.typeName}/${method.name}`,
    resourceType: changed.type,
    resourceId: changed.id,
    updatedFields: (Reflect.get(message, "updateMask") as FieldMask | undefined)?.paths ?? [],
    requestId,
  });
}
