import { create, toBinary } from "@bufbuild/protobuf";
import {
  type Change,
  type ChangedResource,
  ChangedResourceSchema,
  ChangeVerb,
} from "../../../gen/svc/studio/cms/change/v1/change_pb.ts";
import { ChangeService } from "../../../gen/svc/studio/cms/change/v1/change_service_pb.ts";
import { Code, DomainError } from "../../domain/base/errors.ts";
import { mergeDraft } from "../../domain/changes/merge-draft.ts";
import { parseChangedKey } from "../../domain/changes/resource-change.ts";
import { isKindName, isReleasable, isUndoable } from "../../domain/kinds.ts";
import { openRecord, type RecordKind, wrapRecord } from "../../domain/records/record.ts";
import { MOST_CURRENT, readCurrentRecords } from "../../storage/contract/current-records.ts";
import type { ReleaseDraft } from "../../storage/contract/releases.ts";
import { checkReadable, isReadable, releaseConflicts, toRef } from "../steps/read-access.ts";
import { implement, type StudioService } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { applyDrafts, type Draft, mergeDrafts } from "./apply-drafts.ts";
import { readKindPage } from "./kind-reads.ts";
import type { StudioDependencies } from "./resource.ts";

/** Creates the service of the history of projects. */
export function createChangeService(dependencies: StudioDependencies): StudioService {
  return implement(ChangeService, {
    async listChanges(request, call) {
      const { pageTokens } = dependencies;
      const { history } = call.store;
      const parentIds = [request.projectId];
      const list = (query: Parameters<typeof history.list>[0]) =>
        history.list(query, (change) => withhold(call, change));
      const page = await readKindPage(call, "change", request, pageTokens, parentIds, list);
      const { values, ...end } = page;
      return { changes: values, ...end };
    },

    async getChange({ changeId }, call) {
      const { change, states, revision } = await readChange(call, changeId);
      call.setETag({ revision });
      return { change: await withStates(call, withhold(call, change), states) };
    },

    async revertChange({ changeId }, call) {
      const checkIfMatch = call.readIfMatch();
      const { change, states, revision } = await readChange(call, changeId);
      checkIfMatch({ revision });
      const drafts = change.resources.map(({ key, verb }, index) => {
        const { kind, id } = parseChangedKey(key);
        if (call.release) checkReadable(call.held, toRef(call, { ...change, key }));
        const state = states[index];
        if (state === undefined) throw historyGone(changeId);
        const { before, after } = state;
        const hasBefore = verb === ChangeVerb.CREATED || before !== undefined;
        const hasAfter = verb === ChangeVerb.DELETED || after !== undefined;
        const isSupported = call.release
          ? isKindName(kind) && isReleasable(kind)
          : isUndoable(kind);
        if (!isSupported || !hasBefore || !hasAfter) throw notRevertible(changeId, key);
        const [base, draft] = [after, before].map((it) => it && openRecord(it, 0));
        return { kind: kind as RecordKind, id, base, draft, updateTime: call.now };
      });
      const { release } = call;
      const keys = release
        ? await draftRevert(call, change, release.id, drafts)
        : await applyDrafts(call, dependencies, drafts);
      const changed = new Set(keys);
      const resources = change.resources.filter(({ key }) => changed.has(key));
      // A call that changes nothing is audited, too.
      if (resources.length === 0) call.changed = [{ kind: "change", id: changeId }];
      return { resources: resources.map(({ key }) => key) };
    },
  });
}

