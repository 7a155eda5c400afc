import {
  applyDraft,
  conflictError,
  type DraftConflict,
  type DraftStates,
} from "../../domain/changes/merge-draft.ts";
import { printKey } from "../../domain/changes/resource-change.ts";
import { DomainError } from "../../domain/errors.ts";
import { mergeOrder } from "../../domain/pages/components/layout.ts";
import { LineError } from "../../domain/records/line-error.ts";
import {
  RECORD_KINDS,
  type RecordItem,
  type RecordKind,
  recordIdOf,
} from "../../domain/records/record.ts";
import { readLiveRecords } from "../../storage/live-records.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { RecordWriter, readOrder } from "./record-writer.ts";
import type { StudioDependencies } from "./resource.ts";

/** The draft of a resource, with the state that was live when it was written. */
export interface Draft extends Pick<DraftStates, "base" | "draft"> {
  readonly kind: RecordKind;
  readonly id: string;
  /** The time of the last update of the resource as the draft leaves it. */
  readonly updateTime: Date;
  /** True to delete the resource although others refer to it. */
  readonly isForced?: boolean;
}

/** A draft with what is live, and the record to write. */
export interface MergedDraft extends Draft {
  readonly key: string;
  readonly live?: RecordItem;
  /** Absent: the resource does not exist afterwards. */
  readonly merged?: RecordItem;
  readonly conflicts: readonly DraftConflict[];
}

/** Options of {@link applyDrafts}. */
export interface ApplyOptions {
  /** True to write drafts over what was changed on live. Default: false. */
  readonly winsConflicts?: boolean;
  /** False to apply them for any account, in a transaction that is rolled back. Default: true. */
  readonly checksAccess?: boolean;
}

/** Merges drafts of a project with what is live, in the order of their kinds. */
export async function mergeDrafts(
  { organization }: Pick<StudioCall, "organization">,
  projectId: string,
  drafts: readonly Draft[],
): Promise<readonly MergedDraft[]> {
  const records = await readLiveRecords(organization, projectId, drafts);
  const sorted = drafts.toSorted((a, b) => rankOf(a) - rankOf(b));
  const merging = sorted.map(async (item): Promise<MergedDraft> => {
    const key = printKey(item);
    const live = records.get(key)?.item;
    const place = (record: RecordItem | undefined): RecordItem | undefined => {
      // A component may leave out its page, which an update cannot change.
      if (record?.kind !== "page_component" || record.pageId) return record;
      return { ...record, ...(live?.pageId && { pageId: live.pageId }) };
    };
    const draft = await dropOrder(organization, place(item.draft));
    const states = { base: place(item.base), draft, live };
    return { ...item, key, ...(live && { live }), ...applyDraft(states, item.updateTime) };
  });
  return Promise.all(merging);
}

/**
 * Makes drafts of the project of a call live, in its transaction, by an import with the rules, permissions and quotas
 * of the calls that write one resource. Returns the keys of the resources that have changed. Errors name the draft in
 * the metadata `item`. ABORTED `RELEASE_CONFLICTS`.
 */
