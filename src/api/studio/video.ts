import type { ServiceImpl } from "@connectrpc/connect";
import { VideoSchema } from "../../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import type { VideoService } from "../../../gen/svc/studio/streaming/video/v1/video_service_pb.ts";
import { checkVideo } from "../../domain/content/video.ts";
import { createResource, type ResourceParts } from "./resource.ts";

/** Creates the management handlers of videos. */
export function createVideoHandlers(parts: ResourceParts): ServiceImpl<typeof VideoService> {
  const videos = createResource("video", VideoSchema, parts, {
    orders: ["create_time", "update_time"],
    check: checkVideo,
  });
  return {
    async createVideo({ video, videoId }, context) {
      return { video: await videos.create(context, video, videoId) };
    },

    async getVideo({ videoId }, context) {
      return { video: await videos.get(context, videoId) };
    },

    async listVideos(request, context) {
      const { values, nextPageToken } = await videos.list(context, request, [request.projectId]);
      return { videos: values, nextPageToken };
    },

    async updateVideo({ videoId, video, updateMask }, context) {
      return { video: await videos.update(context, videoId, video, updateMask) };
    },

    async deleteVideo({ videoId, force }, context) {
      await videos.delete(context, videoId, force);
      return {};
    },
  };
}
