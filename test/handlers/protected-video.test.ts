import { create } from "@bufbuild/protobuf";
import { afterEach, describe, expect, test } from "vitest";
import { CreativeWorkSchema } from "../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import { VideoProtectionRulesetSchema } from "../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { VideoSchema } from "../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import { Visibility } from "../../gen/svc/type/v1/visibility_pb.ts";
import { createPreparedRulesets } from "../../src/handlers/prepared-rulesets.ts";
import { createProtectedVideos } from "../../src/handlers/protected-video.ts";
import type { Dataset } from "../../src/storage/dataset.ts";
import type { Store } from "../../src/storage/store.ts";
import { openFreshSqlite } from "../storage/fresh-sqlite.ts";
import { ALPHA, BETA, createEvent, createSmallDataset } from "../storage/small-dataset.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** The search over a new store, and how often it looked into the store for a video. */
async function open(changes: Partial<Dataset>) {
  const { store, close } = await openFreshSqlite();
  closing.push(close);
  await store.load(createSmallDataset(changes));
  const reads: string[] = [];
  const counting: Store = {
    ...store,
    videos: {
      get: (key) => {
        reads.push(key.id);
        return store.videos.get(key);
      },
    },
  };
  const videos = createProtectedVideos(counting, createPreparedRulesets(counting));
  return { store, videos, reads };
}

const VISIBILITIES = [
  Visibility.UNSPECIFIED,
  Visibility.PUBLISHED,
  Visibility.UNLISTED,
  Visibility.HIDDEN,
];
const idsOf = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id);

describe("a protected video", () => {
  test("comes with what shows it, of every visibility, in the form that filters read", async () => {
    const { videos } = await open({
      events: [
        ...VISIBILITIES.map((visibility) =>
          createEvent(`e${visibility}`, { visibility, videoIds: ["other", "video-1"] }),
        ),
        createEvent("else", { videoIds: ["other"] }),
      ],
      creativeWorks: VISIBILITIES.map((visibility) => {
        const init = { projectId: ALPHA, visibility, videoIds: ["video-1"], entityIds: ["x"] };
        return create(CreativeWorkSchema, { id: `w${visibility}`, ...init });
      }),
    });
    const { video, content, rulesets } = await videos.find(ALPHA, "video-1");
    expect(video.id).toBe("video-1");
    expect(content.videoId).toBe("video-1");
    expect(idsOf(content.events)).toEqual(["e0", "e1", "e2", "e3"]);
    expect(idsOf(content.creativeWorks)).toEqual(["w0", "w1", "w2", "w3"]);
    expect(content.creativeWorks[0]).toMatchObject({
      entityIds: ["x"],
      json: { id: "w0", video_ids: ["video-1"] },
    });
    expect(rulesets.map(({ ruleset }) => ruleset.id)).toEqual(["ruleset-1"]);
  });

  const MOMENT = "2026-01-01T00:00:00Z";
  test("has an id that is no syntax and equals nothing but itself", async () => {
    const ids = ['a" or "b', "a*", "7", "7.0", "not x", "(", "\\", "true", MOMENT, "ä"];
    const { videos } = await open({
      videos: [...ids, "plain"].map((id) => create(VideoSchema, { id, projectId: ALPHA })),
      events: [...ids, "ab", "2026-01-01T01:00:00+01:00"].map((id) =>
        createEvent(`of ${id}`, { videoIds: [id] }),
      ),
    });
    for (const id of ids) {
      const { content } = await videos.find(ALPHA, id);
      expect(idsOf(content.events)).toEqual([`of ${id}`]);
    }
    expect((await videos.find(ALPHA, "plain")).content.events).toEqual([]);
  });

  test("comes with a hundred events at most, by id", async () => {
    const { videos } = await open({
      events: Array.from({ length: 130 }, (_, index) =>
        createEvent(`e${1_000 + index}`, {
          videoIds: ["video-1"],
          visibility: VISIBILITIES[index % 4] ?? Visibility.PUBLISHED,
        }),
      ),
    });
    const { events } = (await videos.find(ALPHA, "video-1")).content;
    expect(idsOf(events)).toEqual(Array.from({ length: 100 }, (_, index) => `e${1_000 + index}`));
  });

  test("is not found in another project", async () => {
    const { videos } = await open({});
    for (const [project, id] of [
      [BETA, "video-1"],
      [ALPHA, "VIDEO-1"],
      [ALPHA, ""],
      ["nowhere", "video-1"],
    ] as const) {
      await expect(videos.find(project, id)).rejects.toMatchObject({
        reason: "RESOURCE_NOT_FOUND",
      });
    }
  });
});

describe("the memory of protected videos", () => {
  test("reads a video once, however many ask at the same time", async () => {
    const { videos, reads } = await open({});
    await Promise.all(Array.from({ length: 50 }, () => videos.find(ALPHA, "video-1")));
    await videos.find(ALPHA, "video-1");
    expect(reads).toEqual(["video-1"]);
  });

  test("is dropped by every change of the project, and by no other's", async () => {
    const { store, videos, reads } = await open({});
    const ids = async () =>
      (await videos.find(ALPHA, "video-1")).rulesets.map(({ ruleset }) => ruleset.id);
    const init = { name: "R", priority: 1n };
    expect(await ids()).toEqual(["ruleset-1"]);
    const own = create(VideoProtectionRulesetSchema, { ...init, id: "own", projectId: ALPHA });
    await store.documents.ruleset.create(own);
    expect(await ids()).toEqual(["own", "ruleset-1"]);
    await store.documents.ruleset.update("own", ({ value }) => ({ ...value, priority: -1n }));
    expect(await ids()).toEqual(["ruleset-1", "own"]);
    await store.documents.ruleset.delete("own", () => undefined);
    expect(await ids()).toEqual(["ruleset-1"]);
    const before = reads.length;
    const other = create(VideoProtectionRulesetSchema, { ...init, id: "other", projectId: BETA });
    await store.documents.ruleset.create(other);
    expect(await ids()).toEqual(["ruleset-1"]);
    expect(reads.length).toBe(before);
  });

  test("does not keep that a video was not found", async () => {
    const { videos, reads } = await open({});
    for (let round = 0; round < 2; round += 1) {
      await expect(videos.find(ALPHA, "nothing")).rejects.toMatchObject({
        reason: "RESOURCE_NOT_FOUND",
      });
    }
    expect(reads).toEqual(["nothing", "nothing"]);
  });
});
