/**
 * Turns the World Cup data of openfootball (public domain) into the tables in this folder. Run it by hand when the
 * source changes, with the folder that contains `2018`, `2022` and `2026`:
 *
 *     node demo/facts/convert.ts FOLDER
 *
 * Missing or inconsistent facts are in `source-gaps.ts`. A kick-off without a time zone is in Qatar's (UTC+3). Matches
 * without a number are numbered by kick-off. The half-time score is derived from the goals, because the source is wrong
 * for some matches. A goal after minute 90 of a match without extra time was scored in added time.
 *
 * @module
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  EARLIER_TEAMS,
  GERMAN_NAMES,
  GROUNDS,
  ROUNDS,
  SCORERS,
  type SourceTeam,
  SQUAD_NAMES,
} from "./source-gaps.ts";
import { type ColumnOf, formatTable, type Row, type TableName } from "./tables.ts";

type Pair = readonly [number, number];

interface SourceGoal {
  readonly name: string;
  readonly minute: number | string;
  readonly offset?: number;
  readonly penalty?: boolean;
  readonly owngoal?: boolean;
}

interface SourceMatch {
  readonly round: string;
  readonly num?: number;
  readonly date: string;
  readonly time: string;
  readonly team1: string;
  readonly team2: string;
  readonly score: { readonly ft: Pair; readonly et?: Pair; readonly p?: Pair };
  readonly goals1?: readonly SourceGoal[];
  readonly goals2?: readonly SourceGoal[];
  readonly group?: string;
  readonly ground: string;
}

interface SourceStadium {
  readonly name: string;
  readonly city: string;
  readonly cc?: string;
  readonly capacity: number;
}

interface SourceSquad {
  readonly name: string;
  readonly players: readonly {
    readonly number: number;
    readonly pos: string;
    readonly name: string;
    readonly date_of_birth: string;
    readonly club: { readonly name: string; readonly country: string };
  }[];
}

type Rows<Name extends TableName> = Row<ColumnOf<Name>>[];

const SEASONS = ["2018", "2022", "2026"];
const HOSTS: Readonly<Record<string, string>> = { "2018": "RU", "2022": "QA" };

const source = process.argv[2];
if (source === undefined) throw new Error("usage: convert.ts <folder of the source>");

const sourceTeams = [...readSource<SourceTeam[]>("2026/worldcup.teams.json"), ...EARLIER_TEAMS];
const codes = new Map(sourceTeams.map((team) => [team.name, team.fifa_code]));
const stadiums: Rows<"stadiums"> = [];
const players = toPlayers(readSource("2026/worldcup.squads.json"));
const numbers = new Map(players.map((row) => [`${row.team} ${fold(row.name)}`, row.number]));
const matches: Rows<"matches"> = [];
const goals: Rows<"goals"> = [];
for (const season of SEASONS) addSeason(season);

write("teams", sourceTeams.map(toTeam));
write("stadiums", stadiums);
write("players", players);
write("matches", matches);
write("goals", goals);

function readSource<T>(path: string): T {
  return JSON.parse(readFileSync(join(source ?? "", path), "utf8")) as T;
}

function write<Name extends TableName>(name: Name, rows: Rows<Name>): void {
  writeFileSync(new URL(`${name}.tsv`, import.meta.url), formatTable(name, rows));
}

function toTeam(team: SourceTeam): Row<ColumnOf<"teams">> {
  return {
    code: team.fifa_code,
    name: team.name,
    german: GERMAN_NAMES[team.fifa_code] ?? team.name,
    flag: team.flag_icon,
    confederation: team.confed,
    continent: team.continent,
    group: team.group,
  };
}

function toPlayers(squads: readonly SourceSquad[]): Rows<"players"> {
  return squads.flatMap((squad) =>
    squad.players.map((player) => ({
      team: codeOf(SQUAD_NAMES[squad.name] ?? squad.name),
      number: String(player.number),
      position: player.pos,
      name: player.name,
      born: player.date_of_birth,
      club: player.club.name,
      club_country: player.club.country,
    })),
  );
}

function addSeason(season: string): void {
  const { matches: found } = readSource<{ matches: SourceMatch[] }>(`${season}/worldcup.json`);
  const grounds = addStadiums(season, found);
  const inOrder = found.map((match) => ({ match, kickOff: toKickOff(match) }));
  inOrder.sort((a, b) => (a.match.num ?? 0) - (b.match.num ?? 0) || a.kickOff - b.kickOff);
  for (const [index, { match, kickOff }] of inOrder.entries()) {
    const number = String(match.num ?? index + 1);
    const scored = [
      ...toGoals(season, number, match, "home"),
      ...toGoals(season, number, match, "away"),
    ];
    scored.sort((a, b) => minuteOrder(a.minute) - minuteOrder(b.minute));
    goals.push(...scored);
    const early = scored.filter((goal) => Number.parseInt(goal.minute, 10) <= 45);
    matches.push({
      season,
      number,
      kick_off: new Date(kickOff).toISOString().replace(".000Z", "Z"),
      round: ROUNDS[match.round] ?? match.round,
      group: match.group?.replace("Group ", "") ?? "",
      home: codeOf(match.team1),
      away: codeOf(match.team2),
      stadium: grounds.get(match.ground) ?? "",
      half_time: ["home", "away"].map((s) => early.filter((g) => g.side === s).length).join("-"),
      full_time: match.score.ft.join("-"),
      extra_time: match.score.et?.join("-") ?? "",
      penalties: match.score.p?.join("-") ?? "",
    });
  }
}

/** Adds the stadiums of a season and returns the key of each ground's stadium. */
function addStadiums(season: string, found: readonly SourceMatch[]): Map<string, string> {
  const described =
    season === "2018"
      ? []
      : readSource<{ stadiums: SourceStadium[] }>(`${season}/worldcup.stadiums.json`).stadiums;
  const keys = new Map<string, string>();
  for (const ground of new Set(found.map((match) => match.ground))) {
    const [first = "", city = first] = (GROUNDS[ground] ?? ground).split(", ");
    const stadium = described.find((one) => one.name === first || one.city === first);
    const name = stadium?.name ?? first;
    const key = fold(name)
      .replace(/['’]/g, "")
      .replace(/[^a-z0-9]+/g, "-");
    keys.set(ground, key);
    if (stadiums.some((row) => row.season === season && row.key === key)) continue;
    const country = stadium?.cc?.toUpperCase() ?? HOSTS[season] ?? "";
    const capacity = stadium === undefined ? "" : String(stadium.capacity);
    stadiums.push({ season, key, name, city, country, capacity });
  }
  return keys;
}

function toGoals(
  season: string,
  match: string,
  found: SourceMatch,
  side: "home" | "away",
): Rows<"goals"> {
  const [credited, list] =
    side === "home" ? [found.team1, found.goals1] : [found.team2, found.goals2];
  const opponent = side === "home" ? found.team2 : found.team1;
  return (list ?? []).map((goal) => {
    const team = codeOf(goal.owngoal === true ? opponent : credited);
    return {
      season,
      match,
      side,
      minute: toMinute(goal, found.score.et !== undefined),
      kind: goal.owngoal === true ? "own" : goal.penalty === true ? "penalty" : "",
      scorer: goal.name,
      scorer_team: team,
      scorer_number: numbers.get(`${team} ${fold(SCORERS[goal.name] ?? goal.name)}`) ?? "",
    };
  });
}

function toMinute(goal: SourceGoal, extraTime: boolean): string {
  const [minute = "", added] = String(goal.minute).split("+");
  const over = Number(minute) - 90;
  if (over > 0 && !extraTime) return `90+${over}`;
  const offset = added ?? goal.offset;
  return offset === undefined ? minute : `${minute}+${offset}`;
}

function minuteOrder(minute: string): number {
  const [base = 0, added = 0] = minute.split("+").map(Number);
  return base + added / 100;
}

function toKickOff(match: SourceMatch): number {
  const [time, zone = "UTC+3"] = match.time.split(" ");
  const hours = Number(zone.replace("UTC", ""));
  return Date.parse(`${match.date}T${time}Z`) - hours * 3_600_000;
}

function codeOf(name: string): string {
  const code = codes.get(name);
  if (code === undefined) throw new Error(`no code for the team ${name}`);
  return code;
}

/** Normalizes a name for comparisons and keys: without case and diacritics. */
function fold(name: string): string {
  return name.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}
