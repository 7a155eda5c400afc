import { toBinary } from "@bufbuild/protobuf";
import type { WorkBudget } from "../../domain/base/work-budget.ts";
import { mergeDraft } from "../../domain/changes/merge-draft.ts";
import { printKey } from "../../domain/changes/resource-change.ts";
import { kindOf } from "../../domain/kinds.ts";
import type { RecordItem } from "../../domain/records/record.ts";
import type { ResourceName } from "../../domain/references.ts";
import { type CurrentRecord, readCurrentRecords } from "../contract/current-records.ts";
import type {
  DraftRevision,
  ReleasableKind,
  ReleaseDraft,
  ReleaseItemStore,
} from "../contract/releases.ts";
import type { OrganizationStore } from "../contract/store.ts";
import { dateToMicros } from "../db/times.ts";
import { type DraftLayer, type DraftMemory, type MergedDraft, toMerged } from "./draft-memory.ts";

/** The drafts of a resource, in the order of applying. */
type OrderedDrafts = readonly [DraftRevision, ...DraftRevision[]];

/** A resource with drafts in the releases. */
export interface DraftedResource {
  readonly kind: ReleasableKind;
  readonly id: string;
  readonly drafts: OrderedDrafts;
  /** Every state that goes into the merge of its drafts. */
  readonly key: string;
}

/** The releases that a call reads through, and what it reads with. */
export interface ReleaseLayers {
  readonly organization: OrganizationStore;
  readonly projectId: string;
  /** The releases, in the order of applying. */
  readonly releaseIds: readonly string[];
  readonly items: Pick<ReleaseItemStore, "list" | "listRevisions">;
  readonly memory: DraftMemory;
  /** The budget of the call. */
  readonly budget: WorkBudget;
}

/** The number of drafts that are read at once. */
const AT_ONCE = 10;

/**
 * The resources of a project as several releases leave them, for one call. Each release is merged with the state that
 * the one before it leaves, the first with the current version. Only the resources that the call asks for are merged.
 */
export class ReleaseStates {
  readonly #layers: ReleaseLayers;
  readonly #kinds = new Map<ReleasableKind, Promise<ReadonlyMap<string, DraftedResource>>>();

  constructor(layers: ReleaseLayers) {
    this.#layers = layers;
  }

  get budget(): WorkBudget {
    return this.#layers.budget;
  }

  get organization(): OrganizationStore {
    return this.#layers.organization;
  }

  /** The releases, in the order of applying. */
  get releaseIds(): readonly string[] {
    return this.#layers.releaseIds;
  }

