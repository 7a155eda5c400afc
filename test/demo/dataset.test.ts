import { readFileSync } from "node:fs";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { createDemoDataset } from "../../demo/data/dataset.ts";
import { toVideoSeconds } from "../../demo/data/match-clock.ts";
import { printDemo, printReleases } from "../../demo/data/records.ts";
import { demoSamples } from "../../demo/ids.ts";
import type { Money } from "../../gen/google/type/money_pb.ts";
import { TransactionStatus } from "../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import { Visibility } from "../../gen/svc/type/v1/visibility_pb.ts";
import { ROOT } from "../harness/process.ts";

const data = createDemoDataset();
const pages = data.pages.map((record) => record.page);
const components = data.pages.flatMap((record) => record.components);
const transactions = data.transactions.map((record) => record.transaction);
const resources = [
  ...data.entities,
  ...data.creativeWorks,
  ...data.events,
  ...data.videos,
  ...data.annotationTypes,
  ...data.annotations,
  ...data.bannerCollections,
  ...pages,
  ...components,
  ...data.rulesets,
  ...data.offers,
  ...transactions,
];
const projectOf = new Map(resources.map((resource) => [resource.id, resource.projectId]));

/** Returns the ids that are not in the project. */
function missing(projectId: string, ids: readonly string[]): string[] {
  return ids.filter((id) => id !== "" && projectOf.get(id) !== projectId);
}

test("the files hold what `npm run demo` makes", () => {
  const read = (name: string) => readFileSync(`${ROOT}demo/${name}`, "utf8");
  expect(read("demo.ndjson") === printDemo()).toBe(true);
  expect(read("releases.ndjson")).toBe(printReleases());
});

test("ids are unique over everything, and need no escape in a URL", () => {
  const others = [...data.organizations, ...data.projects, ...data.accounts];
  const ids = [...others, ...resources].map(({ id }) => id);
  expect(ids.length - new Set(ids).size).toBe(0);
  expect(resources.filter((it) => !/^[a-z0-9-]+$/.test(it.id))).toEqual([]);
});

test("every project has resources of every kind", () => {
  for (const { id } of data.projects) {
    const kinds = new Set(resources.flatMap((it) => (it.projectId === id ? [it.$typeName] : [])));
    expect(kinds.size, id).toBe(12);
  }
});

/** The ids that resources name, as [resource, project, ids]. */
type Reference = readonly [string, string, readonly string[]];

const shown = new Set(
  data.bannerCollections
    .filter((it) => it.visibility === Visibility.PUBLISHED)
    .map((collection) => collection.id),
);

/** By kind of resource; importers do not check these. */
const REFERENCES: Readonly<Record<string, readonly Reference[]>> = {
  "an event or a creative work": [...data.events, ...data.creativeWorks].map((it) => {
    const eventId = it.fields?.event_id;
    const ids = [...it.entityIds, ...it.videoIds, typeof eventId === "string" ? eventId : ""];
    return [it.id, it.projectId, ids];
  }),
  "an annotation": data.annotations.map((it) => {
    const ids = [it.typeId, it.videoId, it.eventId, it.creativeWorkId, ...it.entityIds];
    return [it.id, it.projectId, ids];
  }),
  "a player": data.entities
    .filter((it) => it.contentType === "player")
    .map(({ id, projectId, fields }) => {
      const team = fields?.team as { readonly id: string } | undefined;
      return [id, projectId, [team?.id ?? "no team"]];
    }),
  "a ruleset": data.rulesets.flatMap(({ id, projectId, applicability }) => {
    if (applicability.case !== "target") return [];
    const { entityIds, eventIds, creativeWorkIds, videoIds } = applicability.value;
    return [[id, projectId, [...entityIds, ...eventIds, ...creativeWorkIds, ...videoIds]]];
  }),
  "an offer": data.offers.flatMap(({ id, projectId, opens }) => {
    const ids = opens ? [...opens.videoIds, ...opens.eventIds, ...opens.creativeWorkIds] : [];
    return [[id, projectId, ids]];
  }),
  "a component": data.pages.flatMap(({ page, components }) =>
    components.map(({ id, data: { case: kind, value } }): Reference => {
      const json = JSON.stringify(value, (_, it) => (typeof it === "bigint" ? `${it}` : it));
      const ids = Array.from(json.matchAll(/"offer_id":"([^"]*)"/g), ([, offer]) => offer ?? "");
      if (kind === "rail") ids.push(...value.pinned);
      if (kind === "bannerCollection" || kind === "bannerCollectionV2") {
        ids.push(shown.has(value.id) ? value.id : `${value.id}, not shown`);
      }
      return [id, page.projectId, [id, ...ids]];
    }),
  ),
};

for (const [kind, references] of Object.entries(REFERENCES)) {
  test(`what ${kind} names is in its project`, () => {
    expect(references.flatMap(([, , ids]) => ids).length).toBeGreaterThan(0);
    const got = references.filter(([, project, ids]) => missing(project, ids).length > 0);
    expect(got).toEqual([]);
  });
}

