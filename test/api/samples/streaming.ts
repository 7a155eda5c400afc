import { VideoSchema } from "../../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import type { MethodSample } from "../method-samples.ts";
import { deletable } from "./deletable.ts";

const VIDEOS = "svc.studio.streaming.video.v1.VideoService";
const PROJECT = "worldcup/worldcup/project";
const VIDEO = "video-match-2026-104";

/** Samples of the methods of videos in management. */
export const streamingSamples: Readonly<Record<string, MethodSample>> = {
  [`${VIDEOS}/CreateVideo`]: {
    message: { video: { projectId: "worldcup", name: "A sample" } },
    resource: PROJECT,
    isWrite: true,
  },
  [`${VIDEOS}/GetVideo`]: { message: { videoId: VIDEO }, resource: `${VIDEO}/worldcup/video` },
  [`${VIDEOS}/ListVideos`]: {
    message: { projectId: "worldcup", pageSize: 2 },
    resource: PROJECT,
  },
  [`${VIDEOS}/UpdateVideo`]: {
    message: { videoId: VIDEO, video: { name: "Changed" }, updateMask: "name" },
    resource: `${VIDEO}/worldcup/video`,
    isWrite: true,
  },
  [`${VIDEOS}/DeleteVideo`]: {
    message: deletable("video", VideoSchema, { name: "Deletable" }),
    resource: "deletable-video/worldcup/video",
    isWrite: true,
  },
};
