import type { VideoProtectionRuleset } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { Code, DomainError } from "../base/errors.ts";
import type { Steps } from "../base/steps.ts";
import { compareCodePoints } from "../kql/index.ts";
import { type Audience, includesCountry, readAllowed, readAudience } from "./audience.ts";
import type { ShownVideo } from "./content.ts";
import { readSelection, type Selection, selects } from "./selection.ts";

/** A ruleset prepared for repeated evaluation. */
export interface PreparedRuleset {
  readonly ruleset: VideoProtectionRuleset;
  readonly viewers: Audience;
  readonly allowed: Audience;
  readonly selection: Selection;
}

/** The prepared rulesets of a project in precedence order. */
export type PreparedRulesets = readonly PreparedRuleset[] & {
  /** Differs for each preparation. */
  readonly preparation: symbol;
};

/**
 * Prepares all rulesets of a project, normalized and checked, in any order, one in each step. Each filter is parsed once;
 * keep the result until a ruleset changes. Throws like `parseKql` for a filter that was never checked.
 */
export function* prepareRulesets(
  rulesets: readonly VideoProtectionRuleset[],
): Steps<PreparedRulesets> {
  const prepared: PreparedRuleset[] = [];
  for (const ruleset of rulesets.toSorted(compareByPrecedence)) {
    prepared.push({
      ruleset,
      viewers: readAudience(ruleset),
      allowed: readAllowed(ruleset),
      selection: readSelection(ruleset),
    });
    yield;
  }
  return Object.assign(prepared, { preparation: Symbol() });
}

/** The most rulesets of a project, and their bytes as stored: a decision prepares all of them. */
export const RULESET_LIMITS = { count: 2_000, bytes: 8 * 1024 * 1024 };

/** Checks the number and the size of the rulesets of a project. RESOURCE_EXHAUSTED `RULESET_LIMIT`. */
export function checkRulesetSizes({ count, bytes }: typeof RULESET_LIMITS): void {
  const { count: mostCount, bytes: mostBytes } = RULESET_LIMITS;
  if (count <= mostCount && bytes <= mostBytes) return;
  const rule = `at most ${mostCount} rulesets with ${mostBytes} bytes as stored`;
  const message = `the project must have ${rule}, not ${count} with ${bytes}; use filters instead of many ids`;
  throw new DomainError(Code.RESOURCE_EXHAUSTED, "RULESET_LIMIT", message);
}

/**
 * Reports whether a ruleset applies to a video for a viewer in `country` (upper case; undefined: unknown):
 * it selects the video and includes the viewer. `now` is in Unix milliseconds. `disabled` is ignored
 * (contract: rulesets 16).
 */
export function appliesTo(
  { viewers, selection }: PreparedRuleset,
  shown: ShownVideo,
  country: string | undefined,
  now: number,
): boolean {
  return includesCountry(viewers, country) && selects(selection, shown, now);
}

/**
 * Compares rulesets by precedence: the highest priority first, ties by the smallest id in code point order
 * (contract: rulesets 14).
 */
export function compareByPrecedence(
  left: VideoProtectionRuleset,
  right: VideoProtectionRuleset,
): number {
  if (left.priority !== right.priority) return left.priority > right.priority ? -1 : 1;
  return compareCodePoints(left.id, right.id);
}
