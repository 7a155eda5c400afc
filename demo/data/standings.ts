import { type Match, resultOf, type Score, type Team } from "./world-cup.ts";

/** A row of a group's table. */
export interface Standing {
  readonly team: Team;
  readonly won: number;
  readonly drawn: number;
  readonly lost: number;
  /** Scored and conceded, as home and away of a score. */
  readonly goals: Score;
  readonly points: number;
}

/**
 * Ranks the teams of a group by the rules of 2026: points; then points, goal difference and goals of the matches
 * between the teams with equal points; then goal difference and goals of all matches.
 */
export function rankGroup(matches: readonly Match[]): readonly Standing[] {
  const teams = new Set(matches.flatMap(({ home, away }) => [home, away]));
  const standings = Array.from(teams, (team) => standingOf(team, matches));
  const byPoints = Map.groupBy(standings, ({ points }) => points);
  return [...byPoints]
    .sort(([a], [b]) => b - a)
    .flatMap(([, tied]) => {
      const among = new Set(tied.map(({ team }) => team));
      const direct = matches.filter(({ home, away }) => among.has(home) && among.has(away));
      const keysOf = (it: Standing) => {
        const own = standingOf(it.team, direct);
        return [own.points, ...goalsOf(own), ...goalsOf(it)];
      };
      return tied.sort((a, b) => compareKeys(keysOf(a), keysOf(b)));
    });
}

function standingOf(team: Team, matches: readonly Match[]): Standing {
  const scores = matches.flatMap((match): Score[] => {
    const { home, away } = resultOf(match);
    if (match.home === team) return [{ home, away }];
    return match.away === team ? [{ home: away, away: home }] : [];
  });
  const won = scores.filter(({ home, away }) => home > away).length;
  const drawn = scores.filter(({ home, away }) => home === away).length;
  const goals = scores.reduce(
    (sum, it) => ({ home: sum.home + it.home, away: sum.away + it.away }),
    {
      home: 0,
      away: 0,
    },
  );
  return { team, won, drawn, lost: scores.length - won - drawn, goals, points: 3 * won + drawn };
}

function goalsOf({ goals }: Standing): readonly number[] {
  return [goals.home - goals.away, goals.home];
}

/** Compares lists of numbers by the first that differs, the larger one first. */
function compareKeys(a: readonly number[], b: readonly number[]): number {
  const index = a.findIndex((value, i) => value !== b[i]);
  return index === -1 ? 0 : (b[index] ?? 0) - (a[index] ?? 0);
}
