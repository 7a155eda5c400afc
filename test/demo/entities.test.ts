import { describe, expect, test } from "vitest";
import { createDemoDataset } from "../../demo/dataset.ts";

const { entities, creativeWorks, events } = createDemoDataset();
const own = entities.filter((entity) => entity.projectId === "worldcup");

function ofKind(contentType: string) {
  return own.filter((entity) => entity.contentType === contentType);
}

describe("teams", () => {
  test("of 2026 are 48, in twelve groups of four", () => {
    const teams = ofKind("team").filter((team) => team.fields?.group !== undefined);
    expect(teams).toHaveLength(48);
    const groups = Map.groupBy(teams, (team) => team.fields?.group);
    expect(groups.size).toBe(12);
    expect([...groups.values()].every((group) => group.length === 4)).toBe(true);
  });

  test.each([
    ["2018", 32],
    ["2022", 32],
    ["2026", 48],
  ])("that know that they played in %s are %i", (season, want) => {
    const got = ofKind("team").filter((team) => {
      const seasons = team.fields?.season_ids;
      return Array.isArray(seasons) && seasons.includes(season);
    });
    expect(got).toHaveLength(want);
  });

  test("all have a code of three letters, a flag and a confederation", () => {
    for (const { id, fields } of ofKind("team")) {
      expect(fields?.code, id).toMatch(/^[A-Z]{3}$/);
      expect(fields?.flag, id).toMatch(/^\p{Emoji}/u);
      expect(fields?.confederation, id).toMatch(/^[A-Z]+$/);
    }
  });
});

describe("players", () => {
  test("are 26 of each of the 48 teams", () => {
    const squads = Map.groupBy(ofKind("player"), (player) => player.id.replace(/-\d+$/, ""));
    expect(squads.size).toBe(48);
    expect([...squads.values()].every((squad) => squad.length === 26)).toBe(true);
    expect(ofKind("player")).toHaveLength(1248);
  });

  test("hold the number, position, birth and club", () => {
    const player = own.find((entity) => entity.id === "player-esp-7");
    expect(player?.title.en).toBe("Ferran Torres");
    expect(player?.fields).toMatchObject({
      number: 7,
      position: "FW",
      date_of_birth: "2000-02-29",
      team: { id: "team-esp", code: "ESP" },
      season: { id: "2026" },
    });
  });
});

test("stadiums are 12, 8 and 16, each with a city and a country", () => {
  const got = ["2018", "2022", "2026"].map(
    (season) => ofKind("stadium").filter((it) => it.id.startsWith(`stadium-${season}-`)).length,
  );
  expect(got).toEqual([12, 8, 16]);
  for (const { id, fields } of ofKind("stadium")) {
    expect(fields?.city, id).toMatch(/\S/);
    expect(fields?.country, id).toMatch(/^[A-Z]{2}$/);
  }
});

test("highlights exist for every match of the knock-out stage", () => {
  const knockout = events.filter((event) => event.fields?.stage === "knockout");
  expect(knockout).toHaveLength(16 + 16 + 32);
  const got = creativeWorks.map((work) => work.fields?.event_id);
  expect(got).toEqual(expect.arrayContaining(knockout.map((event) => event.id)));
});
