import { create } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Dataset } from "../../demo/data/dataset-records.ts";
import { CreativeWorkSchema } from "../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import { VideoProtectionRulesetSchema } from "../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { VideoSchema } from "../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import { Visibility } from "../../gen/svc/type/v1/visibility_pb.ts";
import { type ProtectedVideo, ProtectedVideos } from "../../src/api/delivery/protected-video.ts";
import { ProjectRulesets } from "../../src/api/reads/project-reads.ts";
import { WorkBudget } from "../../src/domain/base/work-budget.ts";
import { createListBudget } from "../../src/storage/sql/base/list-budget.ts";
import { openFresh } from "../harness/fresh-store.ts";
import { override } from "../harness/override.ts";
import { LONGEST_TURN, MACHINE, watchTurns } from "../harness/turns.ts";
import { ALPHA, BETA, createEvent, createSmallDataset } from "../storage/small-dataset.ts";

const NOW = new Date("2026-07-01T12:00:00Z");

/** The search over a new store, and how often it looked into the store for a video, and for events. */
async function open({ moving, ...changes }: Partial<Dataset> & { readonly moving?: string }) {
  return openOver(createSmallDataset(changes), moving);
}

async function openOver(dataset: Dataset, moving?: string) {
  const { store, close } = await openFresh(dataset);
  onTestFinished(close);
  const reads: string[] = [];
  const lists: string[] = [];
  const counting = override(store, {
    events: override(store.events, {
      async list(query) {
        lists.push("event");
        const page = await store.events.list(query);
        if (moving !== undefined && lists.length === 1) {
          const startTime = create(TimestampSchema, { seconds: 0n });
          await store.in("acme").documents.event.update(moving, ({ value }) => {
            return { ...value, startTime };
          });
        }
        return page;
      },
    }),
    videos: {
      get: (key) => {
        reads.push(key.id);
        return store.videos.get(key);
      },
    },
  });
  const videos = new ProtectedVideos(counting, new ProjectRulesets(counting.rulesets, counting));
  return { store, videos, reads, lists };
}

const VISIBILITIES = [
  Visibility.UNSPECIFIED,
  Visibility.PUBLISHED,
  Visibility.UNLISTED,
  Visibility.HIDDEN,
];

const forTarget = (id: string, target: object, init: object = {}) =>
  create(VideoProtectionRulesetSchema, {
    ...{ id, projectId: ALPHA, name: id },
    applicability: { case: "target", value: target as never },
    ...init,
  });
const forFilter = (id: string, filterEvents: string, filterCreativeWorks = "") =>
  create(VideoProtectionRulesetSchema, {
    ...{ id, projectId: ALPHA, name: id },
    applicability: { case: "filter", value: { filterEvents, filterCreativeWorks } },
  });
const createWork = (id: string, init: object = {}) =>
  create(CreativeWorkSchema, { id, projectId: ALPHA, videoIds: ["video-1"], ...init });
const rulesetsOf = ({ selection }: ProtectedVideo) =>
  selection.rulesets.map(({ ruleset }) => ruleset.id);

