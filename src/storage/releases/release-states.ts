import { type DescMessage, toBinary } from "@bufbuild/protobuf";
import type { WorkBudget } from "../../domain/base/work-budget.ts";
import { mergeDraft } from "../../domain/changes/merge-draft.ts";
import { printKey, type ResourceId } from "../../domain/changes/resource-change.ts";
import { RECORD_SCHEMAS, type RecordItem } from "../../domain/records/record.ts";
import { type CurrentRecord, readCurrentRecords } from "../contract/current-records.ts";
import type {
  PlacedDraftRevision,
  ReleasableKind,
  ReleaseItemStore,
  StoredDraft,
} from "../contract/releases.ts";
import type { OrganizationStore } from "../contract/store.ts";
import { microsToDate } from "../db/times.ts";
import { type DraftMemory, type MergedDraft, toMerged } from "./draft-memory.ts";

/** The drafts of a resource, in the order of applying. */
type OrderedDrafts = readonly [PlacedDraftRevision, ...PlacedDraftRevision[]];

/** A resource with drafts in the releases. */
export class DraftedResource {
  readonly drafts: OrderedDrafts;
  readonly #organizationId: string;
  #key: string | undefined;

  constructor(organizationId: string, drafts: OrderedDrafts) {
    this.#organizationId = organizationId;
    this.drafts = drafts;
  }

  get kind(): ReleasableKind {
    return this.drafts[0].kind;
  }

  get id(): string {
    return this.drafts[0].id;
  }

  /** Every state that goes into the merge of its drafts. */
  get key(): string {
    this.#key ??= JSON.stringify([
      ...[this.#organizationId, this.kind, this.id, this.drafts[0].currentRevision],
      ...this.drafts.flatMap((it) => [it.releaseId, it.updateTime]),
    ]);
    return this.#key;
  }

  /** Returns the resource with its first drafts only, at least one. */
  first(length: number): DraftedResource {
    const [first, ...others] = this.drafts;
    return new DraftedResource(this.#organizationId, [first, ...others.slice(0, length - 1)]);
  }
}

/** The releases that a call reads through, and what it reads with. */
export interface ReleaseLayers {
  readonly organization: OrganizationStore;
  readonly projectId: string;
  /** The releases, in the order of applying. */
  readonly releaseIds: readonly string[];
  readonly items: Pick<ReleaseItemStore, "listRevisionsOf" | "listStored">;
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
  /** The number of each release, from 0. */
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #kinds = new Map<ReleasableKind, Promise<ReadonlyMap<string, DraftedResource>>>();

