import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { OfferSchema } from "../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import {
  AccessPeriod,
  BillingPeriod,
} from "../../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { reasonOf } from "../../harness/http.ts";
import { useSmallMarquee } from "../../harness/use-marquee.ts";
import { ALPHA, BETA, createSmallDataset } from "../../storage/small-dataset.ts";
import { componentsOf, droppedOf, getComponent, getPage } from "./pages.ts";
import { createPage, createPart, NAMES, ofEachVisibility } from "./small-pages.ts";

const PRICE = {
  id: "eur",
  amount: { currencyCode: "EUR", units: 5n },
  billingPeriod: BillingPeriod.MONTH,
  accessPeriod: AccessPeriod.MONTH,
};
const MANY = Array.from({ length: 101 }, (_, at) => `many-${at}`);
const offer = (id: string, visibility: Visibility = Visibility.PUBLISHED, projectId = ALPHA) =>
  create(OfferSchema, { id, projectId, visibility, name: id, prices: [PRICE] });
const cards = (id: string, ids: readonly string[]) =>
  createPart(id, {
    case: "offers",
    value: { offer: ids.map((it) => ({ offer_id: it, badge: "new" })) },
  });

const DATA = createSmallDataset({
  offers: [
    ...ofEachVisibility((id, visibility) => offer(id, visibility)),
    ...MANY.map((id) => offer(id)),
    offer("last"),
    offer("of-beta", Visibility.PUBLISHED, BETA),
  ],
  pages: [
    createPage("shop", [
      cards("some", ["last", "of-beta", ...NAMES, "nothing", "last"]),
      cards("hundred", MANY),
      cards("gone", ["nothing", "of-beta", "hidden"]),
      cards("none", []),
    ]),
  ],
});

const marquee = await useSmallMarquee(DATA);

const idsOf = (offers: readonly { readonly id: string }[] = []) => offers.map(({ id }) => id);

describe("a component of offers", () => {
  test.each([true, false])(
    "has its published offers with their prices, includeItems: %s",
    async (includeItems) => {
      const shown = componentsOf(await getPage(marquee, { id: "shop", includeItems }));
      const offers = shown.get("some")?.offers ?? [];
      expect(idsOf(offers)).toEqual(["last", "published"]);
      expect(offers[0]).toMatchObject({
        prices: [{ id: "eur", amount: { currencyCode: "EUR", units: "5" } }],
      });
      const alone = await getComponent(marquee, { id: "some", includeItems });
      expect(alone.json.component).toEqual(shown.get("some"));
    },
  );

  test("has offers of every visibility for the preview key", async () => {
    const shown = componentsOf(await getPage(marquee, { id: "shop" }, "preview"));
    expect(idsOf(shown.get("some")?.offers)).toEqual(["last", ...NAMES]);
    expect(idsOf(shown.get("gone")?.offers)).toEqual(["hidden"]);
  });

  test("has a hundred at most", async () => {
    const shown = componentsOf(await getPage(marquee, { id: "shop" }));
    expect(idsOf(shown.get("hundred")?.offers)).toEqual(MANY.slice(0, 100));
  });

  test("is left out where none of its offers is for sale, and shown where it names none", async () => {
    const got = await getPage(marquee, { id: "shop" });
    expect(droppedOf(got)).toEqual([["gone", "offers.offer", "", "REFERENCE_NOT_FOUND"]]);
    expect(componentsOf(got).get("none")?.offers).toBeUndefined();
    expect(reasonOf(await getComponent(marquee, { id: "gone" }))).toBe("COMPONENT_DROPPED");
  });

  test("names the offers that took part, missing ones too, in Surrogate-Key", async () => {
    const got = await getComponent(marquee, { id: "some" });
    const keys = (got.headers.get("surrogate-key") ?? "").split(" ");
    for (const id of ["last", "nothing", "hidden"]) expect(keys).toContain(`${ALPHA}/offers/${id}`);
  });
});
