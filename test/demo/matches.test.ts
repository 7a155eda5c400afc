import { timestampDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { createDemoDataset } from "../../demo/dataset.ts";
import { Visibility } from "../../gen/svc/type/v1/visibility_pb.ts";

const { events } = createDemoDataset();
const matches = events.filter((it) => it.projectId === "worldcup" && it.contentType === "match");

function get(id: string) {
  const event = events.find((it) => it.id === id);
  if (event?.startTime === undefined || event.endTime === undefined) throw new Error(`no ${id}`);
  return {
    event,
    fields: event.fields ?? {},
    start: timestampDate(event.startTime).toISOString(),
    minutes: Number(event.endTime.seconds - event.startTime.seconds) / 60,
  };
}

describe("matches", () => {
  test.each([
    ["2018", 64],
    ["2022", 64],
    ["2026", 104],
  ])("of %s are %i", (season, want) => {
    const got = matches.filter((match) => match.id.startsWith(`match-${season}-`));
    expect(got).toHaveLength(want);
    expect(got.every((match) => match.visibility === Visibility.PUBLISHED)).toBe(true);
  });

  test("of a season are numbered by kick-off up to the final", () => {
    for (const season of ["2018", "2022"]) {
      const starts = Array.from({ length: 64 }, (_, i) => get(`match-${season}-${i + 1}`).start);
      expect(starts).toEqual(starts.toSorted());
      expect(get(`match-${season}-64`).fields.round).toBe("Final");
    }
  });

  test("hold the final of 2026", () => {
    const { event, fields, start, minutes } = get("match-2026-104");
    expect(event.title).toEqual({ en: "Spain vs Argentina", de: "Spanien – Argentinien" });
    expect(start).toBe("2026-07-19T19:00:00.000Z");
    expect(minutes).toBe(165);
    expect(event.entityIds).toEqual(["team-esp", "team-arg", "stadium-2026-metlife-stadium"]);
    expect(event.videoIds).toEqual(["video-match-2026-104"]);
    expect(fields).toMatchObject({
      season: { id: "2026", name: "World Cup 2026" },
      round: "Final",
      stage: "knockout",
      home: { id: "team-esp", name: "Spain", code: "ESP", flag: "🇪🇸" },
      score: {
        home: 1,
        away: 0,
        half_time: { home: 0, away: 0 },
        full_time: { home: 0, away: 0 },
        extra_time: { home: 1, away: 0 },
      },
      winner: "team-esp",
    });
    expect(fields).not.toHaveProperty("group");
    expect(fields).not.toHaveProperty("score.penalties");
  });

  test("hold the final of 2022, decided by penalties after a kick-off in Qatar's zone", () => {
    const { fields, start, minutes } = get("match-2022-64");
    expect(start).toBe("2022-12-18T15:00:00.000Z");
    expect(minutes).toBe(180);
    expect(fields.score).toEqual({
      home: 3,
      away: 3,
      half_time: { home: 2, away: 0 },
      full_time: { home: 2, away: 2 },
      extra_time: { home: 3, away: 3 },
      penalties: { home: 4, away: 2 },
    });
    expect(fields.winner).toBe("team-arg");
  });

  test("hold the opening match of 2018", () => {
    const { fields, start, minutes } = get("match-2018-1");
    expect(start).toBe("2018-06-14T15:00:00.000Z");
    expect(minutes).toBe(120);
    expect(fields).toMatchObject({ group: "A", stage: "group", winner: "team-rus" });
    expect(fields.score).toMatchObject({ home: 5, away: 0, half_time: { home: 2, away: 0 } });
  });

  test("have no winner after a draw, and always one in the knock-out stage", () => {
    const drawn = matches.filter((match) => match.fields?.winner === null);
    expect(drawn.length).toBeGreaterThan(0);
    expect(drawn.every((match) => match.fields?.stage === "group")).toBe(true);
  });
});

describe("unpublished events", () => {
  test("are one of each other visibility", () => {
    const got = events.filter((it) => it.visibility !== Visibility.PUBLISHED);
    expect(got.map((it) => it.visibility).toSorted()).toEqual([
      Visibility.UNSPECIFIED,
      Visibility.UNLISTED,
      Visibility.HIDDEN,
    ]);
  });
});
