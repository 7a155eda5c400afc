import {
  clone,
  type DescMessage,
  equals,
  fromJson,
  type JsonObject,
  type JsonValue,
} from "@bufbuild/protobuf";
import { CHECKED_DEPTH } from "../base/descriptors.ts";
import { Code, DomainError } from "../base/errors.ts";
import { stampTimes } from "../base/stamp-times.ts";
import { clip } from "../base/text.ts";
import { RECORD_SCHEMAS, type RecordItem } from "../records/record.ts";
import { diffJson, isEqual, keepPaths, mergeJson, toWrittenJson } from "./json-merge.ts";
import { dropPaths, listPaths, readPath } from "./path-tree.ts";

/** Three states of a resource; absent: it does not exist. */
export interface DraftStates {
  /** The current version when the draft was written. */
  readonly base?: RecordItem | undefined;
  readonly draft?: RecordItem | undefined;
  readonly current?: RecordItem | undefined;
}

/** A reason why a draft cannot be applied without loss. */
export interface DraftConflict {
  /**
   * Both changed a path; the draft changed what has been deleted since; it deletes what has been changed since; it
   * creates what exists by now.
   */
  readonly kind: "current_changed" | "current_deleted" | "current_exists" | "path_changed";
  /** The path in the resource, of several conflicts perhaps a common parent; empty: the whole resource. */
  readonly path: string;
  readonly base: JsonValue | undefined;
  readonly current: JsonValue | undefined;
  readonly draft: JsonValue | undefined;
}

/** The result of merging a draft with the current version. */
export interface DraftMerge {
  /** The current version itself if the draft changes nothing; absent: the resource does not exist afterwards. */
  readonly merged?: RecordItem;
  /** Where the draft won over what was changed since. */
  readonly conflicts: readonly DraftConflict[];
}

/**
 * Merges a draft with the changes of the current version since it was written. A draft of what has not changed keeps its times, a
 * merged one has `updateTime`, and one that changes nothing is the current version.
 */
export function mergeDraft(states: DraftStates, updateTime: Date): DraftMerge {
  const { base, draft, current } = states;
  const isOnCurrent = base !== undefined && current !== undefined && isSameRecord(base, current);
  const result = isOnCurrent ? { ...(draft && { merged: draft }), conflicts: [] } : merge(states);
  const { merged, conflicts } = result;
  if (merged === undefined || current === undefined) return result;
  const hasOrder = merged.componentIds !== undefined;
  if (!hasOrder && isEqual(toState(merged), toState(current)))
    return { merged: current, conflicts };
  if (isOnCurrent) return result;
  const schema: DescMessage = RECORD_SCHEMAS[merged.kind];
  const message = stampTimes(schema, clone(schema, merged.message), ["update_time"], updateTime);
  return { merged: { ...merged, message }, conflicts };
}

function merge({ base, draft, current }: DraftStates): DraftMerge {
  const [before, ours, theirs] = [base, draft, current].map((it) => it && toState(it));
  const whole = (kind: DraftConflict["kind"]): DraftMerge => ({
    ...(draft && { merged: draft }),
    conflicts: [{ kind, path: "", base: before, current: theirs, draft: ours }],
  });
  if (draft === undefined) {
    return current === undefined || isEqual(before, theirs)
      ? { conflicts: [] }
      : whole("current_changed");
  }
  if (base === undefined) {
    return current === undefined || isEqual(ours, theirs)
      ? { merged: draft, conflicts: [] }
      : whole("current_exists");
  }
  if (current === undefined) return whole("current_deleted");
  const { value, conflicts } = mergeJson(before, ours, theirs, RECORD_SCHEMAS[draft.kind]);
  return {
    merged: withState(draft, value as JsonObject),
    conflicts: listPaths(conflicts).map((path) => ({
      ...{ kind: "path_changed", path },
      ...{
        base: readPath(before, path),
        current: readPath(theirs, path),
        draft: readPath(ours, path),
      },
    })),
  };
}

/** A draft with the state that was current when it was written. */
export type Draft = Pick<DraftStates, "base" | "draft">;

/**
 * Returns the draft of a resource that is written into a release; undefined if the current version has the same values. Its
 * base is the current version: a conflict remains only at paths that were not written again, which `writtenPaths` are (absent:
 * all).
 */
export function rewriteDraft(
  { base, draft, current }: DraftStates,
  written: RecordItem | undefined,
  writtenPaths: readonly string[] | undefined,
): Draft | undefined {
  if (current === undefined) return written && { draft: written };
  if (written === undefined) return { base: current };
  if (base !== undefined && draft !== undefined && writtenPaths !== undefined) {
    const schema = RECORD_SCHEMAS[current.kind];
    const [before, ours, theirs] = [toState(base), toState(draft), toState(current)];
    const { conflicts } = mergeJson(before, ours, theirs, schema);
    const kept = conflicts && dropPaths(conflicts, writtenPaths);
    if (kept !== undefined) {
      const state = keepPaths(before, theirs, kept, schema) as JsonObject;
      return { base: withState(base, state), draft: written };
    }
  }
  const isNeeded =
    !isEqual(toState(written), toState(current)) || written.componentIds !== undefined;
  return isNeeded ? { base: current, draft: written } : undefined;
}

/** The conflicts that an error lists, and their bytes. */
const LISTED = { conflicts: 20, bytes: 2 * 1024 } as const;

/** Creates the error of drafts that cannot be applied to the current version: ABORTED `RELEASE_CONFLICTS`. */
export function conflictError(
  items: Iterable<{ readonly key: string; readonly conflicts: readonly DraftConflict[] }>,
): DomainError {
  const listed: string[] = [];
  let [item, bytes, count] = ["", 0, 0];
  for (const { key, conflicts } of items) {
    item ||= key;
    for (const { kind, path } of conflicts) {
      const text = [key, kind, clip(path)].filter(Boolean).join(" ");
      bytes += Buffer.byteLength(text) + 2;
      if (count === listed.length && count < LISTED.conflicts && bytes <= LISTED.bytes) {
        listed.push(text);
      }
      count += 1;
    }
  }
  const more = count > listed.length ? ` and ${count - listed.length} more` : "";
  const list = `${listed.join(", ")}${more}`;
  return new DomainError(
    Code.ABORTED,
    "RELEASE_CONFLICTS",
    `the current version has other changes: ${list}`,
    {
      metadata: { item, conflicts: list },
    },
  );
}

/** Lists the paths at which two states of a resource differ; the time of its last update does not count. */
export function listChangedItemPaths(before: RecordItem, after: RecordItem): string[] {
  return listPaths(diffJson(toState(before), toState(after)));
}

/** Reports whether two states of a resource are the same, with the times of their last updates. */
function isSameRecord(a: RecordItem, b: RecordItem): boolean {
  const schema: DescMessage = RECORD_SCHEMAS[a.kind];
  return equals(schema, a.message, b.message) && a.pageId === b.pageId;
}

/** Returns the JSON of a resource without the time of its last update, and the page of a component. */
export function toState({ kind, message, pageId }: RecordItem): JsonObject {
  const state = toWrittenJson(RECORD_SCHEMAS[kind], message);
  return pageId ? { ...state, page_id: pageId } : state;
}

/** Returns a record with another state. */
function withState(record: RecordItem, { page_id: pageId, ...state }: JsonObject): RecordItem {
  const message = fromJson(RECORD_SCHEMAS[record.kind], state, CHECKED_DEPTH);
  return { ...record, message, ...(typeof pageId === "string" && { pageId }) };
}