export async function applyDrafts(
  call: StudioCall,
  dependencies: StudioDependencies,
  drafts: readonly Draft[],
  { winsConflicts = false, checksAccess = true }: ApplyOptions = {},
): Promise<readonly string[]> {
  const merged = await mergeDrafts(call, call.resource.projectId ?? "", drafts);
  const conflicting = merged.filter(({ conflicts }) => conflicts.length > 0);
  if (!winsConflicts && conflicting.length > 0) throw conflictError(conflicting);
  const writer = new RecordWriter(call, dependencies, { merge: (record) => record, checksAccess });
  const changed: string[] = [];
  const remove = async ({ key, kind, id, isForced = false }: MergedDraft) => {
    await writer.remove(kind, id, isForced).catch((error) => {
      throw blameItem(key, error);
    });
    changed.push(key);
  };
  const removed = merged.filter((it) => it.merged === undefined && it.live !== undefined);
  // Slugs and layouts are checked when everything is written, without the pages and components that are deleted.
  for (const item of await sortFromEnd(call, removed.filter(isPagePart))) await remove(item);
  const records = merged.flatMap((it, index) => {
    if (it.merged === undefined || it.merged === it.live) return [];
    return { ...it.merged, line: index + 1, keepsPlace: true };
  });
  const outcomes = await writer.writeTogether(records).catch((error) => {
    if (!(error instanceof LineError)) throw error;
    throw blameItem(merged[error.line - 1]?.key ?? "", error.original);
  });
  for (const [line, outcome] of outcomes) {
    if (outcome !== "unchanged") changed.push(merged[line - 1]?.key ?? "");
  }
  for (const item of removed.filter((it) => !isPagePart(it)).toReversed()) await remove(item);
  return changed;
}

/** A reason why drafts cannot be applied. */
export interface DraftProblem {
  /** The key of the draft; empty: no single one. */
  readonly key: string;
  readonly error: DomainError;
}

/**
 * Lists at most `limit` reasons why drafts cannot be applied, by applying them in transactions that are rolled back:
 * after each error once more, without the draft that caused it.
 */
export async function listProblems(
  call: StudioCall,
  dependencies: StudioDependencies,
  drafts: readonly Draft[],
  { limit, winsConflicts = false, ...options }: ApplyOptions & { readonly limit: number },
): Promise<readonly DraftProblem[]> {
  const merged = await mergeDrafts(call, call.resource.projectId ?? "", drafts);
  const conflicting = winsConflicts ? [] : merged.filter(({ conflicts }) => conflicts.length > 0);
  const problems = conflicting.map((it) => ({ key: it.key, error: conflictError([it]) }));
  let left = drafts;
  while (problems.length < limit) {
    const error = await findError(call, (inner) =>
      applyDrafts(inner, dependencies, left, { ...options, winsConflicts: true }),
    );
    if (error === undefined) break;
    const { item: key = "" } = error.metadata;
    problems.push({ key, error });
    if (key === "") break;
    left = left.filter((it) => printKey(it) !== key);
  }
  return problems.slice(0, limit);
}

/** Runs writes in a transaction that is rolled back, and returns the error of their rules. */
async function findError(
  call: StudioCall,
  run: (inner: StudioCall) => Promise<unknown>,
): Promise<DomainError | undefined> {
  const { store, organizationId } = call;
  const done = new Error("the drafts can be applied");
  try {
    await store.transaction({ organizationId }, async (unit) => {
      await run(call.within(unit));
      throw done;
    });
  } catch (error) {
    if (error === done) return undefined;
    if (error instanceof DomainError && error.reason !== "DATABASE_UNAVAILABLE") return error;
    throw error;
  }
  return undefined;
}

/** Names the draft that causes an error. */
function blameItem(key: string, error: unknown): unknown {
  if (!(error instanceof DomainError) || error.reason === "DATABASE_UNAVAILABLE") return error;
  const { code, reason, message, fields, metadata, cause } = error;
  return new DomainError(code, reason, `${key}: ${message}`, {
    fields,
    metadata: { ...metadata, item: key },
    cause,
  });
}

/** Returns a draft of a page without the order of its components if that is their order already. */
async function dropOrder(
  organization: StudioCall["organization"],
  draft: RecordItem | undefined,
): Promise<RecordItem | undefined> {
  if (draft?.kind !== "page" || draft.componentIds === undefined) return draft;
  const { componentIds, ...rest } = draft;
  const live = await readOrder(organization, recordIdOf(draft));
  const order = mergeOrder(
    live,
    componentIds.filter((id) => live.includes(id)),
  );
  const isComplete = componentIds.every((id) => live.includes(id));
  return isComplete && order.join() === live.join() ? rest : draft;
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
