import { create } from "@bufbuild/protobuf";
import { expect } from "vitest";
import { CreativeWorkSchema } from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import { EntitlementSchema } from "../../../gen/svc/cda/monetization/entitlement/v1/entitlement_pb.ts";
import { OfferSchema } from "../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import type { OrderPlace } from "../../../src/domain/base/paging.ts";
import type { EntitlementQuery } from "../../../src/storage/contract/monetization.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { ALPHA, BETA, createEvent, createSmallDataset } from "../small-dataset.ts";
import { expectPages, type ListIds, readAll } from "./paging.ts";
import { MIXED, MOMENT, NOW, ORDERED, SAME_MOMENT, TIES } from "./purchases.ts";
import type { Scenario } from "./scenario.ts";

const DAY_MS = 86_400_000;

/** Holds which entitlements a viewer has, in which order, and what they open. */
export function entitlementContract(scenario: Scenario): void {
  scenario("the newest come first, ties by code points", TIES, async (store) => {
    const at = (second: number) => (NOW.getTime() / 1_000 - second) * 1_000_000;
    await expectPages(listIds(store, {}), ORDERED, [
      [{ key: at(-9), id: "" }, ORDERED],
      [{ key: at(100), id: "A!" }, ORDERED.slice(2)],
      [{ key: at(150), id: "" }, ORDERED.slice(-1)],
      [{ key: 0, id: "" }, []],
    ]);
  });

  scenario("an entitlement says what was bought, and what it opens", MIXED, async (store) => {
    const { values: entitlements } = await store.entitlements.list(query({ userId: "whole" }));
    expect(entitlements).toEqual([
      create(EntitlementSchema, {
        id: "t-whole",
        projectId: ALPHA,
        userId: "whole",
        offerId: "some",
        opens: { videoIds: ["v-1"], eventIds: ["e-1"], creativeWorkIds: ["c-1"] },
        maxStreams: 2,
        startTime: { seconds: 1_784_487_000n, nanos: 123_456_000 },
        endTime: { seconds: 1_784_573_400n, nanos: 123_456_000 },
      }),
    ]);
  });

  for (const [userId, why] of NOTHING) {
    scenario(`nothing comes of ${why}`, MIXED, async (store) => {
      expect(await readAll(listIds(store, { userId }))).toEqual([]);
      expect(await store.entitlements.covers(watching({ userId }))).toBeUndefined();
    });
  }

  scenario("a test gives what any other purchase gives", MIXED, async (store) => {
    expect(await readAll(listIds(store, { userId: "tester" }))).toEqual(["t-tester"]);
    expect(await store.entitlements.covers(watching({ userId: "tester" }))).toEqual(DEFAULT);
  });

  scenario("one holds from its start on, and no more at its end", MIXED, async (store) => {
    const start = NOW.getTime() - 600_000 + 123;
    const cases = [
      [start, false],
      [start + 1, true],
      [start + DAY_MS, true],
      [start + DAY_MS + 1, false],
    ] as const;
    for (const [time, holds] of cases) {
      const viewer = { userId: "whole", now: new Date(time) };
      expect(await readAll(listIds(store, viewer))).toEqual(holds ? ["t-whole"] : []);
      const covers = await store.entitlements.covers(watching({ ...viewer, videoId: "v-1" }));
      expect(covers !== undefined, `${time}`).toBe(holds);
    }
  });

  scenario("an offer opens everything, its videos, events or works", MIXED, async (store) => {
    const cases: readonly (readonly [string, Partial<Watching>, boolean])[] = [
      ["all", {}, true],
      ["all", { videoId: "" }, true],
      ["whole", {}, false],
      ["whole", { videoId: "v-1" }, true],
      ["whole", { videoId: "V-1" }, false],
      ["whole", { videoId: "e-1" }, false],
      ["whole", { videoId: "of-e-1" }, true],
      ["whole", { videoId: "of-c-1" }, true],
      ["whole", { videoId: "of-both" }, true],
      ["whole", { videoId: "of-others" }, false],
      ["whole", { videoId: MOMENT }, true],
      ["whole", { videoId: SAME_MOMENT }, false],
      ["nobody", { videoId: "v-1" }, false],
      ["ALL", {}, false],
    ];
    for (const [userId, changes, want] of cases) {
      const got = await store.entitlements.covers(watching({ userId, ...changes }));
      expect(got !== undefined, JSON.stringify([userId, changes])).toBe(want);
    }
  });

  scenario("the most streams that a covering offer names count", MIXED, async (store) => {
    const cases: readonly (readonly [string, string, number])[] = [
      ["several", "other", 4],
      ["several", "v-1", 4],
      ["few", "v-1", 2],
      ["few", "other", 0],
      ["all", "v-1", 0],
    ];
    for (const [userId, videoId, maxStreams] of cases) {
      const got = await store.entitlements.covers(watching({ userId, videoId }));
      expect(got, `${userId} ${videoId}`).toEqual({ maxStreams });
    }
  });

  scenario("the offers that open a video are listed as offers are", OPENING, async (store) => {
    const list = (changes: object) =>
      store.offers.listOpening({
        ...{ projectId: ALPHA, videoId: "v", limit: 20 },
        at: undefined,
        visibilities: [Visibility.PUBLISHED],
        ...changes,
      });
    expect(await list({})).toEqual(["everything", "of-v", "of-e", "of-w"]);
    expect(await list({ limit: 2 })).toEqual(["everything", "of-v"]);
    expect(await list({ limit: 0 })).toEqual([]);
    expect(await list({ videoId: "other" })).toEqual(["everything"]);
    expect(await list({ projectId: BETA })).toEqual(["beta"]);
    const visibilities = [Visibility.PUBLISHED, Visibility.HIDDEN];
    expect(await list({ visibilities })).toEqual(["everything", "of-v", "hidden", "of-e", "of-w"]);
  });

  scenario("of the first thousand offers those that open a video", MANY, async (store) => {
    const list = (limit: number) =>
      store.offers.listOpening({
        ...{ projectId: ALPHA, videoId: "v", limit },
        at: undefined,
        visibilities: [Visibility.PUBLISHED],
      });
    expect(await list(20)).toEqual(["o-0099", "o-0100", "o-0999"]);
    expect(await list(2)).toEqual(["o-0099", "o-0100"]);
  });

  scenario("projects and their offers are distinguished", MIXED, async (store) => {
    expect(await readAll(listIds(store, { projectId: BETA, userId: "all" }))).toEqual(["t-beta"]);
    expect(await readAll(listIds(store, { projectId: "Alpha", userId: "all" }))).toEqual([]);
  });
}

