import { applyDraft } from "../../domain/changes/merge-draft.ts";
import { printKey } from "../../domain/changes/resource-change.ts";
import type { KindsWith } from "../../domain/kinds.ts";
import type { RecordItem } from "../../domain/records/record.ts";
import { type LiveRecord, readLiveRecords } from "../live-records.ts";
import { createListBudget } from "../sql/list-budget.ts";
import type { ReleaseDraft } from "../sql/release-items.ts";
import type { OrganizationStore } from "../store.ts";

/** The kinds that releases have drafts of. */
export type ReleasableKind = KindsWith<"history", "releasable">;

/** A draft of a release, and the resource as it finds and leaves it. */
export interface MergedDraft {
  /** The number of its release, from 0. */
  readonly layer: number;
  readonly draft: ReleaseDraft;
  /** Undefined: the resource does not exist without the release. */
  readonly before: RecordItem | undefined;
  /** Undefined: the release deletes the resource. */
  readonly state: RecordItem | undefined;
}

/** The resources of a kind that releases change. */
export interface KindStates {
  readonly merged: readonly MergedDraft[];
  /** The resources as the last release leaves them, by id; undefined: deleted. */
  readonly states: ReadonlyMap<string, RecordItem | undefined>;
  /** The live resources by id; undefined: there is none. */
  readonly live: ReadonlyMap<string, LiveRecord | undefined>;
  /** The revision of the project that they were read at; undefined: it is not known. */
  readonly revision: number | undefined;
}

/** The drafts of releases, and the project that they are merged with. */
export interface ReleaseLayers {
  readonly organization: Pick<OrganizationStore, "documents" | "pageComponents">;
  readonly projectId: string;
  /** The revision of the project; absent: it is not known. */
  readonly revision?: number | undefined;
  /** The drafts of each release, in the order of applying. */
  readonly layers: readonly (readonly ReleaseDraft[])[];
  /** States of the same releases at another time: resources that are the same at both are not merged again. */
  readonly earlier?: ReleaseStates | undefined;
}

/**
 * The resources of a project as several releases leave them. Each release is merged with the state that the one before
 * it leaves, the first with what is live. Each kind is merged when it is first read.
 */
export class ReleaseStates {
  readonly layers: readonly (readonly ReleaseDraft[])[];
  readonly #organization: ReleaseLayers["organization"];
  readonly #projectId: string;
  readonly #revision: number | undefined;
  readonly #kinds = new Map<ReleasableKind, Promise<KindStates>>();
  readonly #earlier: ReadonlyMap<ReleasableKind, Promise<KindStates>>;

  constructor({ organization, projectId, revision, layers, earlier }: ReleaseLayers) {
    this.#organization = organization;
    this.#projectId = projectId;
    this.#revision = revision;
    this.layers = layers;
    this.#earlier = new Map(earlier && [...earlier.#earlier, ...earlier.#kinds]);
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
    const earlier = await this.#earlier.get(kind)?.catch(() => undefined);
    const live = await this.#readLive(kind, new Set(drafts.map(({ draft }) => draft.id)), earlier);
    const known = new Map(earlier?.merged.map((it) => [it.draft, it]));
    const states = new Map<string, RecordItem | undefined>(
      Array.from(live, ([id, record]) => [id, record?.item]),
    );
    const merged: MergedDraft[] = [];
    // Merging takes time, so other requests run in between.
    const budget = createListBudget();
    for (const { layer, draft } of drafts) {
      const before = states.get(draft.id);
      const was = known.get(draft);
      let state = was?.state;
      if (was === undefined || was.before !== before) {
        await budget.nextStep();
        state = budget.count(() => applyDraft({ ...draft, live: before }, draft.updateTime).merged);
      }
      states.set(draft.id, state);
      merged.push({ layer, draft, before, state });
    }
    return { merged, states, live, revision: this.#revision };
  }

  /** Reads live resources by id, unless they were read at the same revision; unchanged ones are the same objects. */
  async #readLive(
    kind: ReleasableKind,
    ids: ReadonlySet<string>,
    earlier: KindStates | undefined,
  ): Promise<KindStates["live"]> {
    const isCurrent = earlier !== undefined && earlier.revision === this.#revision;
    const unread = [...ids].filter((id) => !(isCurrent && earlier.live.has(id)));
    const resources = unread.map((id) => ({ kind, id }));
    const read = await readLiveRecords(this.#organization, this.#projectId, resources);
    const live = new Map<string, LiveRecord | undefined>();
    for (const id of ids) {
      const known = earlier?.live.get(id);
      const record = read.get(printKey({ kind, id })) ?? (isCurrent ? known : undefined);
      live.set(id, record && known && isSame(record, known) ? known : record);
    }
    return live;
  }
}

/** Reports whether two reads found the same state of a resource. */
function isSame(a: LiveRecord, b: LiveRecord): boolean {
  return a.revision === b.revision && a.item.pageId === b.item.pageId;
}
