import { clone, create, fromJson, type JsonValue, toBinary } from "@bufbuild/protobuf";
import { timestampFromDate, ValueSchema } from "@bufbuild/protobuf/wkt";
import {
  type Conflict,
  ConflictKind,
  ConflictSchema,
  type ReleaseItem,
  ReleaseItemSchema,
  type ReleaseProblem,
  ReleaseProblemSchema,
} from "../../../gen/svc/studio/cms/release/v1/release_item_pb.ts";
import { ReleaseService } from "../../../gen/svc/studio/cms/release/v1/release_service_pb.ts";
import { WebhookEvent } from "../../../gen/svc/studio/cms/webhook/v1/webhook_pb.ts";
import { ConflictPolicy, type Release, ReleaseState } from "../../../gen/svc/type/v1/release_pb.ts";
import { CHECKED_DEPTH } from "../../domain/base/descriptors.ts";
import { notFound } from "../../domain/base/errors.ts";
import { STUDIO_PAGE_SIZE } from "../../domain/base/paging.ts";
import { stampTimes } from "../../domain/base/stamp-times.ts";
import { clipBytes } from "../../domain/base/text.ts";
import { type DraftConflict, listChangedItemPaths } from "../../domain/changes/merge-draft.ts";
import { parseChangedKey, printKey } from "../../domain/changes/resource-change.ts";
import { isReleasable, KIND_NAMES } from "../../domain/kinds.ts";
import {
  isRecordKind,
  RECORD_SCHEMAS,
  type RecordItem,
  wrapRecord,
} from "../../domain/records/record.ts";
import type { ResourceName } from "../../domain/references.ts";
import {
  checkApplyTime,
  checkNotApplied,
  checkWritable,
  notReady,
  RELEASE_LIMITS,
  toApplied,
} from "../../domain/releases/release.ts";
import type { DocumentQuery } from "../../storage/contract/document-store.ts";
import type { ReleaseDraft } from "../../storage/contract/releases.ts";
import { announceRelease } from "../steps/announce-changes.ts";
import { checkGranted } from "../steps/authorize.ts";
import { isReadable, mayReadKinds } from "../steps/read-access.ts";
import type { StudioService } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import {
  type ApplyOptions,
  applyDrafts,
  type Draft,
  type DraftProblem,
  listProblems,
  type MergedDraft,
  mergeDrafts,
} from "./apply-drafts.ts";
import { ReleaseCounts } from "./release-counts.ts";
import { Resource, type StudioDependencies } from "./resource.ts";
import { implementKind } from "./standard-methods.ts";

