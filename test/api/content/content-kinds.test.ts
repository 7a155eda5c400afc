import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { CreativeWorkSchema } from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import { EntitySchema } from "../../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import { BannerCollectionSchema } from "../../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
import { rejection } from "../../harness/http.ts";
import { useSmallMarquee } from "../../harness/use-marquee.ts";
import { ALPHA, createEvent, createSmallDataset } from "../../storage/small-dataset.ts";
import { callDelivery, idsOf, type Key, readPages } from "../delivery.ts";
import type { JsonMessage } from "../methods.ts";
import { NAMES, ofEachVisibility, READABLE, VISIBILITIES } from "../pages/small-pages.ts";
import { CONTENT_LISTS } from "./content-lists.ts";

/** What orders of a record: some have the same of another, some none. */
function factsOf(index: number) {
  const time = index % 7 === 0 ? undefined : Date.UTC(2026, 5, index % 4);
  const title = index % 5 === 0 ? undefined : `Title ${index % 6}`;
  return { id: `i-${String((index * 37) % 105).padStart(3, "0")}`, time, title };
}

const RECORDS = Array.from({ length: 105 }, (_, index) => factsOf(index));

/** The parts that records of every kind share. */
const COMMON = RECORDS.map(({ id, time, title }) => ({
  id,
  projectId: ALPHA,
  visibility: VISIBILITIES.published,
  ...(title !== undefined && { title: { en: title } }),
  ...(time !== undefined && { createTime: timestampFromMs(time) }),
  time: time === undefined ? undefined : timestampFromMs(time),
}));

const DATA = createSmallDataset({
  events: [
    ...COMMON.map(({ id, time, ...init }) =>
      createEvent(id, { ...init, ...(time && { startTime: time }) }),
    ),
    ...ofEachVisibility((id, visibility) => createEvent(id, { visibility })),
  ],
  creativeWorks: [
    ...COMMON.map(({ time, ...init }) =>
      create(CreativeWorkSchema, { ...init, ...(time && { releaseTime: time }) }),
    ),
    ...ofEachVisibility((id, visibility) =>
      create(CreativeWorkSchema, { id, projectId: ALPHA, visibility }),
    ),
  ],
  entities: [
    ...COMMON.map(({ time: _, ...init }) => create(EntitySchema, init)),
    ...ofEachVisibility((id, visibility) =>
      create(EntitySchema, { id, projectId: ALPHA, visibility }),
    ),
  ],
  bannerCollections: ofEachVisibility((id, visibility) =>
    create(BannerCollectionSchema, { id, projectId: ALPHA, visibility }),
  ),
});

const marquee = await useSmallMarquee(DATA);

const GETS = [
  ["svc.cda.cms.event.v1.EventService/GetEvent", "event"],
  ["svc.cda.cms.creative_work.v1.CreativeWorkService/GetCreativeWork", "creativeWork"],
  ["svc.cda.cms.entity.v1.EntityService/GetEntity", "entity"],
  [
    "svc.cda.ott.banner_collection.v2.BannerCollectionService/GetBannerCollection",
    "bannerCollection",
  ],
] as const;

/** The order of a list that asks for none. */
const STANDARD = {
  event: "start_time asc",
  creative_work: "release_time asc",
  entity: "id asc",
} as const;

