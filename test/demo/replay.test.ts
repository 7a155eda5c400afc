import { toJson } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { createDemoDataset } from "../../demo/data/dataset.ts";
import { LEAVING, leaveSoon, moveReplay, REPLAY } from "../../demo/replay.ts";
import { CreativeWorkSchema } from "../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import { type Event, EventSchema } from "../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { matchKql, parseKql } from "../../src/domain/kql/index.ts";

const data = createDemoDataset();
const replays = data.events.filter(({ contentType }) => contentType === REPLAY);
const matches = new Map(data.events.map((event) => [event.id, event]));
const home = data.pages.find(({ page }) => page.id === "page-home")?.components ?? [];

/** The rails of the home page whose items depend on the clock, by id. */
const CLOCK_RAILS = home.flatMap(({ id, data: { case: kind, value } }) =>
  kind === "rail" && /now/.test(value.filter) ? [{ id, filter: parseKql(value.filter) }] : [],
);

const HOUR = 3_600_000;

/** Both sides of midnight and of a full hour, and hours between, in milliseconds of a day. */
const TIMES = [0, 1, 5.5 * HOUR, 12 * HOUR - 1, 12 * HOUR, 18.75 * HOUR, 24 * HOUR - 1];

/** Days of a year with a leap day, with both sides of it and the ends of the year. */
const DAYS = ["01-01", "02-28", "02-29", "03-01", "07-19", "12-31"].map((day) =>
  Date.parse(`2028-${day}`),
);

function startOf({ startTime }: Event): number {
  return startTime === undefined ? Number.NaN : timestampMs(startTime);
}

test("one film leaves soon after the demo is loaded, and a rail says so", () => {
  const film = data.creativeWorks.find(({ id }) => id === LEAVING);
  const components = data.pages.flatMap((it) => it.components);
  const rail = components.find(({ id }) => id === "rail-leaving-soon")?.data;
  if (film === undefined || rail?.case !== "rail") throw new Error("the demo lacks them");
  const loaded = Date.UTC(2028, 1, 29, 23, 59);
  const leaving = leaveSoon(film, new Date(loaded));
  expect(leaving.availability?.endTime && timestampMs(leaving.availability.endTime)).toBe(
    Date.UTC(2028, 2, 1, 1),
  );
  const filter = parseKql(rail.value.filter);
  const isShown = (it: typeof film) =>
    matchKql(filter, toJson(CreativeWorkSchema, it, { useProtoFieldName: true }), loaded);
  expect([isShown(leaving), isShown(film)]).toEqual([true, false]);
});

describe("the rails of the home page that follow the clock", () => {
  test("are those of today, the week, the match that is on, and results", () => {
    expect(CLOCK_RAILS.map(({ id }) => id)).toEqual([
      ...["rail-home-live", "rail-home-coming", "rail-home-week", "rail-home-results"],
    ]);
  });

  test("have items at any time of any day on which the demo is loaded, and until five days later", () => {
    const options = { useProtoFieldName: true };
    for (const day of DAYS) {
      for (const time of TIMES) {
        const loaded = day + time;
        const documents = replays.map((it) =>
          toJson(EventSchema, moveReplay(it, new Date(loaded)), options),
        );
        // The load at one time of the day is looked at for longer.
        const ages = time === 0 ? [0, 25, 5 * 24] : [0];
        for (const now of ages.map((hours) => loaded + hours * HOUR)) {
          const empty = CLOCK_RAILS.filter(({ filter }) => {
            return !documents.some((document) => matchKql(filter, document, now));
          });
          expect(empty.map(({ id }) => `${id} at ${new Date(now).toISOString()}`)).toEqual([]);
        }
      }
    }
  });
});

describe("the replays", () => {
  test("follow each other without a pause, the final first in the hour of the load", () => {
    const now = new Date("2027-03-01T23:59:59.999Z");
    const moved = replays.map((it) => moveReplay(it, now));
    for (const [index, { id, endTime }] of moved.slice(0, -1).entries()) {
      expect([id, endTime]).toEqual([id, moved[index + 1]?.startTime]);
    }
    const started = moved.filter((it) => startOf(it) <= now.getTime());
    expect(started.at(-1)?.id).toBe("replay-2026-104");
    expect(startOf(started.at(-1) as Event)).toBe(Date.parse("2027-03-01T23:00:00Z"));
  });

  test("repeat every match of the knock-out stages with its teams and result, and change none of its facts", () => {
    expect(replays).toHaveLength(64);
    for (const replay of replays) {
      const { fields: { match: repeated, result } = {} } = replay;
      const { id, season, round } = repeated as Record<string, string>;
      const match = matches.get(id ?? "");
      expect(match?.fields).toMatchObject({ season: { id: season }, round });
      const { home, away, penalties } = (match?.fields?.score ?? {}) as Record<string, unknown>;
      expect(String(result).split(" ")[0], replay.id).toBe(`${home}:${away}`);
      expect(String(result).endsWith(" on penalties)"), replay.id).toBe(penalties !== undefined);
      expect([replay.title, replay.entityIds]).toEqual([match?.title, match?.entityIds]);
    }
  });
});