/** Creates the Studio API service of releases. */
export function createReleaseService(dependencies: StudioDependencies): StudioService {
  const releases = new Resource("release", dependencies);
  const counts = new ReleaseCounts();
  const { pageTokens } = dependencies;

  const show = (call: StudioCall, release: Release) =>
    counts.count(call, withholdMessage(call, release));

  /** Lists the problems of a release, at most `limit`. */
  const check = async (
    call: StudioCall,
    release: Release,
    options: { readonly limit: number; readonly checksAccess: boolean },
  ): Promise<readonly DraftProblem[]> => {
    const drafts = await listDrafts(call, release);
    return listProblems(call, dependencies, drafts, { ...options, ...readPolicy(release) });
  };

  /** Announces an event of a release to the webhooks of its project. */
  const announce = async (call: StudioCall, id: string, event: WebhookEvent): Promise<void> => {
    const { now, organization, store, trace } = call;
    const { createId } = dependencies;
    const stored = await organization.documents.release.get(id);
    const hasRuns = await announceRelease(store, stored, event, { createId, now, trace });
    if (hasRuns) call.hasRuns = true;
  };

  /** Lists releases with the numbers of their items, fewer if the budget is spent. */
  const listCounted = async (call: StudioCall, query: DocumentQuery) => {
    const documents = call.organization.documents.release;
    const shown = (release: Release) => withholdMessage(call, release);
    const { values, next } = await documents.list(query, shown);
    const counted: Release[] = [];
    for (const release of values) {
      if (counted.length > 0 && call.budget.isSpent) {
        // Finds the place of the last release that is counted.
        const { budget: _, ...shorter } = { ...query, limit: counted.length };
        const { next } = await documents.list(shorter, shown);
        return { values: counted, ...(next && { next }) };
      }
      counted.push(await counts.count(call, release));
    }
    return { values: counted, ...(next && { next }) };
  };

  /** Checks that a scheduled release can be applied. FAILED_PRECONDITION `RELEASE_NOT_READY`. */
  const checkReady = async (call: StudioCall, release: Release): Promise<void> => {
    const problems = await check(call, release, {
      limit: RELEASE_LIMITS.listed,
      checksAccess: true,
    });
    if (problems.length > 0) throw notReady(release.id, problems);
  };

  return implementKind(ReleaseService, releases, {
    async createRelease({ release: sent, releaseId }, call) {
      if (sent === undefined) return { release: await releases.create(call, sent, releaseId) };
      const { id: creatorId, organizationId: creatorOrganizationId } = call.account;
      const created = { ...sent, state: ReleaseState.OPEN, creatorId, creatorOrganizationId };
      const scheduled = schedule(created, undefined, call);
      const release = await releases.create(call, scheduled, releaseId);
      if (release.state === ReleaseState.SCHEDULED) {
        await announce(call, release.id, WebhookEvent.SCHEDULED);
      }
      return { release };
    },

    async getRelease({ releaseId }, call) {
      return { release: await show(call, await releases.get(call, releaseId)) };
    },

    async listReleases(request, call) {
      const list = (query: DocumentQuery) => listCounted(call, query);
      const { values, ...end } = await releases.list(call, request, [request.projectId], list);
      return { releases: values, ...end };
    },

    async updateRelease({ releaseId, release: sent, updateMask }, call) {
      let hasNewTerms = false;
      const release = await releases.update(
        call,
        releaseId,
        sent,
        updateMask,
        (changed, current) => {
          checkNotApplied(current);
          hasNewTerms =
            changed.conflictPolicy !== current.conflictPolicy || hasNewTime(changed, current);
          return hasNewTerms ? schedule(changed, current, call) : changed;
        },
      );
      if (hasNewTerms && release.state === ReleaseState.SCHEDULED) {
        await checkReady(call, release);
        await announce(call, releaseId, WebhookEvent.SCHEDULED);
      }
      return { release: await show(call, release) };
    },

    async deleteRelease({ releaseId }, call) {
      const { value } = await call.organization.documents.release.get(releaseId);
      checkMayDelete(call, value);
      if (value.state === ReleaseState.SCHEDULED) checkWritable(value);
      await releases.delete(call, releaseId, true);
      return {};
    },

    async listReleaseItems(request, call) {
      const { releaseId } = request;
      const binding = ["release_item", releaseId, call.organizationId, call.account.id];
      const page = pageTokens.open(request, STUDIO_PAGE_SIZE, binding);
      const { after } = page.readStart(([kind, id]) => ({ kind: String(kind), id: String(id) }));
      const { items, next } = await readItems(call, releaseId, after, page.limit);
      return { items, ...page.end(next && [next.kind, next.id]) };
    },

    async deleteReleaseItem({ releaseId, itemKey }, call) {
      const checkIfMatch = call.readIfMatch();
      const { organizationId, organization, store } = call;
      const stored = await organization.documents.release.get(releaseId);
      checkIfMatch(stored);
      checkWritable(stored.value);
      const { kind, id } = parseChangedKey(itemKey);
      if (!isRecordKind(kind)) throw notFound("release_item", itemKey);
      const among = { kind, ids: [id] };
      const [draft] = await store.releaseItems.list({ organizationId, releaseId }, among);
      if (draft === undefined) throw notFound("release_item", itemKey);
      await store.releaseItems.remove(draft);
      call.changed = [{ kind, id }];
      return {};
    },

    async checkRelease({ releaseId }, call) {
      const { value: release } = await call.organization.documents.release.get(releaseId);
      checkNotApplied(release);
      const limit = RELEASE_LIMITS.problems;
      const problems = await check(call, release, { limit, checksAccess: false });
      return { problems: problems.map(toProblem) };
    },

    async applyRelease({ releaseId }, call) {
      const checkIfMatch = call.readIfMatch();
      const stored = await call.organization.documents.release.get(releaseId);
      checkIfMatch(stored);
      checkNotApplied(stored.value);
      const drafts = await listDrafts(call, stored.value);
      // They count in the quota of bytes as long as they are drafts.
      await call.store.releaseItems.clear({ ...call.resource, projectId: stored.value.projectId });
      await applyDrafts(call, dependencies, drafts, readPolicy(stored.value));
      call.changed = [{ kind: "release", id: releaseId }];
      const changeId = call.changes.length > 0 ? call.changeId : "";
      const release = await releases.change(call, releaseId, (current) =>
        toApplied(current, changeId, call.now),
      );
      await announce(call, releaseId, WebhookEvent.APPLIED);
      return { release };
    },
  });
}

