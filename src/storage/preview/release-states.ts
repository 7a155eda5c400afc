import { applyDraft } from "../../domain/changes/merge-draft.ts";
import type { KindsWith } from "../../domain/kinds.ts";
import { type RecordItem, recordIdOf } from "../../domain/records/record.ts";
import { readLiveRecords } from "../live-records.ts";
import { createListBudget } from "../sql/list-budget.ts";
import type { ReleaseDraft } from "../sql/release-items.ts";
import type { OrganizationStore } from "../store.ts";

/** The kinds that releases have drafts of. */
export type ReleasableKind = KindsWith<"history", "releasable">;

/** A draft of a release, and the resource as it leaves it. */
export interface MergedDraft {
  /** The number of its release, from 0. */
  readonly layer: number;
  readonly draft: ReleaseDraft;
  /** Undefined: the release deletes the resource. */
  readonly state: RecordItem | undefined;
}

/** The resources of a kind that releases change. */
export interface KindStates {
  readonly merged: readonly MergedDraft[];
  /** The resources as the last release leaves them, by id; undefined: deleted. */
  readonly states: ReadonlyMap<string, RecordItem | undefined>;
}

/**
 * The resources of a project as several releases leave them. Each release is merged with the state that the one before
 * it leaves, the first with what is live. Each kind is merged when it is first read.
 */
export class ReleaseStates {
  readonly layers: readonly (readonly ReleaseDraft[])[];
  readonly #organization: Pick<OrganizationStore, "documents" | "pageComponents">;
  readonly #projectId: string;
  readonly #kinds = new Map<ReleasableKind, Promise<KindStates>>();

  /** `layers` has the drafts of each release, in the order of applying. */
  constructor(
    organization: Pick<OrganizationStore, "documents" | "pageComponents">,
    projectId: string,
    layers: readonly (readonly ReleaseDraft[])[],
  ) {
    this.#organization = organization;
    this.#projectId = projectId;
    this.layers = layers;
  }

  /** Returns the resources of a kind that the releases change. */
  of(kind: ReleasableKind): Promise<KindStates> {
    const known = this.#kinds.get(kind);
    if (known !== undefined) return known;
    const merging = this.#merge(kind);
    this.#kinds.set(kind, merging);
    merging.catch(() => this.#kinds.delete(kind));
    return merging;
  }

  async #merge(kind: ReleasableKind): Promise<KindStates> {
    const drafts = this.layers.flatMap((items, layer) =>
      items.filter((it) => it.kind === kind).map((draft) => ({ layer, draft })),
    );
    const live = await readLiveRecords(
      this.#organization,
      this.#projectId,
      drafts.map(({ draft }) => draft),
    );
    const states = new Map<string, RecordItem | undefined>(
      Array.from(live.values(), ({ item }) => [recordIdOf(item), item]),
    );
    const merged: MergedDraft[] = [];
    // Merging takes time, so other requests run in between.
    const budget = createListBudget();
    for (const { layer, draft } of drafts) {
      await budget.nextStep();
      const state = budget.count(
        () => applyDraft({ ...draft, live: states.get(draft.id) }, draft.updateTime).merged,
      );
      states.set(draft.id, state);
      merged.push({ layer, draft, state });
    }
    return { merged, states };
  }
}
