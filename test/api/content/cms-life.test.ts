import { beforeAll, describe, expect, test } from "vitest";
import { PageComponentService } from "../../../gen/svc/studio/ott/page_component/v2/page_component_service_pb.ts";
import { VideoService } from "../../../gen/svc/studio/streaming/video/v1/video_service_pb.ts";
import { metadataOf, refusal } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import type { JsonMessage } from "../methods.ts";
import { playCases, toWriteCases } from "../play-cases.ts";
import { callStudio, faultOf, STUDIO_FACES } from "../studio.ts";
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
      test("is created, read, listed, changed and deleted", async () => {
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
        const { got } = await make(item, id);
        const created = got.value[kind.field];
        expect(created).toEqual({
          ...item,
          id,
          createTime: expect.any(String),
          updateTime: created.createTime,
        });
        const read = await calls.get(id);
        expect(read.value).toEqual(got.value);
        expect(read.headers.get("etag")).toBe(got.headers.get("etag"));
        const delivered = await calls.deliver(id);
        expect(delivered.item).toEqual(created);

        const changed = await calls.update(id, { title: { de: "Titel" } }, "title,fields");
        const { fields: _, ...rest } = created;
        expect(changed.value[kind.field]).toEqual({
          ...rest,
          title: { de: "Titel" },
          updateTime: expect.any(String),
        });
        expect((await calls.get(id)).headers.get("etag")).toBe(changed.headers.get("etag"));
        expect(changed.headers.get("etag")).not.toBe(got.headers.get("etag"));

        const gone = await calls.delete(id);
        expect([gone.status, gone.json]).toEqual([200, {}]);
        expect((await calls.get(id)).status).toBe(404);
        expect((await calls.deliver(id)).status).toBe(404);
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

      test("is listed in the order that is asked for, page by page", async () => {
        const contentType = word();
        const titles = ["delta", "alpha", "charlie", "bravo", undefined];
        const ids = new Map<string, string>();
        for (const title of titles) {
          const item = { contentType, ...(title && { title: { en: title } }) };
          ids.set((await make(item)).id, title ?? "none");
        }
        const read = async (order: string) => {
          const seen: (string | undefined)[] = [];
          let pageToken = "";
          do {
            const filter = `content_type: "${contentType}"`;
            const got = await calls.list({ filter, order, pageSize: 2, pageToken });
            expect(got.status, got.text).toBe(200);
            const items: { id: string }[] = got.value[kind.list] ?? [];
            seen.push(...items.map((it) => ids.get(it.id)));
            pageToken = got.value.nextPageToken ?? "";
          } while (pageToken !== "");
          return seen;
        };
        const sorted = ["alpha", "bravo", "charlie", "delta"];
        expect(await read("title.en asc")).toEqual([...sorted, "none"]);
        expect(await read("title.en desc")).toEqual([...sorted.toReversed(), "none"]);
        expect(await read("create_time asc")).toEqual(titles.map((it) => it ?? "none"));
        expect(refusal(await calls.list({ order: "content_type asc" }))).toEqual([
          400,
          "ORDER_INVALID",
        ]);
      });

      test("that others refer to is deleted only by force", async () => {
        const { id } = await make({});
        const [type, member] = kind.player;
        const shown = await callStudio(
          marquee,
          PageComponentService,
          face,
        )("CreatePageComponent", {
          pageComponent: { projectId: "worldcup", type, [member]: { id } },
          pageId: "page-help",
        });
        expect(shown.status, shown.text).toBe(200);
        const component = shown.value.pageComponent.id;
        const refused = await calls.delete(id);
        expect(refusal(refused)).toEqual([400, "STILL_REFERRED_TO"]);
        expect(metadataOf(refused)?.referrers).toBe(`page_component/${component}`);
        expect((await calls.delete(id, { force: true })).status).toBe(200);
        expect((await calls.get(id)).status).toBe(404);
      });
    });
  }
}

const [EVENT, WORK, ENTITY] = CMS_KINDS;
if (!EVENT || !WORK || !ENTITY) throw new Error("a kind of content is missing");

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
  const events = callCms(marquee, EVENT, "REST");
  const { value } = await events.create({ startTime: "2031-01-01T00:00:00Z" });
  const before = { endTime: "2030-12-31T23:59:59.999Z" };
  const want = [400, "TIME_WINDOW_INVALID", "event.end_time"];
  expect(faultOf(await events.update(value.event.id, before, "end_time"))).toEqual(want);
  expect(faultOf(await events.create({ startTime: "2031-01-01T00:00:00Z", ...before }))).toEqual(
    want,
  );
});

describe("what content refers to", () => {
  const entities = () => callCms(marquee, ENTITY, "REST");

  for (const kind of [EVENT, WORK]) {
    test(`is deleted only by force while ${kind.field} names it`, async () => {
      const items = callCms(marquee, kind, "REST");
      const videos = callStudio(marquee, VideoService, "REST");
      const entityId = String((await entities().create({})).value.entity.id);
      const video = { projectId: "worldcup", name: "A" };
      const made = await videos("CreateVideo", { video });
      const videoId = String(made.value.video.id);
      const { value } = await items.create({ entityIds: [entityId], videoIds: [videoId] });
      const { id } = value[kind.field];
      const type = kind.field.replace("W", "_w");
      for (const got of [
        await entities().delete(entityId),
        await videos("DeleteVideo", { videoId }),
      ]) {
        expect(refusal(got)).toEqual([400, "STILL_REFERRED_TO"]);
        expect(metadataOf(got)?.referrers).toBe(`${type}/${id}`);
      }
      await items.update(id, {}, "entity_ids");
      expect((await entities().delete(entityId)).status).toBe(200);
      expect((await videos("DeleteVideo", { videoId, force: true })).status).toBe(200);
      expect((await items.get(id)).value[kind.field].videoIds).toEqual([videoId]);
    });
  }

  test("is not held by content of another project, and nothing of that is told", async () => {
    const entityId = String((await entities().create({})).value.entity.id);
    const other = { projectId: "sandbox", entityIds: [entityId] };
    expect((await callCms(marquee, EVENT, "REST").create(other)).status).toBe(200);
    const got = await entities().delete(entityId);
    expect([got.status, got.json]).toEqual([200, {}]);
  });
});
