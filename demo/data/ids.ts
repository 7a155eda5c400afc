import type { Match, Player, Stadium, Team } from "./world-cup.ts";

/** The only project of the other organization. */
export const ELSEWHERE = "elsewhere";

/** Returns the part shared by all ids of a match: `2026-104`. */
export function matchKey(match: Match): string {
  return `${match.season}-${match.number}`;
}

/** Returns the id of a match's event: `match-2026-104`. */
export function matchId(match: Match): string {
  return `match-${matchKey(match)}`;
}

/** Returns the id of a match's video: `video-match-2026-104`. */
export function matchVideoId(match: Match): string {
  return `video-${matchId(match)}`;
}

/** Returns the id of a match's highlights: `highlights-2026-104`. */
export function highlightsId(match: Match): string {
  return `highlights-${matchKey(match)}`;
}

/** Returns the id of the video of a match's highlights: `video-highlights-2026-104`. */
export function highlightsVideoId(match: Match): string {
  return `video-${highlightsId(match)}`;
}

/** Returns the id of a match's goal, counted from 1: `goal-2026-104-1`. */
export function goalId(match: Match, ordinal: number): string {
  return `goal-${matchKey(match)}-${ordinal}`;
}

/** Returns the id of a team's entity: `team-esp`. */
export function teamId(team: Team): string {
  return `team-${team.code.toLowerCase()}`;
}

/** Returns the id of a stadium's entity in a season: `stadium-2026-metlife-stadium`. */
export function stadiumId(stadium: Stadium): string {
  return `stadium-${stadium.season}-${stadium.key}`;
}

/** Returns the id of a player's entity, by the shirt number of 2026: `player-esp-19`. */
export function playerId(player: Player): string {
  return `${teamId(player.team).replace("team", "player")}-${player.number}`;
}
