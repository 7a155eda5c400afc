import type { DescService } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { CreativeWorkService } from "../../../gen/svc/studio/cms/creative_work/v1/creative_work_service_pb.ts";
import { EntityService } from "../../../gen/svc/studio/cms/entity/v1/entity_service_pb.ts";
import { EventService } from "../../../gen/svc/studio/cms/event/v1/event_service_pb.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { callDelivery, idsOf } from "../delivery.ts";
import type { JsonMessage } from "../methods.ts";
import { playCases, toWriteCases } from "../play-cases.ts";
import { callStudio, errorOf } from "../studio.ts";

const marquee = await useMarquee();

const PUBLISHED = { visibility: "VISIBILITY_PUBLISHED" };

/** A kind of content, by the names that its methods have. */
interface Kind {
  readonly service: DescService;
  /** Of one item in messages, such as `creativeWork`, and of many. */
  readonly field: string;
  readonly list: string;
  /** One of the demo. */
  readonly existing: string;
  /** What it has beside the fields that all have. */
  readonly extra: JsonMessage;
}

const EVENT: Kind = {
  ...{ service: EventService, field: "event", list: "events", existing: "match-2026-1" },
  extra: {
    startTime: "2031-05-01T18:00:00Z",
    endTime: "2031-05-01T18:00:00Z",
    entityIds: ["team-esp", "nobody"],
    videoIds: ["video-match-2026-104"],
  },
};
const KINDS: readonly Kind[] = [
  EVENT,
  {
    ...{ service: CreativeWorkService, field: "creativeWork", list: "creativeWorks" },
    existing: "highlights-2026-104",
    extra: {
      releaseTime: "2031-05-01T18:00:00.123456789Z",
      entityIds: ["team-esp"],
      videoIds: ["video-match-2026-104"],
    },
  },
  {
    ...{ service: EntityService, field: "entity", list: "entities" },
    ...{ existing: "team-esp", extra: {} },
  },
];

/** Makes the calls of a kind. */
function callsOf({ service, field, list }: Kind) {
  const call = callStudio(marquee, service);
  const delivery = service.typeName.replace("studio", "cda");
  const [noun, nouns] = [field, list].map((it) => it.replace(/^./, (a) => a.toUpperCase()));
  const idField = `${field}Id`;
  return {
    create: (item: JsonMessage, id = "") =>
      call(`Create${noun}`, { [field]: { projectId: "worldcup", ...item }, [idField]: id }),
    update: (id: string, item: JsonMessage, updateMask: string) =>
      call(`Update${noun}`, { [idField]: id, [field]: item, updateMask }),
    delete: (id: string) => call(`Delete${noun}`, { [idField]: id }),
    async list(filter: string): Promise<string[]> {
      const { value } = await call(`List${nouns}`, { projectId: "worldcup", filter });
      return (value[list] ?? []).map((it: { id: string }) => it.id);
    },
    /** Lists the ids as delivery does. */
    delivered: async (message: JsonMessage) =>
      idsOf(await callDelivery(marquee, `${delivery}/List${nouns}`, message), list),
    /** Reads one item as delivery gives it. */
    deliver: async (id: string): Promise<unknown> =>
      (await callDelivery(marquee, `${delivery}/Get${noun}`, { id })).json[field],
  };
}

for (const kind of KINDS) {
  const calls = callsOf(kind);
  const word = (name: string) => `${kind.field}${name}`.toLowerCase();

  describe(kind.field, () => {
    test("is created with all of its fields, and delivered", async () => {
      const item = {
        projectId: "worldcup",
        title: { en: "A title", "zh-Hans-CN": "标题" },
        description: { en: "What it is" },
        contentType: word("type"),
        posterImageUrl: "https://media.example/a.jpg",
        fields: { nested_object: [1, { "b c": null, deepValue: "x" }], "": true },
        ...PUBLISHED,
        ...kind.extra,
      };
      const id = word("whole");
      const created = (await calls.create(item, id)).value[kind.field];
      const times = { createTime: expect.any(String), updateTime: created.createTime };
      expect(created).toEqual({ ...item, id, ...times });
      expect(await calls.deliver(id)).toEqual(created);
    });

    test("is found by list, filter and search at once, and no more when it is gone", async () => {
      const [first, second] = [word("first"), word("second")];
      const find = async () => ({
        filter: await calls.delivered({ filter: `content_type: "${first}"` }),
        changed: await calls.delivered({ filter: `fields.x: "${second}"` }),
        search: await calls.delivered({ search: first }),
        again: await calls.delivered({ search: second }),
        managed: await calls.list(`content_type: "${first}"`),
      });
      const none = { filter: [], changed: [], search: [], again: [], managed: [] };
      expect(await find()).toEqual(none);
      const id = word("found");
      await calls.create({ title: { en: first }, contentType: first, ...PUBLISHED }, id);
      const shown = { ...none, filter: [id], search: [id], managed: [id] };
      expect(await find()).toEqual(shown);
      await calls.update(id, { title: { en: second }, fields: { x: second } }, "title,fields");
      expect(await find()).toEqual({ ...shown, changed: [id], search: [], again: [id] });
      await calls.update(id, { visibility: "VISIBILITY_HIDDEN" }, "visibility");
      expect(await find()).toEqual({ ...none, managed: [id] });
      await calls.update(id, PUBLISHED, "visibility");
      expect((await find()).again).toEqual([id]);
      await calls.delete(id);
      expect(await find()).toEqual(none);
    });

    test("that is almost as large as it may be is delivered", async () => {
      const id = word("large");
      const { value } = await calls.create({ ...PUBLISHED, fields: { a: "" } }, id);
      const left = 262_144 - Buffer.byteLength(JSON.stringify(value[kind.field]));
      // Times are written with as many digits as they need.
      const fields = { a: "a".repeat(left - 30) };
      const got = await calls.update(id, { fields }, "fields");
      expect(got.status, got.text.slice(0, 300)).toBe(200);
      expect(await calls.deliver(id)).toMatchObject({ fields });
      expect((await calls.delete(id)).status).toBe(200);
    });
  });
}

const ROWS: readonly (readonly [JsonMessage, string])[] = [
  [{ title: { "": "a" } }, "LANGUAGE_INVALID title"],
  [{ description: { en_GB: "a" } }, "LANGUAGE_INVALID description"],
  [{ fields: JSON.parse(`${'{"a":'.repeat(31)}1${"}".repeat(31)}`) }, "FIELDS_TOO_DEEP fields"],
  [{ fields: { a: "a".repeat(262_144) } }, "CONTENT_TOO_LARGE ."],
];
const LINKED = [[{ entityIds: ["a", " "] }, "IDS_INVALID entity_ids[1]"]] as const;

playCases(
  marquee,
  "content",
  KINDS.flatMap(({ service, field, existing }) =>
    toWriteCases(
      {
        ...{ service: service.typeName.slice("svc.studio.".length), noun: field, id: existing },
        resource: { projectId: "worldcup" },
      },
      field === "entity" ? ROWS : [...ROWS, ...LINKED],
    ),
  ),
);

test("an event does not end before it starts, also by an update of one time", async () => {
  const events = callsOf(EVENT);
  const startTime = "2031-01-01T00:00:00Z";
  const { value } = await events.create({ startTime });
  const before = { endTime: "2030-12-31T23:59:59.999Z" };
  const want = [400, "TIME_WINDOW_INVALID", "event.end_time"];
  expect(errorOf(await events.update(value.event.id, before, "end_time"))).toEqual(want);
  expect(errorOf(await events.create({ startTime, ...before }))).toEqual(want);
});
