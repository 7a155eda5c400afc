import type { RecordItem } from "../records/record.ts";
import { isEqual } from "./json-merge.ts";
import { toState } from "./merge-draft.ts";

/**
 * Reports whether a draft is an item of its release: its merge changes what is live. Any other is neither listed nor
 * counted nor applied.
 */
export function isItem({
  live,
  merged,
}: {
  readonly live?: RecordItem | undefined;
  readonly merged?: RecordItem | undefined;
}): boolean {
  if (merged === live) return false;
  if (merged === undefined || live === undefined || merged.componentIds !== undefined) return true;
  return !isEqual(toState(merged), toState(live));
}
