import { toBinary } from "@bufbuild/protobuf";
import { Code, DomainError } from "../../domain/base/errors.ts";
import {
  type DraftConflict,
  type DraftStates,
  mergeDraft,
} from "../../domain/changes/merge-draft.ts";
import { printKey } from "../../domain/changes/resource-change.ts";
import { mergeOrder } from "../../domain/pages/components/layout.ts";
import { LineError } from "../../domain/records/line-error.ts";
import {
  RECORD_KINDS,
  RECORD_SCHEMAS,
  type RecordItem,
  type RecordKind,
  recordIdOf,
} from "../../domain/records/record.ts";
import { checkCurrentSize, checkTooLong, RELEASE_LIMITS } from "../../domain/releases/release.ts";
import { MOST_CURRENT, readCurrentRecords } from "../../storage/contract/current-records.ts";
import { releaseConflicts, withholdValues } from "../steps/read-access.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { RecordWriter, readOrder } from "./record-writer.ts";
import type { StudioDependencies } from "./resource.ts";

/** The draft of a resource, with the state that was current when it was written. */
export interface Draft extends Pick<DraftStates, "base" | "draft"> {
  readonly kind: RecordKind;
  readonly id: string;
  /** The time of the last update of the resource as the draft leaves it. */
  readonly updateTime: Date;
  /** True to delete the resource although others refer to it. */
  readonly isForced?: boolean;
  /** True if `base` is still the current version; false if that is not known. */
  readonly isOnCurrent?: boolean;
}

/** A draft with the current version of its resource, and the record to write. */
export interface MergedDraft extends Draft {
  readonly key: string;
  readonly current?: RecordItem;
  /** As in `DraftMerge`. */
  readonly merged?: RecordItem;
  readonly conflicts: readonly DraftConflict[];
}

/** A reason why drafts cannot be applied. */
export interface DraftProblem {
  /** The key of the draft; empty: no single one. */
  readonly key: string;
  readonly error: DomainError;
}

/** Options of {@link applyDrafts}. */
export interface ApplyOptions {
  /** True to write drafts over what was changed since. Default: false. */
  readonly winsConflicts?: boolean;
  /** False to apply them for any account, in a transaction that is rolled back. Default: true. */
  readonly checksAccess?: boolean;
}

/** How a check applies drafts. */
interface CheckOptions extends ApplyOptions {
  /** Called for each draft that is omitted because it cannot be applied. Absent: the first one ends the call. */
  readonly onProblem?: (problem: DraftProblem) => void;
  /** Called before each record that is written; an error that it throws ends the call. */
  readonly onStep?: () => void;
}

/**
 * Merges drafts of a project with current versions, in the order of their kinds. RESOURCE_EXHAUSTED `RELEASE_ITEM_LIMIT` if
 * what has changed since the drafts were written is too large.
 */
export async function mergeDrafts(
  { organization, budget }: Pick<StudioCall, "budget" | "organization">,
  projectId: string,
  drafts: readonly Draft[],
): Promise<readonly MergedDraft[]> {
  const merged: MergedDraft[] = [];
  let records: Awaited<ReturnType<typeof readCurrentRecords>> = new Map();
  const sorted = drafts.toSorted((a, b) => rankOf(a) - rankOf(b));
  let unread = sorted.filter(({ isOnCurrent = false }) => !isOnCurrent);
  let bytes = 0;
  for (const stored of sorted) {
    await budget.pace();
    if (stored === unread[0]) {
      records = await readCurrentRecords(organization, projectId, unread.slice(0, MOST_CURRENT));
      for (const { item } of records.values()) {
        bytes += toBinary(RECORD_SCHEMAS[item.kind], item.message).length;
      }
      checkCurrentSize(bytes);
      unread = unread.slice(MOST_CURRENT);
    }
    // A stored draft decodes its states each time that they are read.
    const item = { ...stored };
    const key = printKey(item);
    const current = item.isOnCurrent ? item.base : records.get(key)?.item;
    const place = (record: RecordItem | undefined): RecordItem | undefined => {
      // A component may leave out its page, which an update cannot change.
      if (record?.kind !== "page_component" || record.pageId) return record;
      return { ...record, ...(current?.pageId && { pageId: current.pageId }) };
    };
    const draft = await dropOrder(organization, place(item.draft));
    const states = { base: place(item.base), draft, current };
    merged.push({
      ...item,
      key,
      ...(current && { current }),
      ...mergeDraft(states, item.updateTime),
    });
  }
  return merged;
}