describe("a protected video", () => {
  test("has the rulesets of all that shows it, of every visibility, by its whole JSON", async () => {
    const { videos } = await open({
      events: [
        ...VISIBILITIES.map((visibility) =>
          createEvent(`e${visibility}`, { visibility, videoIds: ["other", "video-1"] }),
        ),
        createEvent("else", { videoIds: ["other"], entityIds: ["y"] }),
      ],
      creativeWorks: VISIBILITIES.map((visibility) =>
        createWork(`w${visibility}`, { visibility, entityIds: ["x"] }),
      ),
      rulesets: [
        ...VISIBILITIES.flatMap((it) => [
          forTarget(`event-${it}`, { eventIds: [`e${it}`] }),
          forTarget(`work-${it}`, { creativeWorkIds: [`w${it}`] }),
        ]),
        forTarget("entity", { entityIds: ["x"] }),
        forFilter("filter", "video_ids: other and id: e0", ""),
        forFilter("works", "", "entity_ids: x and video_ids: video-1"),
        forTarget("not-event", { eventIds: ["else"], entityIds: ["y"] }),
        forFilter("not-filter", "id: w0", "id: e0"),
      ],
    });
    const found = await videos.find(ALPHA, "video-1", NOW, createListBudget());
    expect(found.video.id).toBe("video-1");
    expect(rulesetsOf(found)).toEqual(
      [
        ...["entity", "filter", "works"],
        ...VISIBILITIES.flatMap((it) => [`event-${it}`, `work-${it}`]),
      ].sort(),
    );
    expect(found.rulesets).toHaveLength(13);
  });

  const MOMENT = "2026-01-01T00:00:00Z";
  test("has an id that is no syntax and equals nothing but itself", async () => {
    const ids = ['a" or "b', "a*", "7", "7.0", "not x", "(", "\\", "true", MOMENT, "ä"];
    const all = [...ids, "ab", "2026-01-01T01:00:00+01:00"];
    const { videos } = await open({
      videos: [...ids, "plain"].map((id) => create(VideoSchema, { id, projectId: ALPHA })),
      events: all.map((id) => createEvent(`of ${id}`, { videoIds: [id] })),
      rulesets: all.map((id) => forTarget(`for ${id}`, { eventIds: [`of ${id}`] })),
    });
    for (const id of ids)
      expect(rulesetsOf(await videos.find(ALPHA, id, NOW, createListBudget()))).toEqual([
        `for ${id}`,
      ]);
    expect(rulesetsOf(await videos.find(ALPHA, "plain", NOW, createListBudget()))).toEqual([]);
  });

  test("is not found in another project, which is not kept", async () => {
    const { videos, reads } = await open({});
    for (const [project, id] of [
      [BETA, "video-1"],
      [ALPHA, "VIDEO-1"],
      [ALPHA, ""],
      ["nowhere", "video-1"],
      [ALPHA, "nothing"],
      [ALPHA, "nothing"],
    ] as const) {
      await expect(videos.find(project, id, NOW, createListBudget())).rejects.toMatchObject({
        reason: "RESOURCE_NOT_FOUND",
      });
    }
    expect(reads.slice(-2)).toEqual(["nothing", "nothing"]);
  });
});

const TEN = Array.from({ length: 10 }, (_, it) => it);

/** Events that show the video, in the order in which they are looked at; every visibility in turn. */
const createEvents = (count: number, prefix = "e") =>
  Array.from({ length: count }, (_, index) =>
    createEvent(`${prefix}${100_000 + index}`, {
      videoIds: ["video-1"],
      visibility: VISIBILITIES[index % 4] ?? Visibility.PUBLISHED,
      startTime: { seconds: BigInt(index) },
      entityIds: [`entity-${index}`],
      fields: { number: index },
    }),
  );

/** As many events as may show a video, each of 11 values, whose database is filled once. */
const MOST = createSmallDataset({
  events: createEvents(10_000).map((event, number) => ({
    ...event,
    fields: { number, ...Object.fromEntries(TEN.map((it) => [`number${it}`, it])) },
  })),
});

async function openMost(...rulesets: readonly ReturnType<typeof forTarget>[]) {
  const opened = await openOver(MOST);
  const { documents } = opened.store.in("acme");
  for (const ruleset of rulesets) await documents.ruleset.create(ruleset);
  return opened;
}

