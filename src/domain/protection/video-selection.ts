import type { VideoProtectionRuleset } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { runAll, type Steps } from "../base/steps.ts";
import { ALWAYS, intersect, type Period } from "../base/time.ts";
import { includesCountry } from "./audience.ts";
import { indexItem, type ProtectedItem, type ProtectedKind, type ShownVideo } from "./content.ts";
import type { PreparedRuleset, PreparedRulesets } from "./prepare.ts";
import { findWindow, isSelectableBy, selects } from "./selection.ts";

/** The rulesets that select a video, for any viewer, in precedence order, and the period of validity. */
export interface VideoSelection extends Period {
  readonly rulesets: readonly PreparedRuleset[];
}

/**
 * Returns the ruleset that decides about a video for a viewer in `country` (upper case; undefined: unknown). Of the
 * rulesets that apply, the highest priority decides, ties by the smallest id. Undefined if none applies.
 */
export function pickRuleset(
  { rulesets }: VideoSelection,
  country: string | undefined,
): VideoProtectionRuleset | undefined {
  return rulesets.find(({ viewers }) => includesCountry(viewers, country))?.ruleset;
}

/** Lists every ruleset that applies, the deciding one first. */
export function listApplicableRulesets(
  { rulesets }: VideoSelection,
  country: string | undefined,
): readonly VideoProtectionRuleset[] {
  return rulesets
    .filter(({ viewers }) => includesCountry(viewers, country))
    .map(({ ruleset }) => ruleset);
}

/**
 * Selects the rulesets for a video from the events and creative works that show it, in any order. It does not retain the
 * content, because each item only adds rulesets.
 */
export class VideoSelector {
  readonly #rulesets: PreparedRulesets;
  readonly #videoId: string | undefined;
  readonly #now: number;
  readonly #selected = new Set<PreparedRuleset>();
  #window = ALWAYS;

  /** Without a video id the content itself is evaluated; `now` is in Unix milliseconds. */
  constructor(rulesets: PreparedRulesets, videoId: string | undefined, now: number) {
    this.#rulesets = rulesets;
    this.#videoId = videoId;
    this.#now = now;
    runAll(this.#add({ videoId }));
  }

  /** Reports whether more content of a kind could still select a ruleset. */
  isOpenTo(kind: ProtectedKind): boolean {
    return this.#rulesets.some(
      (it) => isSelectableBy(it.selection, kind) && !this.#selected.has(it),
    );
  }

  /** Adds content that shows the video, a ruleset in each step: its filter may take several milliseconds. */
  add(item: ProtectedItem): Steps<void> {
    return this.#add({ videoId: this.#videoId, item: indexItem(item) });
  }

  *#add(shown: ShownVideo): Steps<void> {
    for (const ruleset of this.#rulesets) {
      if (this.#selected.has(ruleset)) continue;
      yield;
      const { selection } = ruleset;
      this.#window = intersect(this.#window, findWindow(selection, shown.item, this.#now));
      if (selects(selection, shown, this.#now)) this.#selected.add(ruleset);
    }
  }

  /** The rulesets selected so far, and their period of validity. */
  get selection(): VideoSelection {
    const rulesets = this.#rulesets.filter((it) => this.#selected.has(it));
    return { ...this.#window, rulesets };
  }
}
