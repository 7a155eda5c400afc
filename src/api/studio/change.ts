import { ChangeVerb } from "../../../gen/svc/studio/cms/change/v1/change_pb.ts";
import { ChangeService } from "../../../gen/svc/studio/cms/change/v1/change_service_pb.ts";
import type { Record as TransferRecord } from "../../../gen/svc/transfer/v1/record_pb.ts";
import { parseChangedKey } from "../../domain/changes/resource-change.ts";
import { Code, DomainError } from "../../domain/errors.ts";
import { isUndoable } from "../../domain/kinds.ts";
import { openRecord, type RecordKind, wrapRecord } from "../../domain/records/record.ts";
import { readLiveRecords } from "../../storage/live-records.ts";
import { implement, type Service } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { applyDrafts } from "./apply-drafts.ts";
import { readKindPage } from "./list-page.ts";
import type { StudioDependencies } from "./resource.ts";

/** Creates the service of the history of projects. */
export function createChangeService(dependencies: StudioDependencies): Service<StudioCall> {
  return implement(ChangeService, {
    async listChanges(request, call) {
      const { pageTokens } = dependencies;
      const { history } = call.store;
      const parentIds = [request.projectId];
      const list = (query: Parameters<typeof history.list>[0]) => history.list(query);
      const page = await readKindPage(call, request, pageTokens, "change", parentIds, list);
      return { changes: page.values, nextPageToken: page.nextPageToken };
    },

    async getChange({ changeId }, call) {
      const { change, states } = await readChange(call, changeId);
      const resources = change.resources.map((resource, index) => {
        const { before, after } = states[index] ?? {};
        return { ...resource, ...(before && { before }), ...(after && { after }) };
      });
      return { change: { ...change, resources } };
    },

    async revertChange({ changeId }, call) {
      const { change, states } = await readChange(call, changeId);
      if (states.length < change.resources.length) throw historyGone(changeId);
      const drafts = change.resources.map(({ key, verb }, index) => {
        const { kind, resourceId } = parseChangedKey(key);
        const { before, after, isNewest } = states[index] ?? {};
        const isKept = verb === ChangeVerb.CREATED || before !== undefined;
        if (!isUndoable(kind) || !isKept) throw notRevertible(changeId, key);
        if (verb !== ChangeVerb.DELETED && after === undefined && !isNewest) {
          throw historyGone(changeId);
        }
        const [base, draft] = [after, before].map((it) => it && openRecord(it, 0));
        return { kind: kind as RecordKind, id: resourceId, base, draft };
      });
      const changed = new Set(await applyDrafts(call, dependencies, drafts));
      const resources = change.resources.filter(({ key }) => changed.has(key));
      // A call that changes nothing is audited, too.
      if (resources.length === 0) call.setChanged({ type: "change", id: changeId });
      return { resources: resources.map(({ key }) => key) };
    },
  });
}

/** The states of a changed resource; absent: it did not exist. */
interface ResourceStates {
  readonly before?: TransferRecord | undefined;
  readonly after?: TransferRecord | undefined;
  /** True if it has not changed since. */
  readonly isNewest?: boolean;
}

/** Reads a change and the states of its resources, of which some may be kept no longer. */
async function readChange(call: StudioCall, id: string) {
  const { change, states } = await call.store.history.get(id, call.organizationId);
  const resources = change.resources.map(({ key }) => {
    const { kind, resourceId } = parseChangedKey(key);
    return { kind, id: resourceId };
  });
  const live = await readLiveRecords(call.organization, change.projectId, resources);
  const read = states.map(({ before, after, isNewest }, index): ResourceStates => {
    const current = live.get(change.resources[index]?.key ?? "")?.item;
    return { before, after: isNewest ? current && wrapRecord(current) : after, isNewest };
  });
  return { change, states: read };
}

function historyGone(id: string): DomainError {
  const message = `change ${id} can no longer be taken back: not all of it is kept`;
  return new DomainError(Code.FAILED_PRECONDITION, "HISTORY_GONE", message, {
    metadata: { change_id: id },
  });
}

function notRevertible(id: string, key: string): DomainError {
  const message = `change ${id} cannot be taken back: no earlier state of ${key} is kept`;
  return new DomainError(Code.FAILED_PRECONDITION, "CHANGE_NOT_REVERTIBLE", message, {
    metadata: { change_id: id, resource: key },
  });
}
