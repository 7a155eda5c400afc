import { create } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Dataset } from "../../demo/data/dataset-records.ts";
import { CreativeWorkSchema } from "../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import { VideoProtectionRulesetSchema } from "../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { VideoSchema } from "../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import { Visibility } from "../../gen/svc/type/v1/visibility_pb.ts";
import { ProtectedVideos } from "../../src/api/delivery/protected-video.ts";
import { ProjectRulesets } from "../../src/api/reads/project-reads.ts";
import { runAll } from "../../src/domain/base/steps.ts";
import { WorkBudget } from "../../src/domain/base/work-budget.ts";
import { type PreparedRulesets, prepareRulesets } from "../../src/domain/protection/prepare.ts";
import { createListBudget } from "../../src/storage/sql/base/list-budget.ts";
import { openFresh } from "../harness/fresh-store.ts";
import { override } from "../harness/override.ts";
import { expectWithin, LONGEST_TURN, MACHINE, watchTurns } from "../harness/turns.ts";
import { ALPHA, createEvent, createSmallDataset } from "../storage/small-dataset.ts";

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
/** The rulesets of a video, `video-1` unless said. */
async function findRulesets(videos: ProtectedVideos, id = "video-1") {
  const { selection } = await videos.find({
    ...{ projectId: ALPHA, videoId: id, now: NOW, budget: createListBudget() },
  });
  return selection.rulesets.map(({ ruleset }) => ruleset.id);
}

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
        createWork(`w${visibility}`, {
          visibility,
          entityIds: ["x"],
          releaseTime: { seconds: 7n },
        }),
      ),
      rulesets: [
        ...VISIBILITIES.flatMap((it) => [
          forTarget(`event-${it}`, { eventIds: [`e${it}`] }),
          forTarget(`work-${it}`, { creativeWorkIds: [`w${it}`] }),
        ]),
        forTarget("entity", { entityIds: ["x"] }),
        forTarget("released", {
          contentStartTime: { seconds: 7n },
          contentEndTime: { seconds: 7n },
        }),
        forTarget("not-released", { contentStartTime: { seconds: 8n } }),
        forFilter("filter", "video_ids: other and id: e0", ""),
        forFilter("works", "", "entity_ids: x and video_ids: video-1"),
        forTarget("not-event", { eventIds: ["else"], entityIds: ["y"] }),
        forFilter("not-filter", "id: w0", "id: e0"),
      ],
    });
    expect(await findRulesets(videos)).toEqual(
      [
        ...["entity", "filter", "released", "works"],
        ...VISIBILITIES.flatMap((it) => [`event-${it}`, `work-${it}`]),
      ].sort(),
    );
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
    for (const id of ids) expect(await findRulesets(videos, id)).toEqual([`for ${id}`]);
    expect(await findRulesets(videos, "plain")).toEqual([]);
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
  test("is looked at no further than a ruleset could hang on it", async () => {
    const events = createEvents(450);
    const { lists, videos } = await open({
      events,
      rulesets: [
        forTarget("first", { eventIds: ["e100120"] }),
        forTarget("v", { videoIds: ["x"] }),
      ],
    });
    expect(await findRulesets(videos)).toEqual(["first"]);
    expect(lists).toEqual(["event", "event"]);
    const without = await open({ events, rulesets: [forTarget("v", { videoIds: ["video-1"] })] });
    expect(await findRulesets(without.videos)).toEqual(["v"]);
    expect(without.lists).toEqual([]);
  });

  test("up to 10,000 times; what shows it once more leaves undecided what protects it", async () => {
    const last = forTarget("last", { eventIds: ["e109999"] });
    const beyond = forFilter("beyond", "fields.number >= 10000");
    const { lists, store, videos } = await openMost(last);
    const find = () => findRulesets(videos);
    expect(await find()).toEqual(["last"]);
    await store.in("acme").documents.event.create(createEvent("more", { videoIds: ["video-1"] }));
    // Known to apply, or not to hang on events: decided all the same.
    expect(await find()).toEqual(["last"]);
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
    expect(await find()).toEqual(["last"]);
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
  const query = { projectId: ALPHA, videoId: "video-1", now: NOW };
  const found = videos.find({ ...query, budget });
  if (isDecided) expect((await found).selection.rulesets).toEqual([]);
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
    expect(await findRulesets(videos)).toEqual([]);
  });
  expectWithin(busy, 80 * MACHINE);
  expectWithin(longest, LONGEST_TURN);
});

test("an item that moves in the list's order while it is read is not passed over", async () => {
  const { store, videos } = await open({
    events: createEvents(300),
    rulesets: [forTarget("moved", { eventIds: ["e100299"] })],
    moving: "e100299",
  });
  expect(await findRulesets(videos)).toEqual(["moved"]);
  expect((await store.in("acme").documents.event.get("e100299")).value.startTime?.seconds).toBe(0n);
});

test("a video is read once, however many ask at the same time", async () => {
  const { videos, reads } = await open({});
  const query = { projectId: ALPHA, videoId: "video-1", now: NOW };
  const find = () => videos.find({ ...query, budget: createListBudget() });
  await Promise.all(Array.from({ length: 50 }, find));
  await find();
  expect(reads).toEqual(["video-1"]);
});

test("a cached video has rulesets of their last preparation alone, because each may take megabytes", async () => {
  const { store, close } = await openFresh(
    createSmallDataset({ rulesets: [forTarget("own", { videoIds: ["video-1"] })] }),
  );
  onTestFinished(close);
  const prepared: PreparedRulesets[] = [];
  const rulesets = {
    async find(projectId: string) {
      const last = prepared.at(-1);
      if (last !== undefined && prepared.length === 2) return last;
      prepared.push(runAll(prepareRulesets(await store.rulesets.list(projectId))));
      return prepared.at(-1) as PreparedRulesets;
    },
  };
  const videos = new ProtectedVideos(store, rulesets);
  const query = { projectId: ALPHA, videoId: "video-1", now: NOW, budget: createListBudget() };
  for (const preparation of [0, 1, 1]) {
    const { rulesets: all, selection } = await videos.find(query);
    expect(all).toBe(prepared[preparation]);
    expect(selection.rulesets.map((it) => all.indexOf(it))).toEqual([0]);
  }
});
