import { hash } from "node:crypto";
import { type DescMessage, equals, type Message, toBinary } from "@bufbuild/protobuf";
import { alreadyExists, notFound } from "../../domain/base/errors.ts";
import { type DraftStates, mergeDraft, rewriteDraft } from "../../domain/changes/merge-draft.ts";
import { printKey } from "../../domain/changes/resource-change.ts";
import { kindOf } from "../../domain/kinds.ts";
import type { RecordItem, RecordKind } from "../../domain/records/record.ts";
import { readCurrentRecords } from "../contract/current-records.ts";
import type { Stored } from "../contract/document-store.ts";
import type { DraftSelection, DraftTarget, ReleaseDraft } from "../contract/releases.ts";
import type { OrganizationStore, Store } from "../contract/store.ts";

/** A resource as a release shows it. */
export interface DraftState extends DraftStates {
  readonly id: string;
  /** Absent: the resource does not exist in the release. */
  readonly merged?: RecordItem | undefined;
  /** The revision of the current version; absent: it is another in the release, or does not exist. */
  readonly revision?: number | undefined;
  /** The revision of the current version; 0: it does not exist. */
  readonly currentRevision: number;
}

/** The resources of a project as a release shows them. */
export class Drafts {
  readonly current: OrganizationStore;
  readonly #access: Store["access"];
  readonly #items: Store["releaseItems"];
  readonly #target: DraftTarget;

  constructor(
    { access, releaseItems }: Pick<Store, "access" | "releaseItems">,
    current: OrganizationStore,
    target: DraftTarget,
  ) {
    this.#access = access;
    this.current = current;
    this.#items = releaseItems;
    this.#target = target;
  }

  /** Reads the states of a resource. */
  async read(kind: RecordKind, id: string): Promise<DraftState> {
    const [state] = await this.readMany(kind, [id]);
    if (state === undefined) throw new Error("a resource without states");
    return state;
  }

  /** Reads the states of resources, in the order of the ids, each once. */
  async readMany(kind: RecordKind, ids: readonly string[]): Promise<readonly DraftState[]> {
    const distinct = [...new Set(ids)];
    return this.#merge(
      kind,
      distinct,
      await this.#items.list(this.#release, { kind, ids: distinct }),
    );
  }

  /** Lists the states of the page components that have drafts and are, or may be, on a page. */
  async listComponents(page: NonNullable<DraftSelection["page"]>): Promise<readonly DraftState[]> {
    const kind = "page_component";
    const items = await this.#items.list(this.#release, { kind, page });
    const ids = items.map(({ id }) => id);
    return this.#merge(kind, ids, items);
  }

  /** Reads a resource; NOT_FOUND if it does not exist in the release. */
  async get(kind: RecordKind, id: string): Promise<DraftState & { readonly merged: RecordItem }> {
    const state = await this.read(kind, id);
    const { merged } = state;
    if (merged === undefined) throw notFound(kind, id);
    return { ...state, merged };
  }

  /** Creates a resource; ALREADY_EXISTS if it exists in the release, or in another project. */
  async create(kind: RecordKind, id: string, written: RecordItem): Promise<void> {
    const state = await this.read(kind, id);
    if (state.merged !== undefined || (await this.#isElsewhere(kind, id))) {
      throw alreadyExists(kind, id);
    }
    await this.write(kind, id, state, written);
  }

  /** Writes a resource, or deletes it if nothing is written. The current version needs no draft of the same values. */
  async write(
    kind: RecordKind,
    id: string,
    state: Pick<DraftState, "base" | "draft" | "current" | "currentRevision">,
    written: RecordItem | undefined,
  ): Promise<void> {
    const { projectId, accountId, now: updateTime, isForced, writtenPaths } = this.#target;
    const place = { ...this.#release, kind, id, projectId };
    const { base, draft } = rewriteDraft(state, written, writtenPaths) ?? {};
    if (base === undefined && draft === undefined) return this.#items.remove(place);
    // The order of a page can become the current one without another revision of the page.
    const isWhole = base === state.current && draft?.componentIds === undefined;
    await this.#items.put({
      ...place,
      ...(isWhole && { baseRevision: state.currentRevision }),
      ...(base && { base }),
      ...(draft && { draft }),
      ...{ isForced, accountId, updateTime },
    });
  }

  /** Merges the drafts of resources with current versions; one without a draft is current. */
  async #merge(
    kind: RecordKind,
    ids: readonly string[],
    items: readonly ReleaseDraft[],
  ): Promise<readonly DraftState[]> {
    const resources = ids.map((id) => ({ kind, id }));
    const records = await readCurrentRecords(this.current, this.#target.projectId, resources);
    const drafts = new Map(items.map((item) => [item.id, item]));
    return resources.map(({ id }) => {
      const { item: current, revision } = records.get(printKey({ kind, id })) ?? {};
      const currentRevision = revision ?? 0;
      const item = drafts.get(id);
      if (item === undefined) {
        const states = { base: current, draft: current, current, merged: current };
        return { id, ...states, revision, currentRevision };
      }
      const states = { base: item.base, draft: item.draft, current };
      return { id, ...states, currentRevision, merged: mergeDraft(states, item.updateTime).merged };
    });
  }

  /** Reports whether another project has a resource with an id. */
  async #isElsewhere(kind: RecordKind, id: string): Promise<boolean> {
    const [found] = await this.#access.locate(kind, [id], this.current.organizationId);
    return found !== undefined && found.projectId !== this.#target.projectId;
  }

  get #release() {
    return {
      organizationId: this.current.organizationId,
      releaseId: this.#target.releaseId,
    };
  }
}

/** The resources of one kind as a release shows them. Rules between resources hold when the release is applied. */
export class DraftStore<T extends Message> {
  readonly drafts: Drafts;
  readonly kind: RecordKind;

  constructor(drafts: Drafts, kind: RecordKind) {
    this.drafts = drafts;
    this.kind = kind;
  }

  async get(id: string): Promise<Stored<T>> {
    return toStored(await this.drafts.get(this.kind, id));
  }

  async getMany(ids: readonly string[]): Promise<Stored<T>[]> {
    const states = await this.drafts.readMany(this.kind, ids);
    return states.flatMap(({ merged, revision }) =>
      merged === undefined ? [] : toStored<T>({ merged, revision }),
    );
  }

  async update(id: string, change: (current: Stored<T>) => T): Promise<Stored<T>> {
    const state = await this.drafts.get(this.kind, id);
    const current = toStored<T>(state);
    const message = change(current);
    const isSame = equals(kindOf(this.kind).schema, message, current.value);
    // An equal value that is written again settles its conflict.
    if (isSame && state.revision !== undefined) return current;
    await this.drafts.write(this.kind, id, state, { ...state.merged, message });
    return this.get(id);
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
