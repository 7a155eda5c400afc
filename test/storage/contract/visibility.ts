import { create, type DescMessage } from "@bufbuild/protobuf";
import { expect } from "vitest";
import { CreativeWorkSchema } from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import { EntitySchema } from "../../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import { EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { OfferSchema } from "../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import { BannerCollectionSchema } from "../../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { ALPHA, BETA, createSmallDataset } from "../small-dataset.ts";
import type { Scenario } from "./scenario.ts";

const { UNSPECIFIED, PUBLISHED, UNLISTED, HIDDEN } = Visibility;
const ALL: readonly Visibility[] = [UNSPECIFIED, PUBLISHED, UNLISTED, HIDDEN];
const SUBSETS = Array.from({ length: 2 ** ALL.length }, (_, bits) =>
  ALL.filter((_, index) => (bits & (1 << index)) !== 0),
);

interface Scope {
  readonly projectId: string;
  readonly visibilities: readonly Visibility[];
}

type Found = readonly { readonly id: string }[];

/** How delivery reads resources of a kind. */
interface Kind {
  readonly schema: DescMessage;
  getMany(store: Store, key: Scope & { readonly ids: readonly string[] }): Promise<Found>;
  get?(store: Store, key: Scope & { readonly id: string }): Promise<Found[number]>;
  list?(store: Store, scope: Scope): Promise<Found>;
}

const ofContent = (schema: DescMessage, name: "events" | "creativeWorks" | "entities"): Kind => ({
  schema,
  getMany: (store, key) => store[name].getMany(key),
  get: (store, key) => store[name].get(key),
  async list(store, scope) {
    const order = { field: "id", direction: "asc" } as const;
    const query = { ...scope, order, words: [], limit: 50, now: new Date(0) };
    return (await store[name].list(query)).entries.map(({ item }) => item);
  },
});

const KINDS: Readonly<Record<string, Kind>> = {
  events: ofContent(EventSchema, "events"),
  creativeWorks: ofContent(CreativeWorkSchema, "creativeWorks"),
  entities: ofContent(EntitySchema, "entities"),
  offers: {
    schema: OfferSchema,
    getMany: (store, key) => store.offers.getMany(key),
    list: async (store, scope) => (await store.offers.list({ ...scope, limit: 50 })).offers,
  },
  bannerCollections: {
    schema: BannerCollectionSchema,
    getMany: (store, key) => store.bannerCollections.getMany(key),
  },
};

/** Two resources of every visibility, and one in another project. */
const RESOURCES = [
  ...ALL.flatMap((visibility) =>
    ["a", "A"].map((id) => ({ id: `${id}-${visibility}`, projectId: ALPHA, visibility })),
  ),
  { id: "beta", projectId: BETA, visibility: PUBLISHED },
];
const IDS = RESOURCES.map(({ id }) => id);

const idsOf = (found: Found) => found.map(({ id }) => id).sort();

/** Holds that delivery reads nothing of another project, of another visibility, or by a similar id. */
export function visibilityContract(scenario: Scenario): void {
  for (const [name, { schema, getMany, get, list }] of Object.entries(KINDS)) {
    const data = createSmallDataset({
      [name]: RESOURCES.map((init) => create(schema, init as never)),
    });

    scenario(`${name}: none leaves the store with another visibility`, data, async (store) => {
      for (const visibilities of SUBSETS) {
        const scope = { projectId: ALPHA, visibilities };
        const want = RESOURCES.filter(
          (it) => it.projectId === ALPHA && visibilities.includes(it.visibility),
        );
        expect(idsOf(await getMany(store, { ...scope, ids: IDS }))).toEqual(idsOf(want));
        if (list) expect(idsOf(await list(store, scope))).toEqual(idsOf(want));
        if (get === undefined) continue;
        for (const resource of RESOURCES) {
          const { id } = resource;
          const got = get(store, { ...scope, id });
          if (want.includes(resource)) expect((await got).id).toBe(id);
          else await expect(got).rejects.toMatchObject({ reason: "RESOURCE_NOT_FOUND" });
        }
      }
    });

    scenario(`${name}: the project and the id are compared byte by byte`, data, async (store) => {
      for (const projectId of [BETA, "Beta", "Alpha", "nowhere", ""]) {
        const scope = { projectId, visibilities: ALL };
        const want = projectId === BETA ? ["beta"] : [];
        expect(idsOf(await getMany(store, { ...scope, ids: IDS }))).toEqual(want);
        if (list) expect(idsOf(await list(store, scope))).toEqual(want);
      }
      const scope = { projectId: ALPHA, visibilities: ALL };
      for (const [ids, want] of [
        [[], []],
        [
          ["a-1", "A-1", "a-1", "nothing"],
          ["A-1", "a-1"],
        ],
        [["a-1 ", "a-%", "%", ""], []],
      ] as const) {
        expect(idsOf(await getMany(store, { ...scope, ids }))).toEqual(want);
      }
    });
  }
}
