import { hash } from "node:crypto";
import { type DescMessage, type Message, toBinary } from "@bufbuild/protobuf";
import { type DraftStates, mergeDraft, rewriteDraft } from "../../domain/changes/merge-draft.ts";
import { alreadyExists, notFound } from "../../domain/errors.ts";
import { kindOf } from "../../domain/kinds.ts";
import { findOwner, type RecordItem, type RecordKind } from "../../domain/records/record.ts";
import type { DraftTarget } from "../draft-target.ts";
import type { OrganizationStore, Store } from "../store.ts";
import type { Stored } from "../stored.ts";

/** A resource as a release shows it. */
export interface DraftState extends DraftStates {
  /** Absent: the resource does not exist in the release. */
  readonly merged?: RecordItem | undefined;
  /** The revision of what is live; absent: it is another in the release, or does not exist. */
  readonly revision?: number | undefined;
  /** True if a resource of another project has the id. */
  readonly isTaken?: boolean;
}

/** The resources of a project as a release shows them. */
export class Drafts {
  readonly live: OrganizationStore;
  readonly #items: Store["releaseItems"];
  readonly #target: DraftTarget;

  constructor(
    { releaseItems }: Pick<Store, "releaseItems">,
    live: OrganizationStore,
    target: DraftTarget,
  ) {
    this.live = live;
    this.#items = releaseItems;
    this.#target = target;
  }

  /** Reads the states of a resource. */
  async read(kind: RecordKind, id: string): Promise<DraftState> {
    const found = await readLive(this.live, kind, id);
    const isOwn = found !== undefined && findOwner(found.item)?.id === this.#target.projectId;
    const { item: live, revision } = isOwn ? found : {};
    const [item] = await this.#items.list(this.#release, { kind, ids: [id] });
    const isTaken = found !== undefined && !isOwn;
    if (item === undefined)
      return { base: live, draft: live, live, merged: live, revision, isTaken };
    const states = { base: item.base, draft: item.draft, live };
    return { ...states, merged: mergeDraft(states).merged, isTaken };
  }

  /** Reads a resource; NOT_FOUND if it does not exist in the release. */
  async get(kind: RecordKind, id: string): Promise<DraftState & { readonly merged: RecordItem }> {
    const state = await this.read(kind, id);
    const { merged } = state;
    if (merged === undefined) throw notFound(kind, id);
    return { ...state, merged };
  }

  /** Lists the states of the page components that have drafts. */
  async listComponents(): Promise<readonly (DraftState & { readonly id: string })[]> {
    const kind = "page_component" as const;
    const items = await this.#items.list(this.#release, { kind });
    const stored = await this.live.pageComponents.getMany(items.map(({ id }) => id));
    const { projectId } = this.#target;
    const own = stored.filter(({ value }) => value.projectId === projectId);
    const messages = new Map(own.map(({ value }) => [value.id, value]));
    return items.map(({ id, base, draft }) => {
      const message = messages.get(id);
      const { pageId = "" } = base ?? draft ?? {};
      const live = message && { kind, message, line: 0, pageId };
      const states = { base, draft, live } as const;
      return { id, ...states, merged: mergeDraft(states).merged };
    });
  }

  /** Creates a resource; ALREADY_EXISTS if it exists in the release, or in another project. */
  async create(kind: RecordKind, id: string, written: RecordItem): Promise<void> {
    const state = await this.read(kind, id);
    if (state.merged !== undefined || state.isTaken) throw alreadyExists(kind, id);
    await this.write(kind, id, state, written);
  }

  /** Writes a resource, or deletes it if nothing is written. What is live needs no draft of the same values. */
  async write(
    kind: RecordKind,
    id: string,
    state: DraftStates,
    written: RecordItem | undefined,
  ): Promise<void> {
    const { projectId, accountId, now: updateTime, isForced, isWritten } = this.#target;
    const place = { ...this.#release, kind, id, projectId };
    const { base, draft } = rewriteDraft(state, written, isWritten) ?? {};
    if (base === undefined && draft === undefined) return this.#items.remove(place);
    await this.#items.put({
      ...place,
      ...(base && { base }),
      ...(draft && { draft }),
      ...{ isForced, accountId, updateTime },
    });
  }

  get #release() {
    return {
      organizationId: this.live.organizationId,
      releaseId: this.#target.releaseId,
    };
  }
}

/** Returns a resource as it is stored; its revision changes with its values. */
export function toStored<T extends Message>({
  merged,
  revision,
}: Pick<DraftState, "revision"> & { readonly merged: RecordItem }): Stored<T> {
  const schema: DescMessage = kindOf(merged.kind).schema;
  const value = merged.message as T;
  return { value, revision: revision ?? hashOf(toBinary(schema, value)) };
}

/** Returns the first 48 bits of the SHA-256 of bytes. */
function hashOf(bytes: Uint8Array): number {
  return hash("sha256", bytes, "buffer").readUIntBE(0, 6);
}

/** Reads a live resource with its revision; undefined if there is none. */
async function readLive(
  { documents, pageComponents }: OrganizationStore,
  kind: RecordKind,
  id: string,
) {
  if (kind === "page_component") {
    const [stored] = await pageComponents.getMany([id]);
    if (stored === undefined) return undefined;
    const { pageId } = await pageComponents.locate(id);
    return { item: { kind, message: stored.value, line: 0, pageId }, revision: stored.revision };
  }
  const [stored] = await documents[kind as keyof typeof documents].getMany([id]);
  return stored && { item: { kind, message: stored.value, line: 0 }, revision: stored.revision };
}
