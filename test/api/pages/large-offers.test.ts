import { create, toBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { OfferSchema } from "../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { expectWithin, MACHINE, watchTurns } from "../../harness/turns.ts";
import { useSmallMarquee } from "../../harness/use-marquee.ts";
import { ALPHA, createSmallDataset } from "../../storage/small-dataset.ts";
import { callDelivery } from "../delivery.ts";
import { createPage, createPart } from "./small-pages.ts";

const PUBLISHED = { projectId: ALPHA, visibility: Visibility.PUBLISHED } as const;

/** Offers of 200 KB each: 20 of them have 4 MB, just less than the 4 MiB of a response. */
const OFFERS = Array.from({ length: 20 }, (_, number) => {
  const many = Array.from({ length: 1_000 }, (_, it) => `${number}-${it}-`.padEnd(64, "x"));
  const opens = { videoIds: many, eventIds: many, creativeWorkIds: many };
  return create(OfferSchema, { ...PUBLISHED, id: `offer-${number}`, opens });
});
const BYTES = OFFERS.map((offer) => toBinary(OfferSchema, offer).length);
const MOST_BYTES = 4 * 1024 * 1024;

/** Components that show all offers, as a page may have a hundred. */
const COMPONENTS = Array.from({ length: 30 }, (_, number) =>
  createPart(`offers-${number}`, {
    case: "offers",
    value: { offer: OFFERS.map(({ id }) => ({ offer_id: id })) },
  }),
);

const marquee = await useSmallMarquee(
  createSmallDataset({ offers: OFFERS, pages: [createPage("offers", COMPONENTS)] }),
);
const getPage = (environment: string) =>
  callDelivery(marquee, "svc.cda.ott.page.v1.PageService/GetPage", { slug: "offers", environment });

test("the offers of all components of a page have 4 MiB together", async () => {
  const { components } = (await getPage("web")).json;
  const shown: string[][] = components.map(({ offers = [] }: { offers?: { id: string }[] }) =>
    offers.map(({ id }) => id),
  );
  expect(shown).toHaveLength(COMPONENTS.length);
  expect(shown[0]).toEqual(OFFERS.map(({ id }) => id));
  const bytes = shown.flat().reduce((sum, id) => sum + (BYTES[Number(id.slice(6))] ?? 0), 0);
  expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
  const [next = 0] = BYTES;
  expect(bytes + next).toBeGreaterThan(MOST_BYTES);
});

test("such a page holds others up for a short time", async () => {
  const { longest } = await watchTurns(async () => {
    // Another response than the one in the cache.
    expect((await getPage("ios")).status).toBe(200);
  });
  expectWithin(longest, 30 * MACHINE);
});
