import type { VideoProtectionRuleset } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { isVisible } from "../../domain/content/visibility.ts";
import {
  type DeliveredKind,
  KINDS,
  type KindMessage,
  placeInDelivery,
} from "../../domain/kinds.ts";
import { compareCodePoints } from "../../domain/kql/index.ts";
import type { VisibilityScope } from "../contract/content-store.ts";
import type {
  DocumentPage,
  VisibleDocumentStore,
  VisibleIds,
  VisibleQuery,
} from "../contract/document-store.ts";
import type { DeliveryReads } from "../contract/store.ts";
import { type DocumentList, mergeDocuments } from "./merged-list.ts";
import type { DraftedResource, ReleaseStates } from "./release-states.ts";

/** The documents of the kinds that the Delivery API serves by their standard methods, as releases leave them. */
export class DocumentOverlay implements VisibleDocumentStore {
  readonly #current: VisibleDocumentStore;
  readonly #releases: ReleaseStates;

  constructor(current: VisibleDocumentStore, releases: ReleaseStates) {
    this.#current = current;
    this.#releases = releases;
  }

  async getMany<Kind extends DeliveredKind>(
    kind: Kind,
    key: VisibleIds,
  ): Promise<readonly KindMessage<Kind>[]> {
    const drafted = await this.#releases.find(kind, key.ids);
    const ids = key.ids.filter((id) => !drafted.has(id));
    const current = await this.#current.getMany(kind, { ...key, ids });
    return [...current, ...(await this.#listDrafts<KindMessage<Kind>>(drafted, key))];
  }

  async list<Kind extends DeliveredKind>(
    kind: Kind,
    query: VisibleQuery,
  ): Promise<DocumentPage<KindMessage<Kind>>> {
    const { limit: _limit, after: _after, ...scope } = query;
    const drafted = await this.#releases.find(kind, query.ids);
    if (drafted.size === 0) return this.#current.list(kind, query);
    const { schema, delivered } = KINDS[kind];
    const list: DocumentList<KindMessage<Kind>> = {
      ...{ schema, order: delivered.order, query },
      toPlace: (value) => placeInDelivery(kind, value),
      read: (page) => this.#current.list(kind, { ...scope, ...page }),
      isHidden: ({ id }) => drafted.has(id),
    };
    return mergeDocuments(list, await this.#listDrafts(drafted, scope));
  }

  /** Lists the drafts that a scope sees. */
  async #listDrafts<T extends KindMessage<DeliveredKind>>(
    drafted: ReadonlyMap<string, DraftedResource>,
    scope: VisibilityScope,
  ): Promise<readonly T[]> {
    const drafts: T[] = [];
    for await (const { state } of this.#releases.merge(drafted.values())) {
      const message = state?.message as T | undefined;
      if (message && isVisible(message, scope)) drafts.push(message);
    }
    return drafts;
  }
}

/** Video protection rulesets as releases leave them. */
export class RulesetOverlay {
  readonly #current: DeliveryReads["rulesets"];
  readonly #releases: ReleaseStates;

  constructor(current: DeliveryReads["rulesets"], releases: ReleaseStates) {
    this.#current = current;
    this.#releases = releases;
  }

  async list(projectId: string): Promise<readonly VideoProtectionRuleset[]> {
    const drafted = await this.#releases.find("ruleset");
    const rulesets = (await this.#current.list(projectId)).filter(({ id }) => !drafted.has(id));
    for await (const { state } of this.#releases.merge(drafted.values())) {
      if (state !== undefined) rulesets.push(state.message as VideoProtectionRuleset);
    }
    return rulesets.sort((a, b) => compareCodePoints(a.id, b.id));
  }
}
