import { type Video, VideoSchema } from "../../../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import { notFound } from "../../../domain/base/errors.ts";
import type { VideoKey, VideoStore } from "../../contract/playback.ts";
import { build } from "../../db/query.ts";
import { ConnectedStore } from "../base/connections.ts";
import { readDocument } from "../base/stored-document.ts";

/** Videos. */
export class SqlVideoStore extends ConnectedStore implements VideoStore {
  async get({ projectId, id }: VideoKey): Promise<Video> {
    const [row] = await this.read.all(
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
