import {
  type DescMessage,
  equals,
  fromJson,
  type JsonObject,
  type JsonValue,
  toJson,
} from "@bufbuild/protobuf";
import { Code, DomainError } from "../errors.ts";
import {
  RECORD_SCHEMAS,
  type RecordItem,
  recordIdOf,
  type StoredRecord,
} from "../records/record.ts";
import { stampTimes } from "../stamp-times.ts";
import { keepPaths, listChangedPaths, mergeJson } from "./json-merge.ts";

/** Three states of a resource; absent: it does not exist. */
export interface DraftStates {
  /** The live state when the draft was written. */
  readonly base?: RecordItem | undefined;
  readonly draft?: RecordItem | undefined;
  readonly live?: RecordItem | undefined;
}

/** A reason why a draft cannot be applied without loss. */
export interface DraftConflict {
  /**
   * Both changed a path; the draft changed what was deleted on live; it deletes what was changed on live; it creates
   * what exists on live.
   */
  readonly kind: "changed_live" | "deleted_live" | "exists_live" | "path_changed";
  /** The path in the resource; empty: the whole resource. */
  readonly path: string;
  readonly base: JsonValue | undefined;
  readonly live: JsonValue | undefined;
  readonly draft: JsonValue | undefined;
}

/** The result of applying a draft to what is live. */
export interface DraftMerge {
  /** Absent: the resource does not exist afterwards. */
  readonly merged?: RecordItem;
  /** Where the draft won over what was changed on live. */
  readonly conflicts: readonly DraftConflict[];
}

/** Merges a draft with the changes that were made on live since it was written. */
export function mergeDraft({ base, draft, live }: DraftStates): DraftMerge {
  const [before, ours, theirs] = [base, draft, live].map((it) => it && toState(it));
  const whole = (kind: DraftConflict["kind"]): DraftMerge => ({
    ...(draft && { merged: draft }),
    conflicts: [{ kind, path: "", base: before, live: theirs, draft: ours }],
  });
  if (draft === undefined) {
    return live === undefined || isSame(before, theirs) ? { conflicts: [] } : whole("changed_live");
  }
  if (base === undefined) {
    return live === undefined || isSame(ours, theirs)
      ? { merged: draft, conflicts: [] }
      : whole("exists_live");
  }
  if (live === undefined) return whole("deleted_live");
  const { value, conflicts } = mergeJson(before, ours, theirs);
  return {
    merged: withState(draft, value as JsonObject),
    conflicts: conflicts.map((conflict) => ({ kind: "path_changed", ...conflict })),
  };
}

/** A draft with the state that was live when it was written. */
export type Draft = Pick<DraftStates, "base" | "draft">;

/**
 * Returns the draft of a resource that is written into a release; undefined if what is live has the same values. Its
 * base is what is live: a conflict remains only at paths that were not written again, as `isWritten` decides.
 */
export function rewriteDraft(
  states: DraftStates,
  written: RecordItem | undefined,
  isWritten: (path: string) => boolean,
): Draft | undefined {
  const { base, live } = states;
  if (live === undefined) return written && { draft: written };
  if (written === undefined) return { base: live };
  const { conflicts } = mergeDraft(states);
  const kept = new Set(conflicts.map(({ path }) => path).filter((it) => it && !isWritten(it)));
  if (kept.size > 0 && base !== undefined) {
    const state = keepPaths(toState(base), toState(live), kept) as JsonObject;
    return { base: withState(base, state), draft: written };
  }
  const isNeeded = !isSame(toState(written), toState(live)) || written.componentIds !== undefined;
  return isNeeded ? { base: live, draft: written } : undefined;
}

/**
 * Returns the record that a draft makes of the stored one. If nothing has changed since `base`, that is the draft with
 * its times; otherwise a changed one has `now` as its update time. ABORTED `RELEASE_CONFLICTS`.
 */
export function applyDraft<Record extends RecordItem>(
  draft: Record,
  base: RecordItem | undefined,
  stored: StoredRecord | undefined,
  now: Date,
): Record {
  const live = stored && { ...draft, ...stored };
  const { merged = draft, conflicts } = mergeDraft({ base, draft, live });
  if (conflicts.length > 0) throw conflictError(draft, conflicts);
  if (live === undefined || base === undefined) return draft;
  const schema: DescMessage = RECORD_SCHEMAS[draft.kind];
  if (equals(schema, live.message, base.message) && live.pageId === base.pageId) return draft;
  if (isSame(toState(merged), toState(live))) return { ...draft, message: live.message };
  const message = stampTimes(schema, merged.message, ["update_time"], now);
  return { ...draft, ...merged, message };
}

/** Creates the error of a draft that cannot be applied to what is live: ABORTED `RELEASE_CONFLICTS`. */
export function conflictError(
  item: Pick<RecordItem, "kind" | "message">,
  conflicts: readonly DraftConflict[],
): DomainError {
  const key = `${item.kind}:${recordIdOf(item)}`;
  const paths = conflicts
    .map(({ kind, path }) => (path === "" ? kind : `${kind} ${path}`))
    .join(", ");
  return new DomainError(
    Code.ABORTED,
    "RELEASE_CONFLICTS",
    `${key} has other changes on live: ${paths}`,
    { metadata: { item: key, conflicts: paths } },
  );
}

function isSame(a: JsonObject | undefined, b: JsonObject | undefined): boolean {
  return listChangedPaths(a, b).length === 0;
}

/** Returns the JSON of a resource without the time of its last update, and the page of a component. */
function toState({ kind, message, pageId }: RecordItem): JsonObject {
  const schema: DescMessage = RECORD_SCHEMAS[kind];
  const json = toJson(schema, message, { useProtoFieldName: true }) as JsonObject;
  const { update_time: _, ...state } = json;
  return pageId ? { ...state, page_id: pageId } : state;
}

/** Returns a record with another state. */
function withState(record: RecordItem, { page_id: pageId, ...state }: JsonObject): RecordItem {
  const message = fromJson(RECORD_SCHEMAS[record.kind], state);
  return { ...record, message, ...(typeof pageId === "string" && { pageId }) };
}
