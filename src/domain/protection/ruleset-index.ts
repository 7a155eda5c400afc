import type { IndexedContent, IndexedItem } from "./content.ts";
import type { PreparedFilter } from "./filter.ts";
import type { Selection } from "./selection.ts";

/** Positions of rulesets by an id or a key that a video or an item must have for them to apply. */
type Positions = Map<string, number[]>;

/** Finds the rulesets that may apply without evaluating each. */
export class RulesetIndex<Ruleset extends { readonly selection: Selection }> {
  /** The fields that filters compare with a value. */
  readonly fields: ReadonlySet<string>;
  readonly #rulesets: readonly Ruleset[];
  readonly #always: number[] = [];
  readonly #byVideoId: Positions = new Map();
  readonly #byEventId: Positions = new Map();
  readonly #byCreativeWorkId: Positions = new Map();
  readonly #byEntityId: Positions = new Map();
  readonly #byEventKey: Positions = new Map();
  readonly #byCreativeWorkKey: Positions = new Map();

  constructor(rulesets: readonly Ruleset[]) {
    this.#rulesets = rulesets;
    for (const [position, ruleset] of rulesets.entries()) this.#add(ruleset, position);
    this.fields = new Set(rulesets.flatMap(({ selection }) => listFields(selection)));
  }

  /**
   * Lists candidates in order: all rulesets that select the content at some time, and few others, which
   * cost only time, as `selects` decides.
   */
  list({ videoId, events, creativeWorks }: IndexedContent): readonly Ruleset[] {
    const found = new Set(this.#always);
    const take = (positions: Positions, name: string) => {
      for (const position of positions.get(name) ?? []) found.add(position);
    };
    const takeItem = (
      { id, entityIds, document }: IndexedItem,
      byId: Positions,
      byKey: Positions,
    ) => {
      take(byId, id);
      for (const entityId of entityIds) take(this.#byEntityId, entityId);
      if (byKey.size > 0) for (const key of document.keys) take(byKey, key);
    };
    if (videoId !== undefined) take(this.#byVideoId, videoId);
    for (const item of events) takeItem(item, this.#byEventId, this.#byEventKey);
    for (const item of creativeWorks) {
      takeItem(item, this.#byCreativeWorkId, this.#byCreativeWorkKey);
    }
    const positions = Array.from(found).sort((a, b) => a - b);
    return positions.flatMap((position) => this.#rulesets[position] ?? []);
  }

  #add({ selection }: Ruleset, position: number): void {
    switch (selection.kind) {
      case "nothing":
        return;
      case "everything":
        this.#always.push(position);
        return;
      case "target": {
        const { videoIds, eventIds, creativeWorkIds, entityIds } = selection;
        const ids = [videoIds, eventIds, creativeWorkIds, entityIds];
        // A target without ids is a time window, which any content may be inside.
        if (ids.every(({ size }) => size === 0)) this.#always.push(position);
        addAll(this.#byVideoId, videoIds, position);
        addAll(this.#byEventId, eventIds, position);
        addAll(this.#byCreativeWorkId, creativeWorkIds, position);
        addAll(this.#byEntityId, entityIds, position);
        return;
      }
      case "filter":
        this.#addFilter(this.#byEventKey, selection.events, position);
        this.#addFilter(this.#byCreativeWorkKey, selection.creativeWorks, position);
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
  return [selection.events, selection.creativeWorks].flatMap((it) => it?.fields ?? []);
}

function addAll(positions: Positions, names: Iterable<string>, position: number): void {
  for (const name of names) {
    const known = positions.get(name);
    if (known === undefined) positions.set(name, [position]);
    else known.push(position);
  }
}
