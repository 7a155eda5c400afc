import { type DescMessage, equals, type Message } from "@bufbuild/protobuf";
import { mergeDraft } from "../../domain/changes/merge-draft.ts";
import type { KindsWith } from "../../domain/kinds.ts";
import { RECORD_SCHEMAS, type RecordItem } from "../../domain/records/record.ts";
import { stampTimes } from "../../domain/stamp-times.ts";
import { createListBudget } from "../sql/list-budget.ts";
import type { ReleaseDraft } from "../sql/release-items.ts";
import type { OrganizationStore } from "../store.ts";

/** The kinds that releases have drafts of. */
export type ReleasableKind = KindsWith<"history", "releasable">;

/** A resource that is live, or as a release leaves it. */
export interface ResourceState {
  readonly message: Message;
  /** The page of a component that a release creates or moves; absent: the page where it is live. */
  readonly pageId?: string;
}

/** A draft of a release, and the resource as it leaves it. */
export interface MergedDraft {
  /** The number of its release, from 0. */
  readonly layer: number;
  readonly draft: ReleaseDraft;
  /** Undefined: the release deletes the resource. */
  readonly state: ResourceState | undefined;
}

/** The resources of a kind that releases change. */
export interface KindStates {
  readonly merged: readonly MergedDraft[];
  /** The resources as the last release leaves them, by id; undefined: deleted. */
  readonly states: ReadonlyMap<string, ResourceState | undefined>;
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

  /** `layers` has the drafts of each release, in the order in which they are applied. */
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
    const states = new Map<string, ResourceState | undefined>(
      await this.#readLive(kind, [...new Set(drafts.map(({ draft }) => draft.id))]),
    );
    const merged: MergedDraft[] = [];
    // Merging takes time, so other requests run in between.
    const budget = createListBudget();
    for (const { layer, draft } of drafts) {
      await budget.nextStep();
      const state = budget.count(() => mergeState(draft, states.get(draft.id)));
      states.set(draft.id, state);
      merged.push({ layer, draft, state });
    }
    return { merged, states };
  }

  /** Reads the live resources among some ids. */
  async #readLive(kind: ReleasableKind, ids: readonly string[]) {
    if (ids.length === 0) return [];
    const { documents, pageComponents } = this.#organization;
    const store = kind === "page_component" ? pageComponents : documents[kind];
    const stored = await store.getMany(ids);
    return stored
      .filter(({ value }) => value.projectId === this.#projectId)
      .map(({ value }) => [value.id, { message: value }] as const);
  }
}

/** Merges a draft with the state before it; where they conflict, the draft wins. */
function mergeState(
  item: ReleaseDraft,
  before: ResourceState | undefined,
): ResourceState | undefined {
  const { base, draft } = item;
  if (draft === undefined) return undefined;
  const isMoved = before === undefined || draft.pageId !== base?.pageId;
  const pageId = isMoved ? draft.pageId : before.pageId;
  const message = before === undefined ? draft.message : mergeMessage(item, draft, before.message);
  return { message, ...(pageId !== undefined && { pageId }) };
}

function mergeMessage(
  { kind, base, updateTime }: ReleaseDraft,
  draft: RecordItem,
  before: Message,
): Message {
  const schema: DescMessage = RECORD_SCHEMAS[kind];
  if (base === undefined || equals(schema, before, base.message)) return draft.message;
  const { pageId } = base;
  const live = { kind, line: 0, message: before, ...(pageId !== undefined && { pageId }) };
  const { merged = draft } = mergeDraft({ base, draft, live });
  return stampTimes(schema, merged.message, ["update_time"], updateTime);
}
