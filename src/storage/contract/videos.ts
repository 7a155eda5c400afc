import type { Video } from "../../../gen/svc/studio/streaming/video/v1/video_pb.ts";

/** Identifies a video. */
export interface VideoKey {
  readonly projectId: string;
  readonly id: string;
}

/** Videos. */
export interface VideoStore {
  /** Returns a video of a project; NOT_FOUND if there is none. */
  get(key: VideoKey): Promise<Video>;
}