/**
 * Makes drafts of the project of a call current, in its transaction, by an import with the rules, permissions and quotas
 * of the calls that write one resource. Returns the keys of the resources that have changed. Errors name the draft in
 * the metadata `item`. ABORTED `RELEASE_CONFLICTS`.
 */
export async function applyDrafts(
  call: StudioCall,
  dependencies: StudioDependencies,
  drafts: readonly Draft[],
  options: ApplyOptions = {},
): Promise<readonly string[]> {
  const merged = await mergeDrafts(call, call.resource.projectId ?? "", drafts);
  const conflicting = merged.filter(({ conflicts }) => conflicts.length > 0);
  if (!options.winsConflicts && conflicting.length > 0) {
    throw releaseConflicts(call, call.resource.projectId ?? "", conflicting);
  }
  return applyMerged(call, dependencies, merged, options);
}

async function applyMerged(
  call: StudioCall,
  dependencies: StudioDependencies,
  merged: readonly MergedDraft[],
  { checksAccess = true, onProblem, onStep = () => {} }: CheckOptions,
): Promise<readonly string[]> {
  const merge = <Record extends RecordItem>(record: Record) => record;
  const writer = new RecordWriter(call, dependencies, { merge, checksAccess, onStep });
  const changed: string[] = [];
  const remove = async ({ key, kind, id, isForced = false }: MergedDraft) => {
    await call.budget.pace();
    onStep();
    try {
      await writer.remove(kind, id, isForced);
      changed.push(key);
    } catch (error) {
      if (!(error instanceof DomainError) || isOfNoItem(error)) throw error;
      const blamed = blameItem(key, error);
      if (onProblem === undefined) throw blamed;
      onProblem({ key, error: blamed });
    }
  };
  const removed = merged.filter((it) => it.merged === undefined && it.current !== undefined);
  // Slugs and layouts are checked when everything is written, without the pages and components that are deleted.
  for (const item of await sortFromEnd(call, removed.filter(isPagePart))) await remove(item);
  const records = merged.flatMap((it, index) => {
    if (it.merged === undefined || it.merged === it.current) return [];
    return { ...it.merged, line: index + 1, keepsPlace: true };
  });
  for (const [line, outcome] of await write(writer, records, merged, onProblem)) {
    if (outcome !== "unchanged") changed.push(merged[line - 1]?.key ?? "");
  }
  for (const item of removed.filter((it) => !isPagePart(it)).toReversed()) await remove(item);
  return changed;
}

/** Writes the records of drafts, whose lines are their places among these. Returns the outcomes by line. */
function write(
  writer: RecordWriter,
  records: readonly RecordItem[],
  merged: readonly MergedDraft[],
  onProblem: CheckOptions["onProblem"],
) {
  const blame = (line: number, error: DomainError) => {
    const { key = "" } = merged[line - 1] ?? {};
    return { key, error: blameItem(key, error) };
  };
  const onRejected =
    onProblem && ((line: number, error: DomainError) => onProblem(blame(line, error)));
  return writer.write(records, onRejected).catch((error) => {
    throw error instanceof LineError ? blame(error.line, error.original).error : error;
  });
}

