import type { VideoProtectionRuleset } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { Code, DomainError } from "../base/errors.ts";
import type { Steps } from "../base/steps.ts";
import { compareCodePoints } from "../kql/index.ts";
import { type Audience, includesCountry, readAllowed, readAudience } from "./audience.ts";
import { PROTECTED_KINDS, type ProtectedKind, type ShownVideo } from "./content.ts";
import type { PreparedFilter } from "./filter.ts";
import { namesAny, readSelection, type Selection, selects } from "./selection.ts";

/** A ruleset prepared for repeated evaluation. */
export interface PreparedRuleset {
  readonly ruleset: VideoProtectionRuleset;
  readonly viewers: Audience;
  readonly allowed: Audience;
  readonly selection: Selection;
}

/** The prepared rulesets of a project in precedence order. */
export type PreparedRulesets = readonly PreparedRuleset[] & {
  readonly index: RulesetIndex;
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
  return Object.assign(prepared, { index: new RulesetIndex(prepared), preparation: Symbol() });
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

/** Positions of rulesets by an id or a key that a video or an item must have for them to apply. */
type Positions = Map<string, number[]>;

/** Finds the rulesets that may apply without evaluating each. */
export class RulesetIndex {
  /** The fields that filters compare with a value. */
  readonly fields: ReadonlySet<string>;
  readonly #rulesets: readonly PreparedRuleset[];
  readonly #always: number[] = [];
  readonly #byVideoId: Positions = new Map();
  readonly #byEntityId: Positions = new Map();
  readonly #byItem: Readonly<Record<ProtectedKind, { byId: Positions; byKey: Positions }>> = {
    event: { byId: new Map(), byKey: new Map() },
    creative_work: { byId: new Map(), byKey: new Map() },
  };

  constructor(rulesets: readonly PreparedRuleset[]) {
    this.#rulesets = rulesets;
    for (const [position, { selection }] of rulesets.entries()) this.#add(selection, position);
    this.fields = new Set(rulesets.flatMap(({ selection }) => listFields(selection)));
  }

  /**
   * Lists candidates in order: all rulesets that select the video at some time, and a few others. Those cost only time,
   * because `selects` decides.
   */
  list({ videoId, item }: ShownVideo): readonly PreparedRuleset[] {
    const found = new Set(this.#always);
    const take = (positions: Positions, name: string) => {
      for (const position of positions.get(name) ?? []) found.add(position);
    };
    if (videoId !== undefined) take(this.#byVideoId, videoId);
    if (item !== undefined) {
      const { byId, byKey } = this.#byItem[item.kind];
      take(byId, item.id);
      for (const entityId of item.entityIds) take(this.#byEntityId, entityId);
      if (byKey.size > 0) for (const key of item.document.keys) take(byKey, key);
    }
    const positions = Array.from(found).sort((a, b) => a - b);
    return positions.flatMap((position) => this.#rulesets[position] ?? []);
  }

  #add(selection: Selection, position: number): void {
    switch (selection.kind) {
      case "nothing":
        return;
      case "everything":
        this.#always.push(position);
        return;
      case "target":
        // A target without ids is a time window, which any content may be inside.
        if (!namesAny(selection)) this.#always.push(position);
        addAll(this.#byVideoId, selection.videoIds, position);
        addAll(this.#byEntityId, selection.entityIds, position);
        for (const kind of PROTECTED_KINDS) {
          addAll(this.#byItem[kind].byId, selection.itemIds[kind], position);
        }
        return;
      case "filter":
        for (const kind of PROTECTED_KINDS) {
          this.#addFilter(this.#byItem[kind].byKey, selection.filters[kind], position);
        }
        return;
      default:
        selection satisfies never;
    }
  }

  #addFilter(byKey: Positions, filter: PreparedFilter | undefined, position: number): void {
    if (filter === undefined) return;
    // The rarest required key is unknown; the smallest group is a good choice.
    const [narrowest] = filter.requiredKeys.toSorted((a, b) => a.length - b.length);
    if (narrowest === undefined) this.#always.push(position);
    else addAll(byKey, narrowest, position);
  }
}

function listFields(selection: Selection): readonly string[] {
  if (selection.kind !== "filter") return [];
  return Object.values(selection.filters).flatMap((it) => it?.fields ?? []);
}

function addAll(positions: Positions, names: Iterable<string>, position: number): void {
  for (const name of names) {
    const known = positions.get(name);
    if (known === undefined) positions.set(name, [position]);
    else known.push(position);
  }
}
