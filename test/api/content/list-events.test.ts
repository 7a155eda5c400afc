import { type JsonObject, toJson } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { createDemoDataset } from "../../../demo/data/dataset.ts";
import { CreativeWorkSchema } from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import { EntitySchema } from "../../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import { EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { matchKql, parseKql } from "../../../src/domain/kql/index.ts";
import { metadataOf, reasonOf, rejection, send } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { callDelivery, idsOf, readPages } from "../delivery.ts";
import type { JsonMessage } from "../methods.ts";
import { callRest } from "../studio.ts";
import { CONTENT_LISTS } from "./content-lists.ts";

const marquee = await useMarquee();

const PATH = "svc.cda.cms.event.v1.EventService/ListEvents";
/** Sends a query in the form of the contract (contract: delivery 1). */
const get = (query: string, headers = {}) =>
  send("GET", `${marquee.url}/${PATH}?${query}`, { token: marquee.keys.public, headers });

describe("the GET of the specification", () => {
  const message = "message=%7B%22pageSize%22%3A2%7D";
  const coded = Buffer.from('{"pageSize":2}').toString("base64url");

  test.each([
    [`encoding=json&${message}`, {}],
    [`encoding=json&${message}&connect=v1`, {}],
    [`encoding=json&${message}`, { "connect-protocol-version": "1" }],
    [`${message}&encoding=json`, {}],
    [`base64=1&message=${coded}&encoding=json`, {}],
    [`utm=1&encoding=json&${message}`, {}],
  ])("?%s with %j is read", async (query, headers) => {
    const got = await get(query, headers);
    expect([got.status, got.json.events?.length]).toEqual([200, 2]);
  });
});

const NAMES = { useProtoFieldName: true } as const;
const demo = createDemoDataset();

/** The published content of the World Cup as JSON with proto field names. */
const DOCUMENTS: Readonly<Record<string, readonly JsonObject[]>> = {
  event: demo.events.map((it) => toJson(EventSchema, it, NAMES) as JsonObject),
  creative_work: demo.creativeWorks.map(
    (it) => toJson(CreativeWorkSchema, it, NAMES) as JsonObject,
  ),
  entity: demo.entities.map((it) => toJson(EntitySchema, it, NAMES) as JsonObject),
};
const published = (kind: string) =>
  (DOCUMENTS[kind] ?? []).filter(
    (it) => it.project_id === "worldcup" && it.visibility === "VISIBILITY_PUBLISHED",
  );

// What a filter means, test/storage/kql and the contract of content lists try.
const FILTERS = [
  'fields.season.id: "2022" and not entity_ids: team-arg',
  "title.en: *Spain*",
  "fields.score:{home >= 3 and away: 0}",
  'start_time >= "2026-07-01" or release_time >= "2026-07-01"',
  "fields.club:{country: GER}",
];

for (const { kind, list, field, orders, rejected } of CONTENT_LISTS) {
  const call = (message: JsonMessage) => callDelivery(marquee, list, message);

  describe(`a filter of ${field}`, () => {
    for (const filter of FILTERS) {
      test(`${filter} lets through what it means, page by page`, async () => {
        const node = parseKql(filter);
        const want = published(kind).filter((it) => matchKql(node, it));
        const pages = await readPages((page) => call({ filter, ...page }), field, 17);
        expect(new Set(pages.flat())).toEqual(new Set(want.map((it) => it.id)));
        expect(pages.flat()).toHaveLength(want.length);
        expect(pages.slice(0, -1).every((page) => page.length === 17)).toBe(true);
      });
    }

    test("that is broken is rejected with its column", async () => {
      const got = await call({ filter: "title: Final: Part 2" });
      expect(rejection(got)).toEqual([400, "KQL_SYNTAX"]);
      expect(metadataOf(got)).toMatchObject({ field: "filter" });
      expect(got.text).toContain("12");
      expect(got.headers.get("cache-control")).toContain("no-store");
    });
  });

  // What an order may be, all of test/domain/content/order.test.ts tries.
  test(`the order '${rejected} asc' of ${field} is rejected with the fields that are allowed`, async () => {
    const got = await call({ order: `${rejected} asc` });
    expect([...rejection(got), metadataOf(got)?.field]).toEqual([400, "ORDER_INVALID", "order"]);
    for (const allowed of orders.slice(0, -2)) expect(got.text).toContain(allowed);
  });
}

