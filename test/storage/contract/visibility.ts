import { create } from "@bufbuild/protobuf";
import { expect } from "vitest";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { type DeliveredKind, isDelivered, KIND_NAMES, kindOf } from "../../../src/domain/kinds.ts";
import type { RecordKind } from "../../../src/domain/records/record.ts";
import type { VisibilityScope } from "../../../src/storage/contract/content-store.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { ALPHA, BETA, createSmallDataset } from "../small-dataset.ts";
import type { Scenario } from "./scenario.ts";

const { UNSPECIFIED, PUBLISHED, UNLISTED, HIDDEN } = Visibility;
const ALL: readonly Visibility[] = [UNSPECIFIED, PUBLISHED, UNLISTED, HIDDEN];
const SUBSETS = Array.from({ length: 2 ** ALL.length }, (_, bits) =>
  ALL.filter((_, index) => (bits & (1 << index)) !== 0),
);

type Found = readonly { readonly id: string }[];

/** How delivery reads resources of a kind. */
interface Reads {
  getMany(store: Store, key: VisibilityScope & { readonly ids: readonly string[] }): Promise<Found>;
  get?(store: Store, key: VisibilityScope & { readonly id: string }): Promise<Found[number]>;
  list(store: Store, scope: VisibilityScope): Promise<Found>;
}

const ofContent = (name: "events" | "creativeWorks" | "entities"): Reads => ({
  getMany: (store, key) => store[name].getMany(key),
  get: (store, key) => store[name].get(key),
  async list(store, scope) {
    const order = { field: "id", direction: "asc" } as const;
    const query = { ...scope, order, words: [], limit: 50, now: new Date(0) };
    return (await store[name].list(query)).entries.map(({ item }) => item);
  },
});

const ofDelivered = (kind: DeliveredKind): Reads => ({
  getMany: (store, key) => store.visibleDocuments.getMany(kind, key),
  list: async (store, scope) =>
    (await store.visibleDocuments.list(kind, { ...scope, limit: 50 })).values,
});

const KINDS: readonly (readonly [RecordKind, Reads])[] = [
  ["event", ofContent("events")],
  ["creative_work", ofContent("creativeWorks")],
  ["entity", ofContent("entities")],
  ...KIND_NAMES.filter(isDelivered).map((kind) => [kind, ofDelivered(kind)] as const),
];

/** A dataset without resources of these kinds. */
const NONE = { entities: [], creativeWorks: [], events: [], offers: [], bannerCollections: [] };

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
  for (const [kind, { getMany, get, list }] of KINDS) {
    const { schema } = kindOf(kind);
    const others = RESOURCES.map((init) => {
      return { kind, message: create(schema, init as never), line: 0 };
    });
    const data = createSmallDataset({ ...NONE, others });

    scenario(`${kind}: none leaves the store with another visibility`, data, async (store) => {
      for (const visibilities of SUBSETS) {
        const scope = { projectId: ALPHA, at: undefined, visibilities };
        const want = RESOURCES.filter(
          (it) => it.projectId === ALPHA && visibilities.includes(it.visibility),
        );
        expect(idsOf(await getMany(store, { ...scope, ids: IDS }))).toEqual(idsOf(want));
        expect(idsOf(await list(store, scope))).toEqual(idsOf(want));
        if (get === undefined) continue;
        for (const resource of RESOURCES) {
          const { id } = resource;
          const got = get(store, { ...scope, id });
          if (want.includes(resource)) expect((await got).id).toBe(id);
          else await expect(got).rejects.toMatchObject({ reason: "RESOURCE_NOT_FOUND" });
        }
      }
    });

    scenario(`${kind}: the project and the id are compared byte by byte`, data, async (store) => {
      for (const projectId of [BETA, "Beta", "Alpha", "nowhere", ""]) {
        const scope = { projectId, at: undefined, visibilities: ALL };
        const want = projectId === BETA ? ["beta"] : [];
        expect(idsOf(await getMany(store, { ...scope, ids: IDS }))).toEqual(want);
        expect(idsOf(await list(store, scope))).toEqual(want);
      }
      const scope = { projectId: ALPHA, at: undefined, visibilities: ALL };
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
