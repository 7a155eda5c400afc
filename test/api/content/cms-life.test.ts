import { beforeAll, describe, expect, test } from "vitest";
import { useMarquee } from "../../harness/use-marquee.ts";
import type { JsonMessage } from "../methods.ts";
import { playCases, toWriteCases } from "../play-cases.ts";
import { faultOf, STUDIO_FACES } from "../studio.ts";
import { CMS_KINDS, type CmsCalls, callCms } from "./cms.ts";

const marquee = await useMarquee();

const PUBLISHED = { visibility: "VISIBILITY_PUBLISHED" };

for (const kind of CMS_KINDS) {
  for (const face of STUDIO_FACES) {
    const mark = `${kind.field}${face === "REST" ? "rest" : "connect"}`.toLowerCase();
    let count = 0;
    /** A word that no other test uses. */
    const word = () => {
      count += 1;
      return `${mark}${count}`;
    };
    let calls: CmsCalls;
    beforeAll(() => {
      calls = callCms(marquee, kind, face);
    });
    const make = async (item: object, id = "") => {
      const got = await calls.create({ ...item }, { id });
      expect(got.status, got.text).toBe(200);
      return { id: String(got.value[kind.field].id), got };
    };

    describe(`${kind.field} over ${face}`, () => {
      test("is created with all of its fields, and delivered", async () => {
        const item = {
          projectId: "worldcup",
          title: { en: "A title", "zh-Hans-CN": "标题" },
          description: { en: "What it is" },
          contentType: word(),
          posterImageUrl: "https://media.example/a.jpg",
          fields: { a: [1, { "b c": null }], "": true },
          ...PUBLISHED,
          ...kind.extra,
        };
        const id = word();
        const created = (await make(item, id)).got.value[kind.field];
        const times = { createTime: expect.any(String), updateTime: created.createTime };
        expect(created).toEqual({ ...item, id, ...times });
        expect((await calls.deliver(id)).item).toEqual(created);
      });

      test("is found by list, filter and search at once, and no more when it is gone", async () => {
        const [first, second] = [word(), word()];
        const find = async () => ({
          filter: await calls.delivered({ filter: `content_type: "${first}"` }),
          changed: await calls.delivered({ filter: `fields.x: "${second}"` }),
          search: await calls.delivered({ search: first }),
          again: await calls.delivered({ search: second }),
          managed: (await calls.list({ filter: `content_type: "${first}"` })).value[kind.list]?.map(
            (it: { id: string }) => it.id,
          ),
        });
        const none = { filter: [], changed: [], search: [], again: [], managed: undefined };
        expect(await find()).toEqual(none);
        const { id } = await make({ title: { en: first }, contentType: first, ...PUBLISHED });
        const found = { ...none, filter: [id], search: [id], managed: [id] };
        expect(await find()).toEqual(found);
        await calls.update(id, { title: { en: second }, fields: { x: second } }, "title,fields");
        expect(await find()).toEqual({ ...found, changed: [id], search: [], again: [id] });
        await calls.update(id, { visibility: "VISIBILITY_HIDDEN" }, "visibility");
        expect(await find()).toEqual({ ...none, managed: [id] });
        await calls.update(id, PUBLISHED, "visibility");
        expect((await find()).again).toEqual([id]);
        await calls.delete(id);
        expect(await find()).toEqual(none);
      });
    });
  }
}

const ROWS: readonly (readonly [JsonMessage, string])[] = [
  [{ title: { "": "a" } }, "LANGUAGE_INVALID title"],
  [{ description: { en_GB: "a" } }, "LANGUAGE_INVALID description"],
  [{ fields: JSON.parse(`${'{"a":'.repeat(31)}1${"}".repeat(31)}`) }, "FIELDS_TOO_DEEP fields"],
  [{ fields: { a: "a".repeat(262_144) } }, "CONTENT_TOO_LARGE ."],
];
const LINKED = [[{ entityIds: ["a", " "] }, "IDS_INVALID entity_ids[1]"]] as const;
const EXISTING = { event: "match-2026-1", creativeWork: "highlights-2026-104", entity: "team-esp" };

playCases(
  marquee,
  "content",
  CMS_KINDS.flatMap(({ service, field }) =>
    toWriteCases(
      {
        service: service.typeName.slice("svc.studio.".length),
        noun: field,
        resource: { projectId: "worldcup" },
        id: EXISTING[field as keyof typeof EXISTING],
      },
      field === "entity" ? ROWS : [...ROWS, ...LINKED],
    ),
  ),
);

for (const kind of CMS_KINDS) {
  for (const face of STUDIO_FACES) {
    describe(`${kind.field} over ${face}`, () => {
      test("that is almost as large as it may be is delivered", async () => {
        const calls = callCms(marquee, kind, face);
        const item = { visibility: "VISIBILITY_PUBLISHED", fields: { a: "" } };
        const { value } = await calls.create(item);
        const { id } = value[kind.field];
        const left = 262_144 - Buffer.byteLength(JSON.stringify(value[kind.field]));
        // Times are written with as many digits as they need.
        const fields = { a: "a".repeat(left - 30) };
        const got = await calls.update(id, { fields }, "fields");
        expect(got.status, got.text.slice(0, 300)).toBe(200);
        expect((await calls.deliver(id)).item).toMatchObject({ fields });
        expect((await calls.delete(id)).status).toBe(200);
      });
    });
  }
}

test("an event does not end before it starts, also by an update of one time", async () => {
  const [event] = CMS_KINDS;
  const events = callCms(marquee, event ?? expect.fail(), "REST");
  const { value } = await events.create({ startTime: "2031-01-01T00:00:00Z" });
  const before = { endTime: "2030-12-31T23:59:59.999Z" };
  const want = [400, "TIME_WINDOW_INVALID", "event.end_time"];
  expect(faultOf(await events.update(value.event.id, before, "end_time"))).toEqual(want);
  expect(faultOf(await events.create({ startTime: "2031-01-01T00:00:00Z", ...before }))).toEqual(
    want,
  );
});
