import { toJson } from "@bufbuild/protobuf";
import {
  type CreativeWork,
  CreativeWorkSchema,
} from "../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import { type Event, EventSchema } from "../../gen/svc/cda/cms/event/v1/event_pb.ts";
import type { ContentItemWithVideos } from "../domain/protection/index.ts";

/** The names of kinds in filters. */
const NAMES = { useProtoFieldName: true } as const;

/** Converts an event to the facts that rulesets examine. */
export function toEventItem(event: Event): ContentItemWithVideos {
  const { id, entityIds, videoIds, startTime: time } = event;
  return { id, entityIds, videoIds, time, json: toJson(EventSchema, event, NAMES) };
}

/** Converts a creative work to the facts that rulesets examine. */
export function toCreativeWorkItem(work: CreativeWork): ContentItemWithVideos {
  const { id, entityIds, videoIds, releaseTime: time } = work;
  return { id, entityIds, videoIds, time, json: toJson(CreativeWorkSchema, work, NAMES) };
}