/** Offers in an order that is not that of their ids, and what shows the video `v`. */
const OPENING = createSmallDataset({
  offers: [
    ...[
      { id: "of-w", opens: { creativeWorkIds: ["none", "w"] } },
      { id: "of-e", opens: { eventIds: ["e"] } },
      { id: "hidden", opens: { eventIds: ["e"] }, visibility: Visibility.HIDDEN },
      { id: "of-v", opens: { videoIds: ["v"] } },
      { id: "everything", opens: { everything: true } },
      { id: "swapped", opens: { eventIds: ["w", "v"], creativeWorkIds: ["e"], videoIds: ["e"] } },
      { id: "foreign", opens: { eventIds: ["e-beta"] } },
      { id: "nothing", opens: {} },
      { id: "scopeless" },
    ].map((init, index) =>
      create(OfferSchema, {
        ...{ projectId: ALPHA, visibility: Visibility.PUBLISHED, position: -index },
        ...init,
      }),
    ),
    create(OfferSchema, {
      ...{ id: "beta", projectId: BETA, visibility: Visibility.PUBLISHED },
      opens: { everything: true, eventIds: ["e"] },
    }),
  ],
  events: [
    createEvent("e", { videoIds: ["x", "v"], visibility: Visibility.HIDDEN }),
    createEvent("e-beta", { projectId: BETA, videoIds: ["v"] }),
  ],
  creativeWorks: [create(CreativeWorkSchema, { id: "w", projectId: ALPHA, videoIds: ["v"] })],
});

/** Offers of which the 100th, the 101st, the 1,000th and the 1,001st open the video `v`. */
const MANY = createSmallDataset({
  offers: Array.from({ length: 1_001 }, (_, index) =>
    create(OfferSchema, {
      ...{ id: `o-${String(index).padStart(4, "0")}`, projectId: ALPHA, position: index },
      visibility: Visibility.PUBLISHED,
      opens: { videoIds: [99, 100, 999, 1_000].includes(index) ? ["v"] : ["x"] },
    }),
  ),
});

const DEFAULT = { maxStreams: 0 };
const NOTHING = [
  ["pending", "a purchase that is not paid"],
  ["failed", "a payment that was rejected"],
  ["cancelled", "a purchase that was given up"],
  ["refunded", "a purchase that was paid back"],
  ["unknown", "a purchase of which nothing is known"],
  ["", "a purchase without a user"],
  ["offerless", "a purchase without an offer"],
  ["gone", "an offer that is gone"],
  ["closed", "an offer that opens nothing"],
  ["scopeless", "an offer that does not say what it opens"],
  ["foreign", "an offer of another project"],
  ["ended", "a purchase whose time is over"],
  ["future", "a purchase whose time has not come"],
] as const;

type Watching = Parameters<Store["entitlements"]["covers"]>[0];

function watching(changes: Partial<Watching>): Watching {
  return {
    projectId: ALPHA,
    userId: "user-1",
    now: NOW,
    videoId: "video-1",
    ...changes,
  };
}

function query(changes: Partial<EntitlementQuery>): EntitlementQuery {
  return { projectId: ALPHA, userId: "user-1", now: NOW, limit: 50, ...changes };
}

function listIds(store: Store, changes: Partial<EntitlementQuery>): ListIds<OrderPlace> {
  return async (page) => {
    const { values, next } = await store.entitlements.list({ ...query(changes), ...page });
    return { ids: values.map(({ id }) => id), next };
  };
}