describe("an order by a field of one's own", () => {
  const [events] = CONTENT_LISTS;
  const goals = (it: JsonObject) =>
    ((it.fields as JsonObject | undefined)?.score as JsonObject | undefined)?.home;
  const compare = (a: unknown, b: unknown) => (a === b ? 0 : String(a) < String(b) ? -1 : 1);
  const matches = published("event").filter((it) => it.content_type === "match");
  const scored = matches.filter((it) => goals(it) !== undefined);
  const byId = (a: JsonObject, b: JsonObject) => compare(a.id, b.id);
  const byGoalsAndLastId = (a: JsonObject, b: JsonObject) =>
    Number(goals(a)) - Number(goals(b)) || byId(b, a);
  const unscored = matches.filter((it) => goals(it) === undefined);

  test("goes with a filter, a search and a second field, page by page, without a value last", async () => {
    const message = {
      filter: "content_type: match",
      order: "fields.score.home desc, start_time asc",
    };
    const byTime = (a: JsonObject, b: JsonObject) =>
      compare(a.start_time, b.start_time) || byId(a, b);
    const sorted = scored.toSorted((a, b) => Number(goals(b)) - Number(goals(a)) || byTime(a, b));
    const want = [...sorted, ...unscored.toSorted(byTime)].map((it) => it.id);
    const read = (more: JsonMessage, size: number) =>
      readPages(
        (page) => callDelivery(marquee, PATH, { ...message, ...more, ...page }),
        "events",
        size,
      );
    for (const size of [2, 7, 100]) expect((await read({}, size)).flat(), `${size}`).toEqual(want);
    const found = new Set((await read({ search: "spain", order: "id asc" }, 100)).flat());
    const ofSpain = want.filter((id) => found.has(String(id)));
    expect(ofSpain.length).toBeGreaterThan(10);
    expect((await read({ search: "spain" }, 3)).flat()).toEqual(ofSpain);
  });

  test("has ties by id, is the same by every key, and in the Studio API", async () => {
    const order = "fields.score.home asc";
    const want = [
      ...scored.toSorted((a, b) => Number(goals(a)) - Number(goals(b)) || byId(a, b)),
      ...unscored.toSorted(byId),
    ].map((it) => it.id);
    const message = { filter: "content_type: match", order, pageSize: 50 };
    const got = await callDelivery(marquee, PATH, message);
    expect(idsOf(got, events.field)).toEqual(want.slice(0, 50));
    const preview = await callDelivery(marquee, PATH, message, "preview");
    const shown = idsOf(preview, events.field).filter((id) => want.includes(id));
    expect(shown).toEqual(want.slice(0, shown.length));
    const { filter } = message;
    for (const [second, ids] of [
      ["", want],
      [
        ", id desc",
        [...scored.toSorted(byGoalsAndLastId), ...unscored.toSorted(byId).toReversed()].map(
          (it) => it.id,
        ),
      ],
    ] as const) {
      const read = (page: JsonMessage) => {
        const query = {
          filter,
          order: order + second,
          page_size: "60",
          page_token: `${page.pageToken ?? ""}`,
        };
        const path = `cms/events/v1?${new URLSearchParams({ project_id: "worldcup", ...query })}`;
        return callRest(marquee, "GET", path);
      };
      const pages = [await read({})];
      for (let last = pages[0]; last?.json.next_page_token; pages.push(last)) {
        last = await read({ pageToken: last.json.next_page_token });
      }
      const listed = pages.flatMap((got) => idsOf(got, events.field));
      expect(listed.filter((id) => ids.includes(id))).toEqual(ids);
    }
  });
});

describe("a search", () => {
  const [events, , entities] = CONTENT_LISTS;
  const find = async (search: string, list: (typeof CONTENT_LISTS)[number] = events) =>
    (
      await readPages(
        (page) => callDelivery(marquee, list.list, { search, ...page }),
        list.field,
        100,
      )
    ).flat();

  test("finds by words of title, description and fields, whatever their case and accents", async () => {
    const spain = published("event")
      .filter((it) => JSON.stringify([it.title, it.description, it.fields]).includes("Spain"))
      .map((it) => it.id);
    for (const search of ["Spain", "spain", "SPAIN", "spai", "spáin", '"spain"', " spain\t"]) {
      expect(new Set(await find(search)), search).toEqual(new Set(spain));
    }
    expect(await find("curacao")).toEqual(await find("Curaçao"));
    expect(await find("curacao")).not.toEqual([]);
  });

  test("needs every word", async () => {
    const both = await find("argentina spain");
    expect(both).toContain("match-2026-104");
    expect(both.length).toBeLessThan((await find("spain")).length);
    expect(await find("argentina nowhere")).toEqual([]);
  });

  test("takes words of one or two letters as they are", async () => {
    expect(await find("sp")).toEqual([]);
    expect((await find("vs")).length).toBeGreaterThan(100);
  });

  test("of signs alone is no search, and no sign is syntax", async () => {
    expect(await find("!? -")).toEqual(await find(""));
    for (const search of ['spain" OR "x', "spain*", "NEAR(spain", "scope : spain", "spain AND"]) {
      const got = await callDelivery(marquee, events.list, { search });
      expect(got.status, search).toBe(200);
    }
    expect(await find("c1v1")).toEqual([]);
  });

  test("goes with a filter and an order", async () => {
    const message = {
      search: "spain",
      filter: 'fields.season.id: "2026"',
      order: "start_time desc",
    };
    const got = idsOf(await callDelivery(marquee, events.list, message), "events");
    expect(got[0]).toBe("match-2026-104");
    expect(got.every((id) => id.startsWith("match-2026"))).toBe(true);
  });

  test("finds entities", async () => {
    expect(await find("yamal", entities)).toEqual(["player-esp-19"]);
  });

  test("has at most 256 characters and 16 words", async () => {
    const words = (count: number) => Array.from({ length: count }, (_, it) => `w${it}`).join(" ");
    const cases: readonly (readonly [string, number])[] = [
      ["é".repeat(256), 200],
      ["é".repeat(257), 400],
      [words(16), 200],
      [words(17), 400],
    ];
    for (const [search, want] of cases) {
      const got = await callDelivery(marquee, events.list, { search });
      expect(got.status).toBe(want);
      if (want === 400) expect(reasonOf(got)).toBe("SEARCH_INVALID");
    }
  });
});
