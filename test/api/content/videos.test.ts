import { describe, expect, test } from "vitest";
import { VideoService } from "../../../gen/svc/studio/streaming/video/v1/video_service_pb.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { playCases, toWriteCases } from "../play-cases.ts";
import { callStudio } from "../studio.ts";

const marquee = await useMarquee();

const VIDEO = {
  projectId: "worldcup",
  name: "Final",
  playlistUrl: "https://cdn.example/final/main.m3u8?a=b",
  duration: "5400.500s",
};

const CDN = "https://cdn.example";
const URLS = [
  ...["/a.m3u8", "file:///a", CDN, `${CDN}/a/%2e%2e/b/c.m3u8`, `${CDN}/a\\b/c.m3u8`],
  ...[`${CDN}//b.m3u8`, `${CDN}/a/..%2fb`, "https://ann:secret@cdn.example/a/b"],
];
const ID = "video-match-2022-63";

playCases(
  marquee,
  "a video",
  toWriteCases(
    { service: "streaming.video.v1.VideoService", noun: "video", resource: VIDEO, id: ID },
    [
      [{ name: "" }, "FIELD_REQUIRED name"],
      ...URLS.map((it) => [{ playlistUrl: it }, "PLAYLIST_URL_INVALID playlist_url"] as const),
      ...["0s", "-1s"].map((it) => [{ duration: it }, "DURATION_INVALID duration"] as const),
    ],
  ),
  async () => (await marquee.store.in("org-worldcup").documents.video.get(ID)).value,
);

const call = callStudio(marquee, VideoService);
const make = async (more: object = {}) => {
  const got = await call("CreateVideo", { video: VIDEO, ...more });
  expect(got.status, got.text).toBe(200);
  return { videoId: String(got.value.video.id), got };
};

describe("a video", () => {
  test("may have dots and backslashes where they lead nowhere", async () => {
    const playlistUrl = "https://cdn.example/a/..b/c..%20d/.e/f.m3u8?g=/../h\\#/../";
    const kept = await make({ video: { ...VIDEO, playlistUrl } });
    expect(kept.got.value.video.playlistUrl).toBe(playlistUrl);
  });

  test("without a folder is rejected in words that say what to do", async () => {
    const playlistUrl = "https://cdn.example/a.m3u8";
    const got = await call("CreateVideo", { video: { ...VIDEO, playlistUrl } });
    expect(got.text).toContain("must be in a folder, such as /match-1/main.m3u8");
    const kept = await make({ video: { ...VIDEO, playlistUrl: "https://cdn.example/a/" } });
    expect(kept.got.value.video.playlistUrl).toBe("https://cdn.example/a/");
  });
});
