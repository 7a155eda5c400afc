import { type Video, VideoSchema } from "../../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import { notFound } from "../../domain/base/errors.ts";
import { build } from "../db/query.ts";
import { ConnectedStore } from "./connections.ts";
import { readDocument } from "./stored-document.ts";

/** Identifies a video. */
interface VideoKey {
  readonly projectId: string;
  readonly id: string;
}

/** Videos. */
export class VideoStore extends ConnectedStore {
  /** Returns a video of a project; NOT_FOUND if there is none. */
  async get({ projectId, id }: VideoKey): Promise<Video> {
    const row = await this.read.first(
      build
        .selectFrom("video")
        .select("doc")
        .where("id", "=", id)
        .where("project_id", "=", projectId),
    );
    if (row === undefined) throw notFound("video", id);
    return readDocument(VideoSchema, row.doc);
  }
}
