import { findWindow, selects, viewContent } from "./applies.ts";
import { ALWAYS, type ClockWindow, intersect } from "./clock-window.ts";
import type { ContentItem, ContentKind, VideoContent } from "./content.ts";
import { isSelectableBy, type PreparedRuleset, type PreparedRulesets } from "./prepare.ts";

/** The rulesets that are for a video, whoever watches; the one that wins first. */
export interface VideoSelection extends ClockWindow {
  readonly rulesets: readonly PreparedRuleset[];
}

/** Selects the rulesets for a video that is shown by so much; `now` is in Unix milliseconds. */
export function selectRulesets(
  rulesets: PreparedRulesets,
  { videoId, events, creativeWorks }: VideoContent,
  now: number,
): VideoSelection {
  const selector = new VideoSelector(rulesets, videoId, now);
  selector.add("event", events);
  selector.add("creative_work", creativeWorks);
  return selector.selection;
}

/**
 * Selects the rulesets for a video of a project while the events and creative works that show it come
 * in, a few at a time and in any order. It keeps none of them: each one only ever adds rulesets.
 */
export class VideoSelector {
  readonly #rulesets: PreparedRulesets;
  readonly #videoId: string | undefined;
  readonly #now: number;
  readonly #selected = new Set<PreparedRuleset>();
  /** How many rulesets content of a kind can yet select. */
  readonly #open: Record<ContentKind, number>;
  #window = ALWAYS;

  /** Without a video id the content itself is what is looked at; `now` is in Unix milliseconds. */
  constructor(rulesets: PreparedRulesets, videoId: string | undefined, now: number) {
    this.#rulesets = rulesets;
    this.#videoId = videoId;
    this.#now = now;
    this.#open = { ...rulesets.selectable };
    this.add("event", []);
  }

  /** Tells whether more content of a kind could still select a ruleset. */
  isOpenTo(kind: ContentKind): boolean {
    return this.#open[kind] > 0;
  }

  /** Takes content of a kind that shows the video. */
  add(kind: ContentKind, items: readonly ContentItem[]): void {
    const content = viewContent({
      videoId: this.#videoId,
      events: kind === "event" ? items : [],
      creativeWorks: kind === "creative_work" ? items : [],
    });
    for (const ruleset of this.#rulesets.index.list(content)) {
      if (this.#selected.has(ruleset)) continue;
      const { selection } = ruleset;
      this.#window = intersect(this.#window, findWindow(selection, content, this.#now));
      if (!selects(selection, content, this.#now)) continue;
      this.#selected.add(ruleset);
      for (const it of KINDS) if (isSelectableBy(selection, it)) this.#open[it] -= 1;
    }
  }

  /** The rulesets that are selected so far, and when that holds. */
  get selection(): VideoSelection {
    const rulesets = this.#rulesets.filter((it) => this.#selected.has(it));
    return { ...this.#window, rulesets };
  }
}

const KINDS: readonly ContentKind[] = ["event", "creative_work"];