describe("a transaction", () => {
  const nanosOf = (money: Money | undefined = expect.fail("an amount is missing")) =>
    money.units * 1_000_000_000n + BigInt(money.nanos);

  test("is at a price of an offer of its project", () => {
    const offers = new Map(data.offers.map((offer) => [offer.id, offer]));
    for (const it of transactions) {
      const offer = offers.get(it.offerId);
      const price = offer?.prices.find(({ id }) => id === it.offerPriceId);
      expect([offer?.projectId, price?.amount], it.id).toEqual([it.projectId, it.msrp]);
      const { billingPeriod, accessPeriod } = price ?? {};
      const want = [it.billingPeriod, it.accessPeriod, it.offerTitle];
      expect([billingPeriod, accessPeriod, offer?.title.en], it.id).toEqual(want);
    }
  });

  test("adds up exactly, in whole coins", () => {
    const coins = new Map([
      ["EUR", 10_000_000n],
      ["USD", 10_000_000n],
      ["GBP", 10_000_000n],
      ["JPY", 1_000_000_000n],
      ["KWD", 1_000_000n],
    ]);
    for (const it of transactions) {
      const subtotal = nanosOf(it.msrp) - nanosOf(it.discountAmount);
      expect(nanosOf(it.subtotalAmount), it.id).toBe(subtotal);
      expect(nanosOf(it.totalAmount), it.id).toBe(subtotal + nanosOf(it.vatAmount));
      expect(it.discountCode === "", it.id).toBe(it.discountPercentage === 0);
      const amounts = [it.msrp, it.discountAmount, it.subtotalAmount, it.vatAmount, it.totalAmount];
      const [currency = "", ...others] = new Set(amounts.map((money) => money?.currencyCode));
      expect(others, it.id).toEqual([]);
      const coin = coins.get(currency) ?? expect.fail(`no coin of ${currency}`);
      for (const money of amounts) expect(nanosOf(money) % coin, it.id).toBe(0n);
    }
  });

  test("is captured, after its start, exactly when the money was taken", () => {
    for (const { id, status, createTime, captureTime } of transactions) {
      const paid = status === TransactionStatus.CAPTURED || status === TransactionStatus.REFUNDED;
      expect(captureTime !== undefined, id).toBe(paid);
      if (captureTime === undefined || createTime === undefined) continue;
      expect(timestampMs(captureTime), id).toBeGreaterThan(timestampMs(createTime));
    }
  });
});

describe("the goals of a match", () => {
  const goals = data.annotations.filter((it) => it.typeId === "type-goal");
  const byEvent = Map.groupBy(goals, (goal) => goal.eventId);

  test("are as many for each side as its score says, in order", () => {
    const matches = data.events.filter((it) => it.contentType === "match");
    for (const { id, projectId, entityIds, fields } of matches) {
      if (projectId !== "worldcup") continue;
      const scored = byEvent.get(id) ?? [];
      const sides = entityIds.slice(0, 2);
      const got = sides.map((team) => scored.filter((it) => it.entityIds[0] === team).length);
      const score = fields?.score as { readonly home: number; readonly away: number };
      expect(got, id).toEqual([score.home, score.away]);
      expect(scored.map((goal) => goal.order)).toEqual(scored.map((_, i) => BigInt(i + 1)));
      const seconds = scored.map((goal) => Number(goal.offset?.seconds));
      expect(seconds, id).toEqual(seconds.toSorted((a, b) => a - b));
    }
  });

  test("name a scorer of one of its teams", () => {
    for (const { id, eventId, entityIds } of goals.filter((it) => /goal-2026/.test(it.id))) {
      const team = entityIds[1]?.replace("player", "team").replace(/-\d+$/, "");
      const event = data.events.find((it) => it.id === eventId);
      expect(event?.entityIds.slice(0, 2), id).toContain(team);
    }
  });
});

test("annotations lie within their videos", () => {
  const durations = new Map(data.videos.map((video) => [video.id, video.duration?.seconds ?? 0n]));
  const got = data.annotations.filter(
    ({ videoId, endOffset }) => (endOffset?.seconds ?? 0n) > (durations.get(videoId) ?? 0n),
  );
  expect(got).toEqual([]);
});

test.each([
  ["1", 60],
  ["45+2", 47 * 60],
  ["46", 66 * 60],
  ["90+6", 116 * 60],
  ["91", 121 * 60],
  ["105+1", 136 * 60],
  ["106", 138 * 60],
  ["120+5", 157 * 60],
])("minute %s is %i seconds into the video", (minute, want) => {
  expect(toVideoSeconds(minute)).toBe(want);
});

test("the samples are the World Cup's, and belong together", () => {
  const { page_slug, transaction_billing_id, ...ids } = demoSamples;
  expect(missing("worldcup", Object.values(ids))).toEqual([]);
  const record = data.pages.find(({ page }) => page.id === ids.page_id);
  expect(record?.page.slug).toBe(page_slug);
  const billed = data.transactions.filter(
    (transaction) => transaction.billingTransactionId === transaction_billing_id,
  );
  expect(billed.map(({ transaction }) => transaction.projectId)).toEqual(["worldcup"]);
  const event = data.events.find((it) => it.id === ids.event_id);
  expect(event?.videoIds).toContain(ids.video_id);
  const kinds = new Map(record?.components.map((it) => [it.id, it.type]));
  expect(kinds.get(ids.rail_id)).toBe("rail");
  expect(kinds.get(ids.page_component_id)).toBe("banner_collection_v2");
});
