import { type ColumnOf, type Row, readTable } from "./facts/tables.ts";

/** A text in the languages of the demo. */
export type Text = { readonly en: string; readonly de: string };

/** A national team. */
export interface Team {
  /** The three-letter code. */
  readonly code: string;
  readonly name: Text;
  /** An emoji. */
  readonly flag: string;
  readonly confederation: string;
  readonly continent: string;
  /** The letter of its group in 2026; empty if it did not play. */
  readonly group: string;
}

/** A stadium in one season. */
export interface Stadium {
  readonly season: string;
  readonly key: string;
  readonly name: string;
  readonly city: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  /** Absent: not known. */
  readonly capacity?: number;
}

/** A member of a squad of 2026. */
export interface Player {
  readonly team: Team;
  readonly number: number;
  /** GK, DF, MF or FW. */
  readonly position: string;
  readonly name: string;
  /** A date, `2007-07-13`. */
  readonly born: string;
  readonly club: { readonly name: string; readonly country: string };
}

/** The goals of both sides at some moment of a match. */
export type Score = { readonly home: number; readonly away: number };

/** A goal, in the order of its match. */
export interface Goal {
  /** The team that it counts for. */
  readonly team: Team;
  /** `45+2` is the second minute of the time added to the first half. */
  readonly minute: string;
  readonly kind: "play" | "penalty" | "own";
  readonly scorer: string;
  /** The scorer, if in a squad of 2026; for an own goal one of the opponents. */
  readonly player?: Player;
}

/** A match with its outcome. */
export interface Match {
  /** The year. */
  readonly season: string;
  /** Counted from 1 within the season; the final is the last. */
  readonly number: number;
  /** Milliseconds since 1970, UTC. */
  readonly kickOff: number;
  readonly round: string;
  /** The letter of the group; empty in the knock-out stage. */
  readonly group: string;
  readonly home: Team;
  readonly away: Team;
  readonly stadium: Stadium;
  readonly halfTime: Score;
  /** After 90 minutes. */
  readonly fullTime: Score;
  /** After 120 minutes, if extra time was played. */
  readonly extraTime?: Score;
  /** The shoot-out alone. */
  readonly penalties?: Score;
  readonly goals: readonly Goal[];
}

/** The World Cups of 2018, 2022 and 2026. */
export interface WorldCup {
  readonly teams: readonly Team[];
  readonly stadiums: readonly Stadium[];
  readonly players: readonly Player[];
  /** By season, then number. */
  readonly matches: readonly Match[];
}

/** Reads the tables of facts and joins them. */
export function readWorldCup(): WorldCup {
  const teams = new Map(readTable("teams").map((row) => [row.code, toTeam(row)]));
  const stadiums = new Map(
    readTable("stadiums").map((row) => [`${row.season} ${row.key}`, toStadium(row)]),
  );
  const players = new Map(
    readTable("players").map((row) => [
      `${row.team} ${row.number}`,
      toPlayer(row, pick(teams, row.team)),
    ]),
  );
  const goals = Map.groupBy(readTable("goals"), (row) => `${row.season} ${row.match}`);
  const matches = readTable("matches").map((row): Match => {
    const home = pick(teams, row.home);
    const away = pick(teams, row.away);
    const scored = goals.get(`${row.season} ${row.number}`) ?? [];
    return {
      season: row.season,
      number: Number(row.number),
      kickOff: Date.parse(row.kick_off),
      round: row.round,
      group: row.group,
      home,
      away,
      stadium: pick(stadiums, `${row.season} ${row.stadium}`),
      halfTime: toScore(row.half_time),
      fullTime: toScore(row.full_time),
      ...(row.extra_time !== "" && { extraTime: toScore(row.extra_time) }),
      ...(row.penalties !== "" && { penalties: toScore(row.penalties) }),
      goals: scored.map((goal) =>
        toGoal(
          goal,
          goal.side === "home" ? home : away,
          players.get(`${goal.scorer_team} ${goal.scorer_number}`),
        ),
      ),
    };
  });
  return {
    teams: [...teams.values()],
    stadiums: [...stadiums.values()],
    players: [...players.values()],
    matches,
  };
}

/** Returns the result without the shoot-out. */
export function resultOf(match: Match): Score {
  return match.extraTime ?? match.fullTime;
}

/** Returns the winner, by the shoot-out if there was one; undefined after a draw. */
export function winnerOf(match: Match): Team | undefined {
  const { home, away } = match.penalties ?? resultOf(match);
  if (home === away) return undefined;
  return home > away ? match.home : match.away;
}

function toTeam(row: Row<ColumnOf<"teams">>): Team {
  const { code, name, german, flag, confederation, continent, group } = row;
  return { code, name: { en: name, de: german }, flag, confederation, continent, group };
}

function toStadium(row: Row<ColumnOf<"stadiums">>): Stadium {
  const { season, key, name, city, country, capacity } = row;
  const known = capacity === "" ? {} : { capacity: Number(capacity) };
  return { season, key, name, city, country, ...known };
}

function toPlayer(row: Row<ColumnOf<"players">>, team: Team): Player {
  const { position, name, born, club, club_country: country } = row;
  return { team, number: Number(row.number), position, name, born, club: { name: club, country } };
}

function toGoal(row: Row<ColumnOf<"goals">>, team: Team, player: Player | undefined): Goal {
  return {
    team,
    minute: row.minute,
    kind: row.kind === "own" || row.kind === "penalty" ? row.kind : "play",
    scorer: row.scorer,
    ...(player !== undefined && { player }),
  };
}

function toScore(text: string): Score {
  const [home = 0, away = 0] = text.split("-").map(Number);
  return { home, away };
}

function pick<T>(records: ReadonlyMap<string, T>, key: string): T {
  const record = records.get(key);
  if (record === undefined) throw new Error(`the facts name an unknown ${key}`);
  return record;
}