  constructor(layers: ReleaseLayers) {
    this.#layers = layers;
    this.#numbers = new Map(layers.releaseIds.map((id, number) => [id, number]));
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
    if (known !== undefined) return ids === undefined ? known : pick(await known, ids);
    if (ids !== undefined) return this.#read(kind, ids);
    const reading = this.#read(kind);
    this.#kinds.set(kind, reading);
    reading.catch(() => this.#kinds.delete(kind));
    return reading;
  }

  /** Merges the drafts of resources, in steps of the call's budget: first those that are kept, in memory, then the others. */
  async *merge(resources: Iterable<DraftedResource>): AsyncGenerator<MergedDraft> {
    const { memory } = this.#layers;
    const rest: DraftedResource[] = [];
    for (const resource of resources) {
      const kept = memory.get(resource.key);
      if (kept === undefined) rest.push(resource);
      else yield kept;
    }
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
    const revisions = await budget.spend(() =>
      items.listRevisionsOf({ organizationId, releaseIds, kind, ids }),
    );
    const resources = new Map<string, DraftedResource>();
    for (const [id, drafts] of Map.groupBy(revisions, (it) => it.id)) {
      const [first, ...others] = drafts.sort((a, b) => this.#numberOf(a) - this.#numberOf(b));
      if (first === undefined) continue;
      resources.set(id, new DraftedResource(organizationId, [first, ...others]));
    }
    return resources;
  }

  /** Merges resources that are not kept; their drafts are read together. */
  async #mergeAll(
    resources: readonly DraftedResource[],
  ): Promise<ReadonlyMap<string, MergedDraft>> {
    const { memory } = this.#layers;
    const parts = resources.map((resource) => {
      let from = resource.drafts.length - 1;
      while (from > 0 && memory.get(resource.first(from).key) === undefined) from -= 1;
      const below = from > 0 ? memory.get(resource.first(from).key) : undefined;
      return { resource, from, below };
    });
    const stored = await this.#readStored(
      parts.flatMap(({ resource, from }) => resource.drafts.slice(from)),
    );
    const current = await this.#readCurrent(
      parts.flatMap(({ resource, from }) =>
        from > 0 || isOnCurrent(resource.drafts[0]) ? [] : [resource],
      ),
    );
    const merged = new Map<string, MergedDraft>();
    for (const { resource, from, below } of parts) {
      const state = await this.#mergeDrafts(resource, from, below, { stored, current });
      merged.set(resource.key, state);
    }
    return merged;
  }

  /** Merges the drafts of a resource from one on; `below` is the state before it, absent: the current version. */
  async #mergeDrafts(
    resource: DraftedResource,
    from: number,
    below: MergedDraft | undefined,
    { stored, current }: ReadParts,
  ): Promise<MergedDraft> {
    const { memory, budget } = this.#layers;
    const record = current.get(printKey(resource));
    let state = below;
    for (const [index, revision] of resource.drafts.entries()) {
      if (index < from) continue;
      const draft = stored.get(placeOf(revision));
      const isFast = index === 0 && isOnCurrent(revision);
      const isCurrent = index > 0 || isFast || (record?.revision ?? 0) === revision.currentRevision;
      if (draft?.updateTime !== revision.updateTime || !isCurrent)
        return this.#mergeUnkept(resource);
      const before = index === 0 ? record?.item : state?.state;
      await budget.nextStep();
      const step = budget.count(() =>
        isFast ? takeDraft(resource.id, draft) : mergeStep(resource, draft, before),
      );
      memory.keep(resource.first(index + 1).key, step.merged, step.bytes);
      state = step.merged;
    }
    return state ?? toMerged(resource.id, record?.item);
  }

  /**
   * Merges a resource that was written while it was read, from what is read now, because another try may meet another
   * write. The result has no key, and is not kept.
   */
  async #mergeUnkept({ kind, id }: DraftedResource): Promise<MergedDraft> {
    const resource = (await this.#read(kind, [id])).get(id);
    const stored = await this.#readStored(resource?.drafts ?? []);
    const current = await this.#readCurrent([{ kind, id }]);
    let state = toMerged(id, current.get(printKey({ kind, id }))?.item);
    for (const revision of resource?.drafts ?? []) {
      const draft = stored.get(placeOf(revision));
      // A draft that was removed by now may be current.
      if (draft === undefined) continue;
      await this.budget.nextStep();
      state = this.budget.count(() => mergeStep({ kind, id }, draft, state.state)).merged;
    }
    return state;
  }

  async #readStored(
    revisions: readonly PlacedDraftRevision[],
  ): Promise<ReadonlyMap<string, StoredDraft>> {
    const { items, organization, budget } = this.#layers;
    const { organizationId } = organization;
    const stored = new Map<string, StoredDraft>();
    for (const [releaseId, drafts] of Map.groupBy(revisions, (it) => it.releaseId)) {
      for (const [kind, ofKind] of Map.groupBy(drafts, (it) => it.kind)) {
        const ids = ofKind.map(({ id }) => id);
        const place = { organizationId, releaseId };
        const read = await budget.spend(() => items.listStored(place, kind, ids));
        for (const draft of read) stored.set(placeOf({ releaseId, id: draft.id }), draft);
      }
    }
    return stored;
  }

  async #readCurrent(resources: readonly ResourceId[]): Promise<ReadParts["current"]> {
    if (resources.length === 0) return new Map();
    const { organization, projectId, budget } = this.#layers;
    return budget.spend(() => readCurrentRecords(organization, projectId, resources));
  }

  #numberOf({ releaseId }: PlacedDraftRevision): number {
    return this.#numbers.get(releaseId) ?? 0;
  }
}

/** What is read for a merge. */
interface ReadParts {
  /** The drafts, by release and id. */
  readonly stored: ReadonlyMap<string, StoredDraft>;
  /** The current resources, by key. */
  readonly current: ReadonlyMap<string, CurrentRecord>;
}

function placeOf({ releaseId, id }: Pick<PlacedDraftRevision, "id" | "releaseId">): string {
  return `${releaseId} ${id}`;
}

/** Reports whether a draft was made from the current version: it is the state that it leaves. */
function isOnCurrent({ baseRevision, currentRevision }: PlacedDraftRevision): boolean {
  return baseRevision === currentRevision;
}

/** A merged draft, and the bytes of its state as stored. */
interface MergeStep {
  readonly merged: MergedDraft;
  readonly bytes: number;
}

function takeDraft(id: string, stored: StoredDraft): MergeStep {
  const draft = stored.decodeDraft();
  return { merged: toMerged(id, draft, draft), bytes: stored.bytes };
}

function mergeStep(
  { id, kind }: Pick<DraftedResource, "id" | "kind">,
  stored: StoredDraft,
  current: RecordItem | undefined,
): MergeStep {
  const draft = stored.decodeDraft();
  const states = { base: stored.decodeBase(), draft, current };
  const { merged } = mergeDraft(states, microsToDate(stored.updateTime));
  const schema: DescMessage = RECORD_SCHEMAS[kind];
  const bytes = merged === undefined ? 0 : toBinary(schema, merged.message).length;
  return { merged: toMerged(id, merged, draft), bytes };
}

function pick(
  resources: ReadonlyMap<string, DraftedResource>,
  ids: readonly string[],
): ReadonlyMap<string, DraftedResource> {
  const picked = new Map<string, DraftedResource>();
  for (const id of ids) {
    const resource = resources.get(id);
    if (resource !== undefined) picked.set(id, resource);
  }
  return picked;
}
