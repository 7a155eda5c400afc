import { describe, expect, test } from "vitest";
import { VideoService } from "../../gen/svc/studio/streaming/video/v1/video_service_pb.ts";
import { metadataOf, reasonOf } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { callStudio, faultOf, STUDIO_FACES } from "./studio.ts";

const marquee = await useMarquee();

const VIDEO = {
  projectId: "worldcup",
  name: "Final",
  playlistUrl: "https://cdn.example/final/main.m3u8?a=b",
  duration: "5400.500s",
};

for (const face of STUDIO_FACES) {
  const call = callStudio(marquee, VideoService, face);
  const make = async (more: object = {}) => {
    const got = await call("CreateVideo", { video: VIDEO, ...more });
    expect(got.status, got.text).toBe(200);
    return { videoId: String(got.value.video.id), got };
  };
  const update = (videoId: string, video: object, updateMask: string, options = {}) =>
    call("UpdateVideo", { videoId, video, updateMask }, options);

  describe(`a video over ${face}`, () => {
    test("is created, read, listed, changed and deleted", async () => {
      const id = `video-${face.length}`;
      const { got, videoId } = await make({ videoId: id });
      const created = got.value.video;
      const times = { createTime: expect.any(String), updateTime: created.createTime };
      expect(created).toEqual({ ...VIDEO, id, ...times });
      const read = await call("GetVideo", { videoId });
      expect([read.value, read.headers.get("etag")]).toEqual([got.value, got.headers.get("etag")]);
      const list = async () => {
        const filter = `name: Final and id: "${videoId}"`;
        const { value } = await call("ListVideos", { projectId: "worldcup", filter });
        return value.videos ?? [];
      };
      expect(await list()).toEqual([created]);
      const changed = await update(videoId, { playlistUrl: "" }, "playlist_url,duration");
      const { playlistUrl: _, duration: __, ...rest } = created;
      expect(changed.value.video).toEqual({ ...rest, updateTime: expect.any(String) });
      expect((await call("DeleteVideo", { videoId })).status).toBe(200);
      expect((await call("GetVideo", { videoId })).status).toBe(404);
      expect(await list()).toEqual([]);
    });

    for (const [fields, mask, reason, field] of [
      [{ name: "" }, "name", "FIELD_REQUIRED", "name"],
      [{ playlistUrl: "/a.m3u8" }, "playlist_url", "PLAYLIST_URL_INVALID", "playlist_url"],
      [{ playlistUrl: "file:///a" }, "playlist_url", "PLAYLIST_URL_INVALID", "playlist_url"],
      [{ playlistUrl: "https:a.m3u8" }, "playlist_url", "PLAYLIST_URL_INVALID", "playlist_url"],
      ...[
        ...["https://cdn.example", "https://cdn.example/", "https://cdn.example/a.m3u8?b=/c/d"],
        ...[
          ...["..", "%2e%2e", ".%2E", "%2e.", ".", "%2E"].flatMap((dots) => [
            `https://cdn.example/a/${dots}/b/c.m3u8`,
            `https://cdn.example/a/b/${dots}`,
            `https://cdn.example/${dots}/a/b.m3u8?c#d`,
          ]),
          ...["https://cdn.example/a\\b/c.m3u8", "https://cdn.example\\a/b/c.m3u8"],
          "https://cdn.example/a/..\\b/c.m3u8",
        ],
        ...["https://cdn.example//b.m3u8", "https://cdn.example/%2Fb", "https://cdn.example/a//b"],
        ...[
          "https://cdn.example/a/..%2fb",
          "https://cdn.example/a/%5cb",
          "https://cdn.example/a/%zz",
        ],
        ...["https://ann:secret@cdn.example/a/b", "https://cdn.example@evil.example/a/b"],
      ].map(
        (playlistUrl) =>
          [{ playlistUrl }, "playlist_url", "PLAYLIST_URL_INVALID", "playlist_url"] as const,
      ),
      [{ duration: "0s" }, "duration", "DURATION_INVALID", "duration"],
      [{ duration: "-1s" }, "duration", "DURATION_INVALID", "duration"],
    ] as const) {
      test(`is neither created nor updated with ${JSON.stringify(fields)}`, async () => {
        const { videoId, got } = await make();
        const want = [400, reason, `video.${field}`];
        expect(faultOf(await call("CreateVideo", { video: { ...VIDEO, ...fields } }))).toEqual(
          want,
        );
        expect(faultOf(await update(videoId, fields, mask))).toEqual(want);
        expect((await call("GetVideo", { videoId })).value).toEqual(got.value);
      });
    }

    test("may have dots and backslashes where they lead nowhere", async () => {
      const playlistUrl = "https://cdn.example/a/..b/c..%20d/.e/f.m3u8?g=/../h\\#/../";
      const kept = await make({ video: { ...VIDEO, playlistUrl } });
      expect(kept.got.value.video.playlistUrl).toBe(playlistUrl);
    });

    test("without a folder is refused in words that say what to do", async () => {
      const playlistUrl = "https://cdn.example/a.m3u8";
      const got = await call("CreateVideo", { video: { ...VIDEO, playlistUrl } });
      expect(got.text).toContain("must be in a folder, such as /match-1/main.m3u8");
      const kept = await make({ video: { ...VIDEO, playlistUrl: "https://cdn.example/a/" } });
      expect(kept.got.value.video.playlistUrl).toBe("https://cdn.example/a/");
    });

    test("is listed by the time of its creation, page by page", async () => {
      const name = `Listed ${face.length}`;
      const ids: string[] = [];
      for (let count = 0; count < 3; count += 1) {
        ids.push((await make({ video: { ...VIDEO, name } })).videoId);
      }
      const seen: string[] = [];
      let pageToken = "";
      do {
        const message = { projectId: "worldcup", filter: `name: "${name}"`, pageSize: 2 };
        const got = await call("ListVideos", { ...message, order: "create_time desc", pageToken });
        seen.push(...got.value.videos.map((it: { id: string }) => it.id));
        pageToken = got.value.nextPageToken ?? "";
      } while (pageToken !== "");
      expect(new Set(seen)).toEqual(new Set(ids));
      expect(seen).toHaveLength(3);
      expect(seen[0]).toBe(ids[2]);
      const wrong = await call("ListVideos", { projectId: "worldcup", order: "name asc" });
      expect([wrong.status, reasonOf(wrong)]).toEqual([400, "ORDER_INVALID"]);
    });

    test("is written with its current entity tag only", async () => {
      const { videoId, got } = await make();
      const tag = { headers: { "if-match": got.headers.get("etag") ?? "" } };
      expect((await update(videoId, { name: "A" }, "name", tag)).status).toBe(200);
      for (const late of [
        await update(videoId, { name: "B" }, "name", tag),
        await call("DeleteVideo", { videoId }, tag),
      ]) {
        expect([late.status, reasonOf(late)]).toEqual([409, "ETAG_MISMATCH"]);
      }
    });

    test("with annotations is deleted only by force", async () => {
      const message = { videoId: "video-match-2026-104" };
      const refused = await call("DeleteVideo", message);
      expect([refused.status, reasonOf(refused)]).toEqual([400, "STILL_REFERRED_TO"]);
      expect(metadataOf(refused)?.referrers).toContain("annotation/goal-2026-104-1");
      const tried = await call("DeleteVideo", { ...message, force: true, validateOnly: true });
      expect(tried.status, tried.text).toBe(200);
      expect((await call("GetVideo", message)).status).toBe(200);
    });

    test("is made once for a request id, and not at all to be tried", async () => {
      const requestId = `video-${face.length}`;
      const [first, again] = [await make({ requestId }), await make({ requestId })];
      expect(again.got.value).toEqual(first.got.value);
      const other = await call("CreateVideo", { video: { ...VIDEO, name: "Other" }, requestId });
      expect([other.status, reasonOf(other)]).toEqual([409, "REQUEST_ID_REUSED"]);
      const tried = await make({ validateOnly: true });
      expect((await call("GetVideo", { videoId: tried.videoId })).status).toBe(404);
    });
  });
}
