import { create } from "@bufbuild/protobuf";
import { afterAll, expect, test, vi } from "vitest";
import { CreativeWorkSchema } from "../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import { OfferSchema } from "../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import { Visibility } from "../../gen/svc/type/v1/visibility_pb.ts";
import { WorkBudget } from "../../src/domain/base/work-budget.ts";
import { openFresh } from "../harness/fresh-store.ts";
import { expectWithin, MACHINE, watchTurns } from "../harness/turns.ts";
import { createSlowBudget, createTicks } from "./slow-budget.ts";
import { ALPHA, createSmallDataset, createTransaction } from "./small-dataset.ts";

/** Large offers: 186 KB each with the most ids, so that 16 MiB are 90 of them. */
const NUMBERS = Array.from({ length: 150 }, (_, number) => String(number).padStart(3, "0"));

/** One megabyte is read in about 5 ms on a machine of 2025; all offers in one turn take 30 times as long. */
const LONGEST = 8 * MACHINE;

const many = (name: string, number: string) =>
  Array.from({ length: 1_000 }, (_, index) => `${name}-${number}-${index}-`.padEnd(60, "x"));

const offers = NUMBERS.map((number) => {
  const opens = {
    videoIds: [...many("v", number).slice(1), `video-${number}`],
    eventIds: many("e", number),
    creativeWorkIds: many("c", number),
  };
  const shown = { visibility: Visibility.PUBLISHED, position: Number(number) };
  return create(OfferSchema, { id: `offer-${number}`, projectId: ALPHA, opens, ...shown });
});

const transactions = NUMBERS.map((number) =>
  createTransaction(`transaction-${number}`, { offerId: `offer-${number}`, userId: "vera" }),
);

const { store, close } = await openFresh(createSmallDataset({ offers, transactions }));
afterAll(close);

const SCOPE = {
  ...{ projectId: ALPHA, visibilities: [Visibility.PUBLISHED] },
  at: undefined,
};

/** Reads something, and holds how long others wait for it at most. */
async function read<T>(run: () => Promise<T>): Promise<T> {
  await run();
  let value: T | undefined;
  const { longest } = await watchTurns(async () => {
    value = await run();
  });
  expectWithin(longest, LONGEST);
  return value as T;
}

test("large offers of a viewer decide on playback in short turns", async () => {
  const viewer = { projectId: ALPHA, userId: "vera", now: new Date() };
  const covers = (videoId: string) => read(() => store.entitlements.covers({ ...viewer, videoId }));
  expect(await covers("video-149")).toEqual({ maxStreams: 0 });
  expect(await covers("video-150")).toBeUndefined();
});

test("a viewer's calls take turns with other callers' for each megabyte of offers", async () => {
  const viewer = { projectId: ALPHA, userId: "vera", now: new Date() };
  for (const read of [
    (budget: WorkBudget) => store.entitlements.covers({ ...viewer, budget, videoId: "video-149" }),
    (budget: WorkBudget) => store.entitlements.list({ ...viewer, budget, limit: 1 }),
  ]) {
    const pause = vi.fn(async () => {});
    await read(new WorkBudget({ clock: createTicks(20), pause }));
    expect(pause.mock.calls.length).toBeGreaterThan(25);
  }
});

test("large entitlements are listed in short turns, page by page", async () => {
  const query = { projectId: ALPHA, userId: "vera", now: new Date(), limit: 100 };
  const { values: entitlements, next } = await read(() => store.entitlements.list(query));
  // 4 MiB are 22 of them.
  expect(entitlements.map(({ id }) => id)).toEqual(
    NUMBERS.slice(0, 22).map((number) => `transaction-${number}`),
  );
  expect(next?.id).toBe("transaction-021");
  expect(entitlements[21]?.opens?.videoIds.at(-1)).toBe("video-021");
});

test("large offers are searched for a video in short turns, until 16 MiB", async () => {
  const find = (videoId: string) =>
    read(() => store.offers.listOpening({ ...SCOPE, videoId, limit: 20 }));
  expect(await find("video-000")).toEqual(["offer-000"]);
  expect(await find("video-089")).toEqual(["offer-089"]);
  expect(await find("video-140")).toEqual([]);
});

test("large offers are listed in short turns, page by page", async () => {
  const listed: string[] = [];
  let after: { readonly key: string | number | null; readonly id: string } | undefined;
  do {
    const query = { ...SCOPE, limit: 100, ...(after && { after }) };
    const page = await read(() => store.visibleDocuments.list("offer", query));
    listed.push(...page.values.map(({ id }) => id));
    after = page.next;
  } while (after !== undefined);
  expect(listed).toEqual(offers.map(({ id }) => id));
});

test("a list of offers ends once the time of its call is up", async () => {
  const query = { ...SCOPE, limit: 100, budget: createSlowBudget(0) };
  const { values, next } = await store.visibleDocuments.list("offer", query);
  expect([values.map(({ id }) => id), next?.id]).toEqual([["offer-000"], "offer-000"]);
});

test("an offer opens a video by each of 10,000 creative works that show it", async () => {
  const shown = { projectId: ALPHA, visibility: Visibility.PUBLISHED, videoIds: ["video-shown"] };
  const ids = Array.from({ length: 10_000 }, (_, number) => `work-${number}`);
  const creativeWorks = ids.map((id) => create(CreativeWorkSchema, { id, ...shown }));
  const parts = NUMBERS.slice(0, 10).map((number, part) => ({
    number,
    creativeWorkIds: ids.slice(part * 1_000, (part + 1) * 1_000),
  }));
  const dataset = createSmallDataset({
    creativeWorks,
    offers: parts.map(({ number, creativeWorkIds }) => {
      const opens = { creativeWorkIds };
      return create(OfferSchema, { id: `offer-${number}`, projectId: ALPHA, opens });
    }),
    transactions: parts.map(({ number }) => {
      const bought = { offerId: `offer-${number}`, userId: `user-${number}` };
      return createTransaction(`transaction-${number}`, bought);
    }),
  });
  const many = await openFresh(dataset);
  for (const { number } of parts) {
    const viewer = { projectId: ALPHA, userId: `user-${number}`, now: new Date() };
    const got = await many.store.entitlements.covers({ ...viewer, videoId: "video-shown" });
    expect(got, number).toEqual({ maxStreams: 0 });
  }
  await many.close();
});