describe("a video that much shows", () => {
  for (const [works, numbers] of [
    [1_000, [100, 101, 1_000]],
    [1_001, [1_001]],
  ] as const) {
    test(`is protected by number ${numbers.join(", ")} of 1,500, by every kind of ruleset`, async () => {
      const { videos } = await open({
        events: createEvents(1_500),
        creativeWorks: Array.from({ length: works }, (_, it) => createWork(`w${100_000 + it}`)),
        rulesets: [
          ...numbers.flatMap((nth) => {
            const index = nth - 1;
            const at = { contentStartTime: { seconds: BigInt(index) } };
            const until = { contentEndTime: { seconds: BigInt(index) } };
            return [
              forTarget(`entity ${nth}`, { entityIds: [`entity-${index}`] }),
              forTarget(`event ${nth}`, { eventIds: [`e${100_000 + index}`] }),
              forFilter(`filter ${nth}`, `fields.number: ${index}`),
              forTarget(`window ${nth}`, { ...at, ...until }),
              forTarget(`work ${nth}`, { creativeWorkIds: [`w${100_000 + index}`] }),
            ];
          }),
          forTarget("not", { eventIds: ["e99999"], entityIds: ["entity-1500"] }),
        ],
      });
      const kinds = ["entity", "event", "filter", "window", "work"];
      const want = kinds.flatMap((kind) => numbers.map((nth) => `${kind} ${nth}`)).sort();
      expect(rulesetsOf(await videos.find(ALPHA, "video-1", NOW, createListBudget()))).toEqual(
        want,
      );
    });
  }

  test("is looked at no further than a ruleset could hang on it", async () => {
    const events = createEvents(450);
    const { lists, videos } = await open({
      events,
      rulesets: [
        forTarget("first", { eventIds: ["e100120"] }),
        forTarget("v", { videoIds: ["x"] }),
      ],
    });
    expect(rulesetsOf(await videos.find(ALPHA, "video-1", NOW, createListBudget()))).toEqual([
      "first",
    ]);
    expect(lists).toEqual(["event", "event"]);
    const without = await open({ events, rulesets: [forTarget("v", { videoIds: ["video-1"] })] });
    expect(
      rulesetsOf(await without.videos.find(ALPHA, "video-1", NOW, createListBudget())),
    ).toEqual(["v"]);
    expect(without.lists).toEqual([]);
  });

  test("up to 10,000 times; what shows it once more leaves undecided what protects it", async () => {
    const last = forTarget("last", { eventIds: ["e109999"] });
    const beyond = forFilter("beyond", "fields.number >= 10000");
    const { lists, store, videos } = await openMost(last);
    const find = () => videos.find(ALPHA, "video-1", NOW, createListBudget());
    expect(rulesetsOf(await find())).toEqual(["last"]);
    await store.in("acme").documents.event.create(createEvent("more", { videoIds: ["video-1"] }));
    // Known to apply, or not to hang on events: decided all the same.
    expect(rulesetsOf(await find())).toEqual(["last"]);
    await store.in("acme").documents.ruleset.create(beyond);
    const before = lists.length;
    for (let round = 0; round < 3; round += 1) {
      await expect(find()).rejects.toMatchObject({
        ...{ code: 9, reason: "PROTECTION_UNDECIDED" },
        metadata: { video_id: "video-1", limit: "10000" },
      });
    }
    // It is as dear to find out that it is undecided: that is kept too.
    expect(lists.length - before).toBeLessThanOrEqual(102);
    await store.in("acme").documents.event.delete("more", () => undefined);
    expect(rulesetsOf(await find())).toEqual(["last"]);
  });
});

test.each([
  [5_000, true],
  [5_002, false],
])("two events that take %i ms to test leave room for a third: %s", async (ms, isDecided) => {
  const ids = ["e1", "e2", "e3"];
  const { videos } = await open({
    events: ids.map((id) => createEvent(id, { videoIds: ["video-1"] })),
    rulesets: [forFilter("filter", "fields.number > 5")],
  });
  let now = 0;
  const clock = () => {
    // The test of an event has two steps.
    now += ms / 4;
    return now;
  };
  const budget = new WorkBudget({ clock, pause: async () => {} });
  const found = videos.find(ALPHA, "video-1", NOW, budget);
  if (isDecided) expect(rulesetsOf(await found)).toEqual([]);
  else await expect(found).rejects.toMatchObject({ reason: "PROTECTION_UNDECIDED" });
});

