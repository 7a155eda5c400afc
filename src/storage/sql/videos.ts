import { VideoSchema } from "../../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import { notFound } from "../../domain/errors.ts";
import { build } from "../db/query.ts";
import type { VideoStore } from "../playback-store.ts";
import type { Connections } from "./connections.ts";
import { readDocument } from "./stored-document.ts";

/** Creates the store of videos. */
export function createVideoStore({ read }: Connections): VideoStore {
  return {
    async get({ projectId, id }) {
      const row = await read.first(
        build
          .selectFrom("video")
          .select("doc")
          .where("id", "=", id)
          .where("project_id", "=", projectId),
      );
      if (row === undefined) throw notFound(`video ${id}`);
      return readDocument(VideoSchema, row.doc);
    },
  };
}
