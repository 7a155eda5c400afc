import { expect, test } from "vitest";
import { rankGroup } from "../../demo/data/standings.ts";
import { type Match, readWorldCup, type Team } from "../../demo/data/world-cup.ts";

const { matches } = readWorldCup();
const played = matches.filter(({ season }) => season === "2026");
const groups = Map.groupBy(
  played.filter(({ group }) => group !== ""),
  ({ group }) => group,
);
const knockOut = new Set(
  played
    .filter(({ round }) => round === "Round of 32")
    .flatMap(({ home, away }) => [home.code, away.code]),
);

test("the first two teams of every group of 2026 play in the next round, and the last one does not", () => {
  expect(groups.size).toBe(12);
  for (const [group, matches] of groups) {
    const codes = rankGroup(matches).map(({ team }) => team.code);
    expect(codes, group).toHaveLength(4);
    expect(
      codes.map((code) => knockOut.has(code)),
      group,
    ).toMatchObject({ 0: true, 1: true, 3: false });
  }
});

/** Four teams, and a match of two of them, such as `B-A 1:0`. */
const TEAMS = new Map(
  played
    .slice(0, 2)
    .flatMap(({ home, away }) => [home, away])
    .map((team, i) => ["ABCD"[i], team]),
);

function toMatch(text: string): Match {
  const [, home, away, ...goals] = /^(.)-(.) (\d):(\d)$/.exec(text) ?? [];
  const teams = [TEAMS.get(home), TEAMS.get(away)].map((team) => team ?? expect.fail(text));
  const [first, second] = goals.map(Number);
  return {
    ...(played[0] as Match),
    home: teams[0] as Team,
    away: teams[1] as Team,
    fullTime: { home: first ?? 0, away: second ?? 0 },
  };
}

test.each([
  ["points", "B-A 2:0 C-A 0:1 D-A 0:1 C-B 1:0 D-B 1:0 C-D 0:0", "A 6, C 4, D 4, B 3"],
  [
    "the match between them",
    "A-C 5:0 A-D 5:0 B-A 1:0 B-C 1:0 D-B 1:0 C-D 0:0",
    "B 6, A 6, D 4, C 1",
  ],
  [
    "the goal difference of all matches",
    "B-C 1:0 B-D 0:0 A-B 1:1 A-C 3:0 A-D 0:0 C-D 0:0",
    "A 5, B 5, D 3, C 1",
  ],
  [
    "the goals of all matches",
    "B-C 1:0 B-D 0:0 A-B 1:1 A-C 3:2 A-D 0:0 C-D 0:0",
    "A 5, B 5, D 3, C 1",
  ],
])("teams are ranked by %s", (_, texts, want) => {
  const standings = rankGroup((texts.match(/.-. .:./g) ?? []).map(toMatch));
  const names = new Map([...TEAMS].map(([name, team]) => [team, name]));
  expect(standings.map(({ team, points }) => `${names.get(team)} ${points}`).join(", ")).toBe(want);
});

test("a row counts won, drawn and lost matches and goals", () => {
  const rows = rankGroup(groups.get("E") ?? []).map((it) => {
    return [
      it.team.code,
      it.won,
      it.drawn,
      it.lost,
      `${it.goals.home}:${it.goals.away}`,
      it.points,
    ];
  });
  expect(rows).toEqual([
    ["GER", 2, 0, 1, "10:4", 6],
    ["CIV", 2, 0, 1, "4:2", 6],
    ["ECU", 1, 1, 1, "2:2", 4],
    ["CUW", 0, 1, 2, "1:9", 1],
  ]);
});
