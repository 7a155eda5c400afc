import { create, type JsonObject } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type Event, EventSchema } from "../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { Visibility } from "../../gen/svc/type/v1/visibility_pb.ts";

const MINUTE = 60_000;
const FIRST = Date.parse("2016-01-01T00:00:00Z");
const TYPES = ["match", "match", "match", "match", "show", "interview"];

/**
 * Creates the event of a number, the same at every call. It belongs to one of 200 teams and 60 seasons. Two of three
 * events are matches, and one in a thousand has a tournament of its own.
 */
export function createBenchEvent(projectId: string, number: number): Event {
  const random = createRandom(number);
  const contentType = TYPES[random(TYPES.length)] ?? "";
  const [home, away] = [random(200), random(200)];
  const season = 1966 + random(60);
  const start = FIRST + random(10 * 365 * 24 * 60) * MINUTE;
  const fields: JsonObject = {
    season: { id: String(season) },
    round: `Matchday ${random(34) + 1}`,
    attendance: random(90_000),
    ...(random(1_000) === 0 && { tournament: `tournament-${Math.floor(number / 10_000)}` }),
  };
  return create(EventSchema, {
    id: `event-${String(number).padStart(7, "0")}`,
    projectId,
    title: { en: `Team ${home} vs Team ${away}` },
    contentType,
    visibility: random(20) === 0 ? Visibility.HIDDEN : Visibility.PUBLISHED,
    startTime: timestampFromMs(start),
    endTime: timestampFromMs(start + 120 * MINUTE),
    entityIds: [`team-${home}`, `team-${away}`],
    fields,
    createTime: timestampFromMs(FIRST + number * 1_000),
    updateTime: timestampFromMs(FIRST + number * 1_000),
  });
}

/** A small generator of whole numbers below a limit, seeded so that adjacent seeds differ. */
function createRandom(seed: number): (limit: number) => number {
  let state = (seed + 1) * 2_654_435_761;
  return (limit) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 374_761_393) >>> 0;
    return Math.floor((((state ^ (state >>> 13)) >>> 0) / 4_294_967_296) * limit);
  };
}
