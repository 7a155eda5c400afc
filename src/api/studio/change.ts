import { ChangeVerb } from "../../../gen/svc/studio/cms/change/v1/change_pb.ts";
import { ChangeService } from "../../../gen/svc/studio/cms/change/v1/change_service_pb.ts";
import type { Record as TransferRecord } from "../../../gen/svc/transfer/v1/record_pb.ts";
import { applyDraft, conflictError, mergeDraft } from "../../domain/changes/merge-draft.ts";
import { parseChangedKey } from "../../domain/changes/resource-change.ts";
import { Code, DomainError } from "../../domain/errors.ts";
import { isUndoable } from "../../domain/kinds.ts";
import { LineError } from "../../domain/records/line-error.ts";
import { openRecord, type RecordItem, type RecordKind } from "../../domain/records/record.ts";
import { implement, type Service } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { readKindPage } from "./list-page.ts";
import { readLiveRecord } from "./live-record.ts";
import { RecordWriter } from "./record-writer.ts";
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
        const state = states[index];
        const isKept = verb === ChangeVerb.CREATED || state?.before !== undefined;
        if (!isUndoable(kind) || !isKept) throw notRevertible(changeId, key);
        if (verb !== ChangeVerb.DELETED && state?.after === undefined && !state?.isNewest) {
          throw historyGone(changeId);
        }
        return { id: resourceId, kind: kind as RecordKind, ...openStates(state, index + 1) };
      });
      const bases = new Map(drafts.map(({ draft, base }) => [draft?.line, base]));
      const writer = new RecordWriter(call, dependencies, (draft, stored, now) =>
        applyDraft(draft, bases.get(draft.line), stored, now),
      );
      const records = drafts.flatMap(({ draft }) => draft ?? []);
      const outcomes = await writer.writeTogether(records).catch((error) => {
        throw error instanceof LineError ? error.original : error;
      });
      const removed = drafts.filter(({ draft, live }) => draft === undefined && live !== undefined);
      for (const { kind, id, base, live } of removed.toReversed()) {
        const { conflicts } = mergeDraft({ base, live });
        if (live !== undefined && conflicts.length > 0) throw conflictError(live, conflicts);
        await writer.remove(kind, id);
      }
      const written = records.filter(({ line }) => outcomes.get(line) !== "unchanged");
      const lines = new Set(
        [...written, ...removed.flatMap(({ live }) => live ?? [])].map((it) => it.line),
      );
      const resources = change.resources.filter((_, index) => lines.has(index + 1));
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
  readonly live?: TransferRecord | undefined;
  /** True if it has not changed since. */
  readonly isNewest?: boolean;
}

/** Reads a change and the states of its resources, of which some may be kept no longer. */
async function readChange(call: StudioCall, id: string) {
  const { change, states } = await call.store.history.get(id, call.organizationId);
  const read = states.map(async ({ before, after, isNewest }, index): Promise<ResourceStates> => {
    const { kind, resourceId } = parseChangedKey(change.resources[index]?.key ?? "");
    const live = await readLiveRecord(call.organization, kind, resourceId);
    return { before, after: isNewest ? live : after, live, isNewest };
  });
  return { change, states: await Promise.all(read) };
}

/** Opens the states of a resource: a draft that takes its change back, its base, and what is live. */
function openStates({ before, after, live }: ResourceStates = {}, line: number) {
  const open = (record: TransferRecord | undefined) => record && openRecord(record, line);
  const current = open(live);
  const place = (item: RecordItem | undefined): RecordItem | undefined => {
    if (item?.kind !== "page_component" || item.pageId) return item;
    // An update does not record the page, which it cannot change.
    return { ...item, ...(current?.pageId && { pageId: current.pageId }) };
  };
  const draft = place(open(before));
  return {
    draft: draft && { ...draft, keepsPlace: true },
    base: place(open(after)),
    live: current,
  };
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