/** Writes the earlier states of a change as drafts of a release, on top of its own. Returns the keys of the drafts. */
async function draftRevert(
  call: StudioCall,
  { id: changeId, projectId }: Change,
  releaseId: string,
  drafts: readonly Draft[],
): Promise<readonly string[]> {
  const { account, budget, now, organizationId, store } = call;
  const place = { organizationId, releaseId };
  const [version] = await store.releaseItems.listVersions(organizationId, [releaseId]);
  const items: ReleaseDraft[] = [];
  for (const [kind, ofKind] of Map.groupBy(drafts, (it) => it.kind)) {
    const ids = ofKind.map(({ id }) => id);
    items.push(...(await store.releaseItems.list(place, { kind, ids })));
  }
  const organization = store.in(organizationId);
  const written: string[] = [];
  for (const { key, ...states } of await mergeDrafts({ organization, budget }, projectId, drafts)) {
    const { kind, id, base, draft, current } = states;
    const item = items.find((it) => it.kind === kind && it.id === id);
    if (item === undefined && states.merged === current) continue;
    const shown = item && mergeDraft({ ...item, current }, item.updateTime).merged;
    const result = item && mergeDraft({ base, draft, current: shown }, now);
    if (result && result.conflicts.length > 0) {
      throw releaseConflicts(call, projectId, [{ key, ...result }]);
    }
    const pair = item ? { base: item.base, draft: result?.merged } : { base, draft };
    await store.releaseItems.put({
      ...{ ...place, kind, id, projectId, isForced: false, accountId: account.id, updateTime: now },
      ...(pair.base && { base: pair.base }),
      ...(pair.draft && { draft: pair.draft }),
    });
    written.push(key);
  }
  if (version === undefined) {
    const { release } = organization.documents;
    await release.update(releaseId, ({ value }) => ({ ...value, revertsChangeId: changeId }));
  }
  return written;
}

/** Withholds the values and paths of the resources of a change that the caller may not read. */
function withhold(call: StudioCall, change: Change): Change {
  const resources = change.resources.map((it) => {
    const { key, verb } = it;
    if (isReadable(call, { projectId: change.projectId, key })) return it;
    return create(ChangedResourceSchema, { key, verb, isHidden: true });
  });
  return { ...change, resources };
}

/**
 * Adds the states of the resources of a change that the caller may read. Once they are as large as a page of a list, the
 * states of the resources that follow are withheld, but not their paths.
 */
async function withStates(
  { budget }: StudioCall,
  { resources, ...change }: Change,
  states: readonly Pick<ChangedResource, "before" | "after">[],
): Promise<Change> {
  const all: ChangedResource[] = [];
  let isFull = false;
  for (const [index, resource] of resources.entries()) {
    const { before, after } = states[index] ?? {};
    if (resource.isHidden || (before ?? after) === undefined) {
      all.push(resource);
      continue;
    }
    await budget.nextStep();
    const whole: ChangedResource = {
      ...resource,
      ...(before && { before }),
      ...(after && { after }),
    };
    const takesBytes = () => budget.takeBytes(toBinary(ChangedResourceSchema, whole).length);
    isFull ||= !budget.count(takesBytes) && index > 0;
    all.push(isFull ? { ...resource, isHidden: true } : whole);
  }
  return { ...change, resources: all };
}

/** Reads a change and the states of its resources that are kept, by their index. */
async function readChange({ budget, store, organizationId }: StudioCall, id: string) {
  const { change, states } = await store.history.get(id, organizationId, budget);
  // A release shows other states.
  const organization = store.in(organizationId);
  const read = [...states];
  const newest = [...states.keys()].filter((index) => states[index]?.isNewest);
  for (let from = 0; from < newest.length; from += MOST_CURRENT) {
    const portion = newest.slice(from, from + MOST_CURRENT).map((index) => {
      const key = change.resources[index]?.key ?? "";
      return { index, key, ...parseChangedKey(key) };
    });
    await budget.nextStep();
    const records = await budget.spend(() =>
      readCurrentRecords(organization, change.projectId, portion),
    );
    for (const { index, key } of portion) {
      const [state, current] = [states[index], records.get(key)];
      // A later write that is not in the history has another revision.
      const isKept = state && current && current.revision <= state.revision;
      if (isKept) read[index] = { ...state, after: wrapRecord(current.item) };
    }
  }
  return { change, states: read, revision: states[0]?.revision ?? 0 };
}

function historyGone(id: string): DomainError {
  const message = `change ${id} cannot be reverted: not all of its values are still stored`;
  return new DomainError(Code.FAILED_PRECONDITION, "HISTORY_GONE", message, {
    metadata: { change_id: id },
  });
}

function notRevertible(id: string, key: string): DomainError {
  const message = `change ${id} cannot be reverted: the values of ${key} before or after it are no longer stored`;
  return new DomainError(Code.FAILED_PRECONDITION, "CHANGE_NOT_REVERTIBLE", message, {
    metadata: { change_id: id, resource: key },
  });
}
