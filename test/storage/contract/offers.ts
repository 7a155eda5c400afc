import { create } from "@bufbuild/protobuf";
import { expect } from "vitest";
import { OfferSchema } from "../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import type { OrderPlace } from "../../../src/domain/base/paging.ts";
import type { VisibleQuery } from "../../../src/storage/contract/document-store.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { ALPHA, BETA, createSmallDataset } from "../small-dataset.ts";
import { expectPages, type ListIds, readAll } from "./paging.ts";
import type { Scenario } from "./scenario.ts";

const { UNSPECIFIED, PUBLISHED, UNLISTED, HIDDEN } = Visibility;
const ALL: readonly Visibility[] = [HIDDEN, PUBLISHED, UNSPECIFIED, UNLISTED];
const MAX = 2 ** 31 - 1;
const MIN = -(2 ** 31);

/** Holds the list of offers: order, paging and visibility. */
export function offerContract(scenario: Scenario): void {
  scenario("offers come by position, ties by code points", DATA, async (store) => {
    await expectPages(listIds(store, { at: undefined, visibilities: ALL }), ORDERED, [
      [{ key: MIN, id: "" }, ORDERED],
      [{ key: 5, id: "a!" }, ORDERED.slice(4)],
      [{ key: 6, id: "" }, ORDERED.slice(7)],
      [{ key: MAX, id: "\u{10ffff}" }, []],
    ]);
  });

  scenario("pages of every visibility hold everything once", DATA, async (store) => {
    for (let bits = 0; bits < 16; bits += 1) {
      const visibilities = ALL.filter((_, index) => (bits & (1 << index)) !== 0);
      const want = ORDERED.filter((id) => visibilities.includes(visibilityOf(id)));
      for (const limit of [1, 3, 50]) {
        expect(await readAll(listIds(store, { visibilities }), limit)).toEqual(want);
      }
    }
  });
}

function toQuery(changes: Partial<VisibleQuery>): VisibleQuery {
  return { projectId: ALPHA, at: undefined, visibilities: [PUBLISHED], limit: 50, ...changes };
}

function listIds(store: Store, changes: Partial<VisibleQuery>): ListIds<OrderPlace> {
  return async (page) => {
    const query = { ...toQuery(changes), ...page };
    const { values, next } = await store.visibleDocuments.list("offer", query);
    return { ids: values.map(({ id }) => id), next };
  };
}

function visibilityOf(id: string): Visibility {
  return DATA.offers.find((it) => it.id === id)?.visibility ?? UNSPECIFIED;
}

const ORDERED = ["least", "zero", "A", "a", "é", "\uff61", "\u{1f600}", "ten", "most"];

const DATA = createSmallDataset({
  offers: [
    ...[
      { id: "ten", position: 10, visibility: PUBLISHED },
      { id: "\u{1f600}", position: 5, visibility: HIDDEN },
      { id: "most", position: MAX, visibility: HIDDEN },
      { id: "é", position: 5, visibility: PUBLISHED },
      { id: "a", position: 5, visibility: UNSPECIFIED },
      { id: "\uff61", position: 5, visibility: PUBLISHED },
      { id: "A", position: 5, visibility: PUBLISHED },
      { id: "least", position: MIN, visibility: PUBLISHED },
    ].map((init) => create(OfferSchema, { projectId: ALPHA, ...init })),
    create(OfferSchema, {
      id: "zero",
      projectId: ALPHA,
      visibility: UNLISTED,
      title: { en: "Pass" },
      prices: [{ id: "kwd", amount: { currencyCode: "KWD", units: 1n, nanos: 375_000_000 } }],
      opens: { videoIds: ["v"], eventIds: ["e"], creativeWorkIds: ["c"] },
      updateTime: { seconds: 7n },
    }),
    create(OfferSchema, { id: "beta", projectId: BETA, visibility: PUBLISHED }),
  ],
});
