import { WORLD_CUP } from "./ids.ts";

/** The match whose score moves: the final of 2022. */
export const LIVE_MATCH = "match-2022-64";

/** The sides that scored its goals, in their order. */
const GOALS = ["home", "home", "away", "away", "home", "away"] as const;

/** Where the writes of a live match go. */
export interface LiveMatchOptions {
  readonly studioUrl: string;
  readonly accessToken: string;
}

/** Repeats the goals of a match of the demo: each is an ordinary update of its event by the Studio API. */
export class LiveMatch {
  readonly #options: LiveMatchOptions;
  #goals = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: LiveMatchOptions) {
    this.#options = options;
  }

  /** Writes the first score, 0:0, and from then on the next one each `seconds`. */
  async start(seconds: number): Promise<void> {
    await this.next();
    this.#timer = setInterval(() => {
      // A failure is in the log of requests, such as of a deleted match. The next goal follows nevertheless.
      this.next().catch(() => {});
    }, seconds * 1_000).unref();
  }

  /** Writes the next score: 0:0, one more goal at a time up to the result, then 0:0 again. */
  async next(): Promise<void> {
    const { studioUrl, accessToken } = this.#options;
    const scored = GOALS.slice(0, this.#goals);
    this.#goals = (this.#goals + 1) % (GOALS.length + 1);
    const [home, away] = ["home", "away"].map((side) => scored.filter((it) => it === side).length);
    const response = await fetch(`${studioUrl}/cms/events/v1/${LIVE_MATCH}`, {
      method: "PATCH",
      headers: {
        authorization: `Bearer ${accessToken}`,
        "content-type": "application/json",
        "x-project-id": WORLD_CUP,
      },
      body: JSON.stringify({
        event: { fields: { score: { home, away } } },
        fields_mask: "fields.score.home,fields.score.away",
      }),
    });
    await response.body?.cancel();
  }

  /** Ends the match; its score stays. */
  close(): void {
    clearInterval(this.#timer);
  }
}
