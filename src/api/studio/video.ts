import { VideoSchema } from "../../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import type { VideoService } from "../../../gen/svc/studio/streaming/video/v1/video_service_pb.ts";
import { checkVideo } from "../../domain/content/video.ts";
import type { Handlers } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { createResource, type ResourceParts } from "./resource.ts";

/** Creates the management handlers of videos. */
export function createVideoHandlers(
  parts: ResourceParts,
): Handlers<typeof VideoService, StudioCall> {
  const videos = createResource("video", VideoSchema, parts, {
    orders: ["create_time", "update_time"],
    check: checkVideo,
  });
  return {
    async createVideo({ video, videoId }, call) {
      return { video: await videos.create(call, video, videoId) };
    },

    async getVideo({ videoId }, call) {
      return { video: await videos.get(call, videoId) };
    },

    async listVideos(request, call) {
      const { values, nextPageToken } = await videos.list(call, request, [request.projectId]);
      return { videos: values, nextPageToken };
    },

    async updateVideo({ videoId, video, updateMask }, call) {
      return { video: await videos.update(call, videoId, video, updateMask) };
    },

    async deleteVideo({ videoId, force }, call) {
      await videos.delete(call, videoId, force);
      return {};
    },
  };
}
