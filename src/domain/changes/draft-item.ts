import type { RecordItem } from "../records/record.ts";
import { isEqual } from "./json-merge.ts";
import { toState } from "./merge-draft.ts";

/**
 * Reports whether a draft is an item of its release: its merge changes the current version. Any other is neither listed nor
 * counted nor applied.
 */
export function isItem({
  current,
  merged,
}: {
  readonly current?: RecordItem | undefined;
  readonly merged?: RecordItem | undefined;
}): boolean {
  if (merged === current) return false;
  if (merged === undefined || current === undefined || merged.componentIds !== undefined)
    return true;
  return !isEqual(toState(merged), toState(current));
}