for (const { kind, list, field, orders } of CONTENT_LISTS) {
  const read = (message: JsonMessage, key?: "public" | "preview") =>
    callDelivery(marquee, list, message, key);
  const readAll = async (message: JsonMessage, key?: "public" | "preview") =>
    (await readPages((page) => read({ ...message, ...page }, key), field, 13)).flat();

  describe(`an order of ${field}`, () => {
    const own = orders.filter((it) => it.endsWith("_time") && it !== "update_time");
    for (const order of ["id", ...own, "title.en"]) {
      for (const direction of ["asc", "desc"] as const) {
        test(`${order} ${direction}: ties go by id, what has no value is last`, async () => {
          const keyOf = ({ id, time, title }: (typeof RECORDS)[number]) => {
            if (order === "id") return id;
            return order === "title.en" ? title : time && new Date(time).toISOString();
          };
          const sign = direction === "asc" ? 1 : -1;
          const sorted = RECORDS.toSorted((a, b) => {
            const [keyA, keyB] = [keyOf(a), keyOf(b)];
            if (keyA === keyB) return a.id < b.id ? -1 : 1;
            if (keyA === undefined || keyB === undefined) return keyA === undefined ? 1 : -1;
            return keyA < keyB ? -sign : sign;
          });
          const ids = sorted.map(({ id }) => id);
          const found = sorted.filter(({ title }) => /[123]$/.test(title ?? ""));
          // Many are found by walking the order, few by sorting what the filter finds.
          for (const [filter, want] of [
            ["id: i-*", ids],
            ['title.en: ("Title 1" or "Title 2" or "Title 3")', found.map(({ id }) => id)],
          ] as const) {
            expect(await readAll({ order: `${order} ${direction}`, filter })).toEqual(want);
            const isStandard = `${order} ${direction}` === STANDARD[kind];
            if (isStandard) expect(await readAll({ filter })).toEqual(want);
          }
        });
      }
    }
  });

  describe(`the visibility of ${field}`, () => {
    test("lists are of what is published, for a preview key of all", async () => {
      const names = new Set<string>(NAMES);
      const listed = async (key: "public" | "preview") =>
        (await readAll({}, key)).filter((id) => names.has(id)).sort();
      expect(await listed("public")).toEqual(["published"]);
      expect(await listed("preview")).toEqual(NAMES.toSorted());
    });
  });

  test(`a filter of ${field} knows the snake_case paths alone`, async () => {
    const dated = RECORDS.filter(({ time }) => time !== undefined).length;
    const count = async (filter: string) => (await readAll({ filter })).length;
    expect(await count("create_time: *")).toBe(dated);
    expect(await count("title.en: *")).toBe(RECORDS.filter(({ title }) => title).length);
    for (const filter of ["createTime: *", "projectId: *", "Title.en: *", "title.EN: *"]) {
      expect([filter, await count(filter)]).toEqual([filter, 0]);
    }
  });
}

for (const [procedure, name] of GETS) {
  test.each(NAMES)(
    `${procedure} gives the %s to a preview key, and to a public key`,
    async (id) => {
      const got = await callDelivery(marquee, procedure, { id });
      const want = READABLE.includes(id) ? [200, id] : [404, undefined];
      expect([got.status, got.json[name]?.id]).toEqual(want);
      const preview = await callDelivery(marquee, procedure, { id }, "preview");
      expect([preview.status, preview.json[name].id]).toEqual([200, id]);
      expect(preview.headers.get("cache-control")).toBe("private, no-store");
    },
  );

  test(`${procedure} needs an id, and another project's looks like one that does not exist`, async () => {
    const get = (id: string, key: Key) => callDelivery(marquee, procedure, { id }, key);
    expect(rejection(await get("", "public"))).toEqual([400, "FIELD_REQUIRED"]);
    const [foreign, missing] = [await get("published", "sandbox"), await get("none", "sandbox")];
    expect(rejection(foreign)).toEqual([404, "RESOURCE_NOT_FOUND"]);
    expect(foreign.json.message.replace("published", "none")).toBe(missing.json.message);
    const cached = (await get("published", "public")).headers.get("cache-control");
    expect(cached).toMatch(/^public/);
  });
}

test("a list of entities has no excludeGeoblocked: it is ignored, and anybody may keep it", async () => {
  const { list } = CONTENT_LISTS[2];
  const got = await callDelivery(marquee, list, { excludeGeoblocked: true, pageSize: 3 });
  const plain = await callDelivery(marquee, list, { pageSize: 3 });
  expect(idsOf(got, "entities")).toEqual(idsOf(plain, "entities"));
  expect(got.headers.get("cache-control")).toMatch(/^public/);
});