/**
 * Lists at most `limit` reasons why drafts cannot be applied, by applying them in a transaction that is rolled back. A
 * draft that cannot be applied is omitted; those that need it have problems, too. RESOURCE_EXHAUSTED
 * `RELEASE_CHECK_LIMIT` for a check that works longer than {@link RELEASE_LIMITS} allows.
 */
export async function listProblems(
  call: StudioCall,
  dependencies: StudioDependencies,
  drafts: readonly Draft[],
  { limit, winsConflicts = false, ...options }: ApplyOptions & { readonly limit: number },
): Promise<readonly DraftProblem[]> {
  const { store, budget } = call;
  const { projectId = "" } = call.resource;
  const merged = await mergeDrafts(call, projectId, drafts);
  const problems: DraftProblem[] = [];
  const rollback = new Error("the check of drafts is rolled back");
  const onProblem = ({ key, error }: DraftProblem) => {
    problems.push({ key, error: withholdValues(call, { projectId, key }, error) });
    if (problems.length >= limit) throw rollback;
  };
  // Others wait for its transaction, so that its time counts from here.
  const end = budget.spent + RELEASE_LIMITS.checkTime;
  const tooLong = new Error("the check of drafts takes too long");
  const onStep = () => {
    if (budget.spent > end) throw tooLong;
  };
  try {
    if (!winsConflicts) {
      for (const item of merged.filter(({ conflicts }) => conflicts.length > 0)) {
        onProblem({
          key: item.key,
          error: releaseConflicts(call, projectId, [item]),
        });
      }
    }
    const scope = { projectIds: [projectId], owner: call.organizationId, isLong: true };
    await store.transaction(scope, async (unit) => {
      // They count in the quota of bytes as long as they are drafts.
      await unit.releaseItems.clear({ ...call.resource, projectId });
      await applyMerged(call.within(unit), dependencies, merged, { ...options, onProblem, onStep });
      throw rollback;
    });
  } catch (error) {
    if (error === tooLong) throw checkTooLong();
    if (error !== rollback) throw error;
  }
  return problems;
}

/** Names the draft that causes an error. */
function blameItem(
  key: string,
  { code, reason, message, fields, metadata, cause }: DomainError,
): DomainError {
  const more = { fields, metadata: { ...metadata, item: key }, cause };
  return new DomainError(code, reason, `${key}: ${message}`, more);
}

/** Reports whether no draft causes an error: the database is unavailable, or the caller no longer waits. */
function isOfNoItem({ code }: DomainError): boolean {
  return code === Code.UNAVAILABLE || code === Code.CANCELLED;
}

/** Returns a draft of a page without the order of its components if that is their order already. */
async function dropOrder(
  organization: StudioCall["organization"],
  draft: RecordItem | undefined,
): Promise<RecordItem | undefined> {
  if (draft?.kind !== "page" || draft.componentIds === undefined) return draft;
  const { componentIds, ...rest } = draft;
  const current = await readOrder(organization, recordIdOf(draft));
  const order = mergeOrder(
    current,
    componentIds.filter((id) => current.includes(id)),
  );
  const isComplete = componentIds.every((id) => current.includes(id));
  return isComplete && order.join() === current.join() ? rest : draft;
}

/** Sorts components of pages from the last to the first, so that each one's predecessor is known, then pages. */
async function sortFromEnd(
  { organization }: StudioCall,
  items: readonly MergedDraft[],
): Promise<readonly MergedDraft[]> {
  const positions = new Map<MergedDraft, number>();
  for (const item of items) {
    if (item.kind !== "page_component") continue;
    positions.set(item, (await organization.pageComponents.locate(item.id)).position);
  }
  return items.toSorted((a, b) => (positions.get(b) ?? -1) - (positions.get(a) ?? -1));
}

function isPagePart({ kind }: Draft): boolean {
  return kind === "page" || kind === "page_component";
}

function rankOf({ kind }: Draft): number {
  return RECORD_KINDS.indexOf(kind);
}
