import { FILE_URL, PICTURE_PATH } from "../ids.ts";
import type { PictureShape } from "./picture.ts";
import type { Match, Text } from "./world-cup.ts";

const GERMAN_ROUNDS: Readonly<Record<string, string>> = {
  Final: "Finale",
  "Match for third place": "Spiel um Platz 3",
  "Quarter-final": "Viertelfinale",
  "Round of 16": "Achtelfinale",
  "Round of 32": "Sechzehntelfinale",
  "Semi-final": "Halbfinale",
};

/** Returns the name of a season. */
export function seasonName(season: string): Text {
  return { en: `World Cup ${season}`, de: `Weltmeisterschaft ${season}` };
}

/** Returns the name of a match's round. */
export function roundName(match: Match): Text {
  const german = GERMAN_ROUNDS[match.round];
  return { en: match.round, de: german ?? `${match.round.replace("Matchday ", "")}. Spieltag` };
}

/** Returns the names of the two teams of a match. */
export function matchTitle({ home, away }: Match): Text {
  return { en: `${home.name.en} vs ${away.name.en}`, de: `${home.name.de} – ${away.name.de}` };
}

/** Repeats a text in every language, for names that are not translated. */
export function untranslated(text: string): Text {
  return { en: text, de: text };
}

/** Returns the URL of a picture, such as `match-esp-arg`. */
export function pictureUrl(id: string, shape: PictureShape = "16:9"): string {
  return `${FILE_URL}${PICTURE_PATH}?id=${id}&shape=${shape}`;
}

/** Returns the id of the picture of two teams: `match-esp-arg`. */
export function pictureOf(kind: string, { home, away }: Match): string {
  return `${kind}-${home.code}-${away.code}`.toLowerCase();
}
