import type { ViewedContent, ViewedItem } from "./applies.ts";
import type { PreparedFilter } from "./filter.ts";
import type { PreparedRuleset } from "./prepare.ts";

/** Places of rulesets in their order, by what a video or an item must have for one to apply. */
type Places = Map<string, number[]>;

/** Finds those of many rulesets that may apply, without asking each. */
export class RulesetIndex {
  readonly #rulesets: readonly PreparedRuleset[];
  readonly #always: number[] = [];
  readonly #byVideoId: Places = new Map();
  readonly #byEventId: Places = new Map();
  readonly #byCreativeWorkId: Places = new Map();
  readonly #byEntityId: Places = new Map();
  readonly #byEventKey: Places = new Map();
  readonly #byCreativeWorkKey: Places = new Map();

  constructor(rulesets: readonly PreparedRuleset[]) {
    this.#rulesets = rulesets;
    for (const [place, ruleset] of rulesets.entries()) this.#add(ruleset, place);
  }

  /**
   * Lists rulesets in their order: all that apply to the content for somebody at some time, and few
   * others. What it leaves out costs time and nothing else: `appliesTo` has the last word.
   */
  list({ videoId, events, creativeWorks }: ViewedContent): readonly PreparedRuleset[] {
    const found = new Set(this.#always);
    const take = (places: Places, name: string) => {
      for (const place of places.get(name) ?? []) found.add(place);
    };
    const takeItem = ({ id, entityIds, document }: ViewedItem, byId: Places, byKey: Places) => {
      take(byId, id);
      for (const entityId of entityIds) take(this.#byEntityId, entityId);
      if (byKey.size > 0) for (const key of document.keys) take(byKey, key);
    };
    if (videoId !== undefined) take(this.#byVideoId, videoId);
    for (const item of events) takeItem(item, this.#byEventId, this.#byEventKey);
    for (const item of creativeWorks) {
      takeItem(item, this.#byCreativeWorkId, this.#byCreativeWorkKey);
    }
    const places = Array.from(found).sort((a, b) => a - b);
    return places.flatMap((place) => this.#rulesets[place] ?? []);
  }

  #add({ selection }: PreparedRuleset, place: number): void {
    switch (selection.kind) {
      case "nothing":
        return;
      case "everything":
        this.#always.push(place);
        return;
      case "target": {
        const { videoIds, eventIds, creativeWorkIds, entityIds } = selection;
        const ids = [videoIds, eventIds, creativeWorkIds, entityIds];
        // Without any id, a target is a window, in which any content may lie.
        if (ids.every(({ size }) => size === 0)) this.#always.push(place);
        addAll(this.#byVideoId, videoIds, place);
        addAll(this.#byEventId, eventIds, place);
        addAll(this.#byCreativeWorkId, creativeWorkIds, place);
        addAll(this.#byEntityId, entityIds, place);
        return;
      }
      case "filter":
        this.#addFilter(this.#byEventKey, selection.events, place);
        this.#addFilter(this.#byCreativeWorkKey, selection.creativeWorks, place);
        return;
      default:
        selection satisfies never;
    }
  }

  #addFilter(byKey: Places, filter: PreparedFilter | undefined, place: number): void {
    if (filter === undefined) return;
    // Of all that a document must have, the least common is not known; the narrowest will do.
    const [narrowest] = filter.neededKeys.toSorted((a, b) => a.length - b.length);
    if (narrowest === undefined) this.#always.push(place);
    else addAll(byKey, narrowest, place);
  }
}

function addAll(places: Places, names: Iterable<string>, place: number): void {
  for (const name of names) {
    const known = places.get(name);
    if (known === undefined) places.set(name, [place]);
    else known.push(place);
  }
}
