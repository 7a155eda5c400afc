import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import { idsOf } from "../api/delivery.ts";
import { getUrl, PROCEDURES } from "../harness/calls.ts";
import { send } from "../harness/http.ts";
import type { Marquee } from "../harness/marquee.ts";

const SECOND = 1_000;

/** The number of items of each of two lists, which a page holds. */
const ITEMS = 100;

/** The times of the boundaries, from now on. */
const TIMES = { first: SECOND, last: 6 * SECOND };

/** The readers at a time, and their pauses between two reads. */
const [READERS, PAUSE_MS] = [4, 20];

/**
 * Lets 200 events begin and end at different times, and reads their lists through a cache until all have. No response may
 * show an event more than `limit` milliseconds outside of its window, or lack one for a second more. The time of the slowest
 * read comes on top, because a cache keeps a response from its arrival.
 */
export async function readThroughBoundaries(
  marquee: Marquee,
  url: string,
  limit = SECOND,
): Promise<void> {
  const now = Date.now();
  const at = (index: number) =>
    now + TIMES.first + Math.floor((index / ITEMS) * (TIMES.last - TIMES.first));
  const lists = (["start_time", "end_time"] as const).map((bound) => ({
    bound,
    type: `at-${bound}`,
  }));
  for (const { bound, type } of lists) {
    const records = Array.from({ length: ITEMS }, (_, index) => ({
      event: {
        ...{ id: `${type}-${index}`, content_type: type, visibility: "VISIBILITY_PUBLISHED" },
        availability: { [bound]: new Date(at(index)).toISOString() },
      },
    }));
    const got = await send("POST", `${marquee.url}/cms/records/v1:write`, {
      ...{ token: marquee.tokens.owner, body: { project_id: "worldcup", records } },
    });
    expect(got.status, got.text).toBe(200);
  }
  /** The longest times that events were shown outside of their windows, that they were absent, and of a read. */
  const longest = { outside: 0, absent: 0, read: 0 };
  let reads = 0;
  const read = async () => {
    while (Date.now() < now + TIMES.last + 2 * SECOND) {
      for (const { bound, type } of lists) {
        const path = getUrl(
          PROCEDURES.listEvents,
          { filter: `content_type: ${type}`, pageSize: ITEMS },
          `&key=${marquee.keys.public}`,
        );
        const sent = Date.now();
        const got = await send("GET", url + path);
        const received = Date.now();
        expect(got.status, got.text).toBe(200);
        const shown = new Set(idsOf(got, "events"));
        reads += 1;
        longest.read = Math.max(longest.read, received - sent);
        for (let index = 0; index < ITEMS; index += 1) {
          const isShown = shown.has(`${type}-${index}`);
          const [early, late] = [at(index) - received, sent - at(index)];
          const wrong = isShown === (bound === "start_time") ? early : late;
          const kind = isShown ? "outside" : "absent";
          longest[kind] = Math.max(longest[kind], wrong);
        }
      }
      await pause(PAUSE_MS);
    }
  };
  await Promise.all(Array.from({ length: READERS }, read));
  expect(longest.outside).toBeLessThanOrEqual(limit + longest.read);
  expect(longest.absent).toBeLessThanOrEqual(limit + SECOND + longest.read);
  expect(reads).toBeGreaterThan(100);
}
