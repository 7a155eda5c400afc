import { create } from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import type { CreativeWork } from "../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import type { Event } from "../gen/svc/cda/cms/event/v1/event_pb.ts";
import { WindowSchema } from "../gen/svc/type/v1/window_pb.ts";

/** The content type of the replays, and the id of their season. */
export const REPLAY = "replay";

/** The time around which the demo's file has its replays, in milliseconds since 1970: one of them begins at it. */
export const REPLAY_TIME = Date.parse("2026-06-20T00:00:00Z");

const HOUR = 3_600_000;

/** Moves a replay of the demo's file by whole hours, so that the one at `REPLAY_TIME` begins with the hour of `now`. */
export function moveReplay(replay: Event, now: Date): Event {
  const shift = Math.floor((now.getTime() - REPLAY_TIME) / HOUR) * HOUR;
  const move = (time: Event["startTime"]) => time && timestampFromMs(timestampMs(time) + shift);
  return { ...replay, startTime: move(replay.startTime), endTime: move(replay.endTime) };
}

/** The film that leaves the demo soon after its start: highlights of the oldest final. */
export const LEAVING = "highlights-2018-64";

/** Lets a film leave two hours after the hour of `now`. */
export function leaveSoon(film: CreativeWork, now: Date): CreativeWork {
  const end = (Math.floor(now.getTime() / HOUR) + 2) * HOUR;
  const availability = create(WindowSchema, { endTime: timestampFromMs(end) });
  return { ...film, availability };
}