  /** Finds the resources of a kind that have drafts, by id: all, or those among some ids. */
  async find(
    kind: ReleasableKind,
    ids?: readonly string[],
  ): Promise<ReadonlyMap<string, DraftedResource>> {
    const known = this.#kinds.get(kind);
    if (ids !== undefined) {
      const drafted = (await known) ?? (await this.#read(kind, ids));
      const wanted = new Set(ids);
      return new Map([...drafted].filter(([id]) => wanted.has(id)));
    }
    if (known !== undefined) return known;
    const reading = this.#read(kind);
    this.#kinds.set(kind, reading);
    reading.catch(() => this.#kinds.delete(kind));
    return reading;
  }

  /** Merges the drafts of resources that the memory does not have, in steps of the call's budget. */
  async *merge(resources: Iterable<DraftedResource>): AsyncGenerator<MergedDraft> {
    const { memory } = this.#layers;
    const rest = [...resources];
    while (rest.length > 0) {
      const batch = new Map(rest.splice(0, AT_ONCE).map((it) => [it.key, it]));
      const merged = await memory.find([...batch.keys()], (keys) =>
        this.#mergeAll(keys.flatMap((key) => batch.get(key) ?? [])),
      );
      for (const key of batch.keys()) {
        const each = merged.get(key);
        if (each !== undefined) yield each;
      }
    }
  }

  /** Merges a resource; undefined without one. */
  async mergeOne(resource: DraftedResource | undefined): Promise<MergedDraft | undefined> {
    if (resource === undefined) return undefined;
    for await (const merged of this.merge([resource])) return merged;
    return undefined;
  }

  async #read(
    kind: ReleasableKind,
    ids?: readonly string[],
  ): Promise<ReadonlyMap<string, DraftedResource>> {
    const { items, organization, releaseIds, budget } = this.#layers;
    const { organizationId } = organization;
    const numberOf = ({ releaseId }: DraftRevision) => releaseIds.indexOf(releaseId);
    const revisions = await budget.spend(() =>
      items.listRevisions({ organizationId, releaseIds, kind, ids }),
    );
    const resources = new Map<string, DraftedResource>();
    for (const [id, drafts] of Map.groupBy(revisions, (it) => it.id)) {
      const [first, ...others] = drafts.sort((a, b) => numberOf(a) - numberOf(b));
      if (first === undefined) continue;
      const states = drafts.flatMap((it) => [it.releaseId, it.updateTime]);
      const key = JSON.stringify([organizationId, kind, id, first.currentRevision, ...states]);
      resources.set(id, { kind, id, drafts: [first, ...others], key });
    }
    return resources;
  }

  /** Merges resources that are not kept; their drafts are read together. */
  async #mergeAll(
    resources: readonly DraftedResource[],
  ): Promise<ReadonlyMap<string, MergedDraft>> {
    const drafts = await this.#readDrafts(resources.flatMap((it) => it.drafts));
    const isAsFound = (it: DraftRevision) => {
      const draft = drafts.get(placeOf(it));
      return draft !== undefined && dateToMicros(draft.updateTime) === it.updateTime;
    };
    /** Reports whether the base of its first draft is the current version. */
    const isOnCurrent = ({ drafts: [first] }: DraftedResource) =>
      first.baseRevision === first.currentRevision && isAsFound(first);
    // Read later than the drafts: what was applied in between is current.
    const current = await this.#readCurrent(resources.filter((it) => !isOnCurrent(it)));
    const merged = new Map<string, MergedDraft>();
    for (const resource of resources) {
      const record = current.get(printKey(resource));
      const isFirstCurrent = isOnCurrent(resource);
      const layers: DraftLayer[] = [];
      let state = record?.item;
      for (const [index, revision] of resource.drafts.entries()) {
        const draft = drafts.get(placeOf(revision));
        if (draft === undefined) continue;
        await this.budget.nextStep();
        const isWhole = index === 0 && isFirstCurrent;
        const layer = this.budget.count(() => toLayer(draft, isWhole ? "base" : state));
        layers.push(layer);
        state = layer.state;
      }
      const result = toMerged(resource.id, state, layers);
      merged.set(resource.key, result);
      const isCurrent =
        isFirstCurrent || (record?.revision ?? 0) === resource.drafts[0].currentRevision;
      // A later state of a draft or of the current version has another key.
      if (isCurrent && resource.drafts.every(isAsFound)) {
        this.#layers.memory.keep(resource.key, result);
      }
    }
    return merged;
  }

  /** Reads drafts, by release and id. */
  async #readDrafts(
    revisions: readonly DraftRevision[],
  ): Promise<ReadonlyMap<string, ReleaseDraft>> {
    const { items, organization, budget } = this.#layers;
    const { organizationId } = organization;
    const drafts = new Map<string, ReleaseDraft>();
    for (const [releaseId, ofRelease] of Map.groupBy(revisions, (it) => it.releaseId)) {
      for (const [kind, ofKind] of Map.groupBy(ofRelease, (it) => it.kind)) {
        const ids = ofKind.map(({ id }) => id);
        const place = { organizationId, releaseId };
        const read = await budget.spend(() => items.list(place, { kind, ids }));
        for (const draft of read) drafts.set(placeOf(draft), draft);
      }
    }
    return drafts;
  }

  async #readCurrent(
    resources: readonly ResourceName[],
  ): Promise<ReadonlyMap<string, CurrentRecord>> {
    if (resources.length === 0) return new Map();
    const { organization, projectId, budget } = this.#layers;
    return budget.spend(() => readCurrentRecords(organization, projectId, resources));
  }
}

function placeOf({ releaseId, id }: Pick<DraftRevision, "id" | "releaseId">): string {
  return `${releaseId} ${id}`;
}

/** Merges a draft with the state below it; on its own base, it is the state that it leaves. */
function toLayer(stored: ReleaseDraft, below: RecordItem | "base" | undefined): DraftLayer {
  const { releaseId, draft, updateTime } = stored;
  const state =
    below === "base"
      ? draft
      : mergeDraft({ base: stored.base, draft, current: below }, updateTime).merged;
  const { componentIds, predecessorId } = draft ?? {};
  const places = {
    ...(componentIds && { componentIds }),
    ...(predecessorId !== undefined && { predecessorId }),
  };
  const bytes = state === undefined ? 0 : toBinary(kindOf(state.kind).schema, state.message).length;
  return { releaseId, state, places, bytes };
}