/** Returns a release without the message of its failure, unless the caller may read all drafts: it may quote values. */
function withholdMessage(call: StudioCall, release: Release): Release {
  const { failure, projectId } = release;
  if (failure === undefined || mayReadKinds(call, projectId, KIND_NAMES.filter(isReleasable))) {
    return release;
  }
  return { ...release, failure: { ...failure, message: failure.reason } };
}

function hasNewTime(changed: Release, current: Release | undefined): boolean {
  const [a, b] = [changed, current].map((it) => it?.applyTime);
  return a?.seconds !== b?.seconds || a?.nanos !== b?.nanos;
}

/**
 * Returns a release in the state that follows from its time; the account of the call is checked again for its permissions when
 * it is due. INVALID_ARGUMENT `APPLY_TIME_INVALID` and PERMISSION_DENIED for a time.
 */
function schedule(release: Release, current: Release | undefined, call: StudioCall): Release {
  const isTimed = release.applyTime !== undefined || current?.applyTime !== undefined;
  if (isTimed) checkGranted(call.held, call.resource, "cms.releases.apply");
  if (release.applyTime === undefined) {
    const wasScheduled = current?.state === ReleaseState.SCHEDULED;
    const state = wasScheduled ? ReleaseState.OPEN : release.state;
    return { ...release, state, accountId: "", accountOrganizationId: "" };
  }
  if (hasNewTime(release, current)) checkApplyTime(release.applyTime, call.now, "release");
  const { failure: _, ...rest } = release;
  const { id: accountId, organizationId: accountOrganizationId } = call.account;
  return { ...rest, state: ReleaseState.SCHEDULED, accountId, accountOrganizationId };
}

/** Checks that an account created a release, or may apply it. PERMISSION_DENIED. */
function checkMayDelete(
  { account, held, resource }: StudioCall,
  { creatorId, creatorOrganizationId }: Release,
): void {
  if (creatorId === account.id && creatorOrganizationId === account.organizationId) return;
  checkGranted(held, resource, "cms.releases.apply");
}

function readPolicy({ conflictPolicy }: Release): ApplyOptions {
  return { winsConflicts: conflictPolicy === ConflictPolicy.RELEASE_WINS };
}

/** Lists the drafts of a release, with the time of the call as the time of their updates. */
async function listDrafts(call: StudioCall, { id: releaseId }: Release): Promise<readonly Draft[]> {
  const { budget, now, organizationId, store } = call;
  const drafts: Draft[] = [];
  for await (const step of store.releaseItems.readAll({ organizationId, releaseId })) {
    for (const item of step) {
      // The base of a component may leave out its page.
      const isOnCurrent = item.isOnCurrent && (item.kind !== "page_component" || !item.base);
      drafts.push({ ...stampDraft(item, now), isOnCurrent });
    }
    await budget.pace();
  }
  return drafts;
}

