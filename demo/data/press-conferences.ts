import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type Event, EventSchema } from "../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { Visibility } from "../../gen/svc/type/v1/visibility_pb.ts";
import { WORLD_CUP } from "../ids.ts";
import { pictureUrl } from "./wording.ts";

const CONFERENCES = [
  { team: "esp", name: "Spain", german: "Spanien", hour: 15, visibility: Visibility.UNLISTED },
  {
    team: "arg",
    name: "Argentina",
    german: "Argentinien",
    hour: 17,
    visibility: Visibility.HIDDEN,
  },
  { team: "eng", name: "England", german: "England", hour: 19, visibility: Visibility.UNSPECIFIED },
];

/** Creates the unpublished events, one of each other visibility. */
export function createPressConferences(): readonly Event[] {
  return CONFERENCES.map(({ team, name, german, hour, visibility }) => {
    const id = `press-2026-${team}`;
    return create(EventSchema, {
      id,
      projectId: WORLD_CUP,
      title: { en: `Press conference: ${name}`, de: `Pressekonferenz: ${german}` },
      description: { en: `${name} before the last match.`, de: `${german} vor dem letzten Spiel.` },
      contentType: "press_conference",
      visibility,
      startTime: timestampFromDate(new Date(Date.UTC(2026, 6, 17, hour))),
      endTime: timestampFromDate(new Date(Date.UTC(2026, 6, 17, hour + 1))),
      entityIds: [`team-${team}`],
      posterImageUrl: pictureUrl(`press-${team}`),
      fields: { season: { id: "2026", name: "World Cup 2026" } },
      createTime: timestampFromDate(new Date(Date.UTC(2026, 6, 15))),
      updateTime: timestampFromDate(new Date(Date.UTC(2026, 6, 16))),
    });
  });
}