test("a video of 10,000 events is examined in short turns", async () => {
  const { videos } = await openMost(
    forFilter("range", "fields.number0 >= 20000"),
    forFilter("equality", "fields.number1: 77777"),
    forFilter("absence", "not fields.number2: *"),
    forFilter("clock", "start_time > now"),
  );
  const { busy, longest } = await watchTurns(async () => {
    expect(rulesetsOf(await videos.find(ALPHA, "video-1", NOW, createListBudget()))).toEqual([]);
  });
  expect(busy).toBeLessThan(80 * MACHINE);
  expect(longest).toBeLessThan(LONGEST_TURN);
});

test("an item that moves in the list's order while it is read is not passed over", async () => {
  const { store, videos } = await open({
    events: createEvents(300),
    rulesets: [forTarget("moved", { eventIds: ["e100299"] })],
    moving: "e100299",
  });
  expect(rulesetsOf(await videos.find(ALPHA, "video-1", NOW, createListBudget()))).toEqual([
    "moved",
  ]);
  expect((await store.in("acme").documents.event.get("e100299")).value.startTime?.seconds).toBe(0n);
});

describe("the memory of protected videos", () => {
  test("reads a video once, however many ask at the same time", async () => {
    const { videos, reads } = await open({});
    await Promise.all(
      Array.from({ length: 50 }, () => videos.find(ALPHA, "video-1", NOW, createListBudget())),
    );
    await videos.find(ALPHA, "video-1", NOW, createListBudget());
    expect(reads).toEqual(["video-1"]);
  });

  test("is dropped when the clock passes a time that a ruleset hangs on, and not before", async () => {
    const { videos, reads } = await open({
      events: [
        createEvent("past", { videoIds: ["video-1"], startTime: { seconds: 1_000n } }),
        createEvent("e", { videoIds: ["video-1"], startTime: { seconds: 2_000n, nanos: 500 } }),
      ],
      rulesets: [forFilter("live", 'start_time <= now and not id: "past"'), forTarget("no", {})],
    });
    const at = async (millis: number, callers = 1) => {
      const found = await Promise.all(
        Array.from({ length: callers }, () =>
          videos.find(ALPHA, "video-1", new Date(millis), createListBudget()),
        ),
      );
      return [...new Set(found.map((it) => rulesetsOf(it).join()))];
    };
    expect(await at(1_500_000)).toEqual([""]);
    expect(await at(1_999_999)).toEqual([""]);
    expect(await at(2_000_000)).toEqual([""]);
    expect(reads).toHaveLength(1);
    expect(await at(2_000_001, 20)).toEqual(["live"]);
    expect(reads).toHaveLength(2);
    expect(await at(9_000_000, 20)).toEqual(["live"]);
    expect(reads.length).toBeLessThanOrEqual(3);
    const known = reads.length;
    expect(await at(9_000_000_000)).toEqual(["live"]);
    expect(reads).toHaveLength(known);
    expect(await at(1_999_000)).toEqual([""]);
  });

  test("is dropped by every change of the project, and by no other's", async () => {
    const { store, videos, reads } = await open({});
    const ids = async () =>
      (await videos.find(ALPHA, "video-1", NOW, createListBudget())).rulesets.map(
        ({ ruleset }) => ruleset.id,
      );
    const init = { name: "R", priority: 1n };
    expect(await ids()).toEqual(["ruleset-1"]);
    const own = create(VideoProtectionRulesetSchema, { ...init, id: "own", projectId: ALPHA });
    await store.in("acme").documents.ruleset.create(own);
    expect(await ids()).toEqual(["own", "ruleset-1"]);
    const { ruleset } = store.in("acme").documents;
    await ruleset.update("own", ({ value }) => ({ ...value, priority: -1n }));
    expect(await ids()).toEqual(["ruleset-1", "own"]);
    await ruleset.delete("own", () => undefined);
    expect(await ids()).toEqual(["ruleset-1"]);
    const before = reads.length;
    const other = create(VideoProtectionRulesetSchema, { ...init, id: "other", projectId: BETA });
    await store.in("acme").documents.ruleset.create(other);
    expect(await ids()).toEqual(["ruleset-1"]);
    expect(reads.length).toBe(before);
  });
});