function stampDraft({ draft, ...rest }: ReleaseDraft, now: Date): Draft {
  const item = { ...rest, updateTime: now };
  if (draft === undefined) return item;
  const schema = RECORD_SCHEMAS[draft.kind];
  const message = stampTimes(schema, clone(schema, draft.message), ["update_time"], now);
  return { ...item, draft: { ...draft, message } };
}

/** The drafts that are read at a time: few, because each may have megabytes. */
const STEP = 5;

/**
 * Reads the items of a release after a place, at most `limit`, until the budget is spent or they would be too large, but
 * at least one. `next` is the place of the last one if others may follow.
 */
async function readItems(
  call: StudioCall,
  releaseId: string,
  start: ResourceName | undefined,
  limit: number,
): Promise<{ readonly items: ReleaseItem[]; readonly next?: ResourceName | undefined }> {
  const { budget, resource, store } = call;
  const items: ReleaseItem[] = [];
  let after = start;
  for (;;) {
    const drafts = await store.releaseItems.list(
      { ...resource, releaseId },
      { after, limit: STEP },
    );
    for (const draft of drafts) {
      if (items.length === limit || (items.length > 0 && budget.isSpent)) {
        return { items, next: after };
      }
      await budget.nextStep();
      const item = await budget.spend(() => readItem(call, draft));
      if (item !== undefined) {
        const isFitting = budget.takeBytes(toBinary(ReleaseItemSchema, item).length);
        if (!isFitting && items.length > 0) return { items, next: after };
        items.push(item);
      }
      after = { kind: draft.kind, id: draft.id };
    }
    if (drafts.length < STEP) return { items };
  }
}

/**
 * Returns the item of a draft, undefined if it changes nothing of the current version. Its values are withheld from callers that
 * may not read the resource.
 */
async function readItem(call: StudioCall, draft: ReleaseDraft): Promise<ReleaseItem | undefined> {
  const { projectId, accountId } = draft;
  const key = printKey(draft);
  const [merged] = await mergeDrafts(call, projectId, [draft]);
  if (merged === undefined || merged.merged === merged.current) return undefined;
  if (isReadable(call, { projectId, key })) return toItem(draft, merged);
  const updateTime = timestampFromDate(draft.updateTime);
  return create(ReleaseItemSchema, { key, accountId, updateTime, isHidden: true });
}

function toItem({ draft, accountId, updateTime }: ReleaseDraft, item: MergedDraft): ReleaseItem {
  const { key, current, merged, conflicts } = item;
  const wrap = (record: RecordItem | undefined) => record && wrapRecord(record);
  const changedPaths = current && merged ? listChangedItemPaths(current, merged) : [];
  return create(ReleaseItemSchema, {
    ...{ key, current: wrap(current), draft: wrap(draft), merged: wrap(merged), changedPaths },
    ...{ conflicts: conflicts.map(toConflict), accountId },
    updateTime: timestampFromDate(updateTime),
  });
}

function toConflict({ kind, path, base, current, draft }: DraftConflict): Conflict {
  const toValue = (value: JsonValue | undefined) =>
    value === undefined ? undefined : fromJson(ValueSchema, value, CHECKED_DEPTH);
  const values = { base: toValue(base), current: toValue(current), draft: toValue(draft) };
  const name = kind.toUpperCase() as Uppercase<typeof kind>;
  return create(ConflictSchema, { kind: ConflictKind[name], path, ...values });
}

function toProblem({ key, error }: DraftProblem): ReleaseProblem {
  const message = clipBytes(error.message, RELEASE_LIMITS.problemBytes);
  return create(ReleaseProblemSchema, { itemKey: key, reason: error.reason, message });
}
