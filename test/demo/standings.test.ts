import { expect, test } from "vitest";
import { rankGroup } from "../../demo/standings.ts";
import { readWorldCup } from "../../demo/world-cup.ts";

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

test("teams with equal points are ranked by the matches between them, then by all goals", () => {
  const rowsOf = (group: string) =>
    rankGroup(groups.get(group) ?? []).map(({ team, won, drawn, lost, goals, points }) => {
      return [team.code, won, drawn, lost, `${goals.home}:${goals.away}`, points];
    });
  // Germany lost to Ecuador but beat Ivory Coast, which is level on points.
  expect(rowsOf("E").slice(0, 2)).toEqual([
    ["GER", 2, 0, 1, "10:4", 6],
    ["CIV", 2, 0, 1, "4:2", 6],
  ]);
  // Brazil and Morocco drew.
  expect(rowsOf("C").slice(0, 2)).toEqual([
    ["BRA", 2, 1, 0, "7:1", 7],
    ["MAR", 2, 1, 0, "6:3", 7],
  ]);
});
