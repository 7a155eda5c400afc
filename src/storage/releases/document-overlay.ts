import { toBinary } from "@bufbuild/protobuf";
import type { VideoProtectionRuleset } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { cutPage } from "../../domain/base/paging.ts";
import { isVisible } from "../../domain/content/visibility.ts";
import {
  type DeliveredKind,
  KINDS,
  type KindMessage,
  placeInDelivery,
} from "../../domain/kinds.ts";
import { compareCodePoints } from "../../domain/kql/index.ts";
import type { VisibilityScope } from "../contract/content-store.ts";
import type { DocumentPage, DocumentPlace } from "../contract/document-store.ts";
import type { DeliveryReads } from "../contract/store.ts";
import type {
  VisibleDocumentStore,
  VisibleIds,
  VisibleQuery,
} from "../contract/visible-documents.ts";
import { mergeDrafts } from "./merged-list.ts";
import type { DraftedResource, ReleaseStates } from "./release-states.ts";

/** A document in a list. */
interface DocumentRow<T> extends DocumentPlace {
  readonly value: T;
}

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
    type Value = KindMessage<Kind>;
    const { limit, after, ...scope } = query;
    const drafted = await this.#releases.find(kind, query.ids);
    if (drafted.size === 0) return this.#current.list(kind, query);
    const { schema, delivered } = KINDS[kind];
    const toRow = (value: Value): DocumentRow<Value> => ({
      ...placeInDelivery(kind, value),
      value,
    });
    const list = {
      order: { field: delivered.order, direction: "asc" } as const,
      limit: limit + 1,
      after,
      read: async (limit: number, start: DocumentPlace | undefined) => {
        const page = { ...scope, limit, ...(start && { after: start }) };
        const { values, next } = await this.#current.list(kind, page);
        return { rows: values.map(toRow), next };
      },
      isHidden: ({ id }: DocumentPlace) => drafted.has(id),
    };
    const drafts = await this.#listDrafts<Value>(drafted, scope);
    const { rows } = await mergeDrafts<DocumentRow<Value>>(list, drafts.map(toRow));
    const { shown, last } = cutPage(rows, limit, ({ value }) => toBinary(schema, value).length);
    return {
      values: shown.map(({ value }) => value),
      ...(last && { next: { key: last.key, id: last.id } }),
    };
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
