import { expect, test } from "vitest";
import { TALLY_LIMITS } from "../../../src/domain/filters/facets.ts";
import { reasonOf } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { callDelivery, type Key, readPages } from "../delivery.ts";
import type { JsonMessage } from "../methods.ts";

const marquee = await useMarquee();

/** The lists that count, with the member of their items, and a request that finds several. */
const LISTS: Readonly<Record<string, readonly [member: string, asked: JsonMessage]>> = {
  "svc.cda.cms.event.v1.EventService/ListEvents": [
    "events",
    { filter: 'fields.season.id: "2018"' },
  ],
  "svc.cda.cms.creative_work.v1.CreativeWorkService/ListCreativeWorks": ["creativeWorks", {}],
  "svc.cda.cms.entity.v1.EntityService/ListEntities": ["entities", { search: "a" }],
  "svc.cda.ott.page_component.v2.PageComponentService/ListPageComponentItems": [
    "items",
    { id: "rail-home-matches" },
  ],
};

const [EVENTS] = Object.keys(LISTS) as [string];

function count(message: JsonMessage, key?: Key) {
  return callDelivery(marquee, EVENTS, { pageSize: 1, ...message }, key);
}

for (const [procedure, [member, asked]] of Object.entries(LISTS)) {
  for (const key of ["public", "preview"] as const) {
    test(`the total of all pages: ${procedure}, ${key} key`, async () => {
      const call = (message: JsonMessage) =>
        callDelivery(marquee, procedure, { ...asked, ...message }, key);
      const ids = (await readPages(call, member, 7)).flat();
      expect(ids.length).toBeGreaterThan(1);
      for (const way of ["GET", "POST"] as const) {
        const message = { ...asked, pageSize: 1, includeTotal: true };
        const got = await callDelivery(marquee, procedure, message, key, way);
        expect(got.json).toMatchObject({ total: ids.length });
        expect(got.json).not.toHaveProperty("totalIsLowerBound");
        // A page behind the first has the same total.
        const next = { ...message, pageToken: got.json.nextPageToken };
        expect((await callDelivery(marquee, procedure, next, key, way)).json.total).toBe(
          ids.length,
        );
      }
      expect((await call({ pageSize: 1 })).json).not.toHaveProperty("total");
    });
  }
}

test("a list without items has the total 0", async () => {
  const got = await count({ filter: "content_type: none", includeTotal: true });
  expect(got.json).toEqual({ total: 0 });
});

test("a value of a facet is listed by a filter, as often as it is counted", async () => {
  const facets = ["content_type", "fields.season.id", "fields.stage", "fields.score.home"];
  const filter = "entity_ids: team-esp";
  const got = await count({ filter, facets });
  expect(got.json).not.toHaveProperty("total");
  expect(got.json.facets.map(({ field }: { field: string }) => field)).toEqual(facets);
  let checked = 0;
  for (const { field, values } of got.json.facets) {
    const counts = values.map((it: { count: number }) => it.count);
    expect(counts).toEqual(counts.toSorted((a: number, b: number) => b - a));
    for (const { value, count: want } of values) {
      const listed = await count({
        filter: `${filter} and ${field}: "${value}"`,
        includeTotal: true,
      });
      expect([field, value, listed.json.total]).toEqual([field, value, want]);
      checked += 1;
    }
  }
  expect(checked).toBeGreaterThan(10);
});

test("a facet has the most frequent values, and says that there are more", async () => {
  const { json } = await count({ facets: ["id", "content_type", "fields.none"] });
  const [ids, types, none] = json.facets;
  expect(ids.values).toHaveLength(TALLY_LIMITS.values);
  expect(ids.hasMoreValues).toBe(true);
  expect(types.hasMoreValues).toBeUndefined();
  expect(none).toEqual({ field: "fields.none" });
});

test("at most five facets, each once and with a path of the item", async () => {
  const facets = Array.from({ length: TALLY_LIMITS.facets }, (_, index) => `fields.f${index}`);
  expect((await count({ facets })).status).toBe(200);
  const wrong = {
    "has 6 fields; at most 5 are counted": [...facets, "content_type"],
    "'content_type' occurs twice": ["content_type", "content_type"],
    "did you mean 'content_type'?": ["contentType"],
    "'fields.a b' is not a path of a field": ["fields.a b"],
    "'fields.' is not a path of a field": ["fields."],
    "'' is not a path of a field": [""],
    "'release_time' is not a path of a field": ["release_time"],
  };
  for (const [message, asked] of Object.entries(wrong)) {
    const got = await count({ facets: asked });
    expect([got.status, reasonOf(got)]).toEqual([400, "FACET_INVALID"]);
    expect(got.json.message).toContain(message);
  }
});
