import { toJson } from "@bufbuild/protobuf";
import {
  type CreativeWork,
  CreativeWorkSchema,
} from "../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import { type Event, EventSchema } from "../../gen/svc/cda/cms/event/v1/event_pb.ts";
import type { ContentItemWithVideos } from "../domain/protection/index.ts";

/** Filters use proto field names. */
const NAMES = { useProtoFieldName: true } as const;

/** Converts an event to the form that rulesets select by. */
export function toEventItem(event: Event): ContentItemWithVideos {
  const { id, entityIds, videoIds, startTime: time } = event;
  return { id, entityIds, videoIds, time, json: toJson(EventSchema, event, NAMES) };
}

/** Converts a creative work to the form that rulesets select by. */
export function toCreativeWorkItem(work: CreativeWork): ContentItemWithVideos {
  const { id, entityIds, videoIds, releaseTime: time } = work;
  return { id, entityIds, videoIds, time, json: toJson(CreativeWorkSchema, work, NAMES) };
}
