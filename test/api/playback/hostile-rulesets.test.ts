import { beforeAll, expect, test } from "vitest";
import { type HttpResponse, send } from "../../harness/http.ts";
import { expectWithin, MACHINE, watchTurns } from "../../harness/turns.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { callDelivery } from "../delivery.ts";
import { toHostileFilter } from "../hostile-filter.ts";
import { flat } from "../widest-messages.ts";

const marquee = await useMarquee();
const { tokens, url } = marquee;

/** On a machine of 2025, a filter takes 2 ms for one of the largest events, so each of them takes 60 ms. */
const RULESETS = 15;
const EVENTS = 4;
const LONGEST = 12 * MACHINE;

/** With the hostile ones, a thousand. */
const MANY = 1_000 - RULESETS;
const BATCH = 97;

async function call(path: string, body: object) {
  const got = await send("POST", `${url}${path}`, { token: tokens.owner, body });
  expect(got.status, got.text).toBe(200);
}

beforeAll(async () => {
  const inProject = { project_id: "worldcup" };
  const video = {
    ...inProject,
    name: "Video",
    playlist_url: "https://a.example/hostile/main.m3u8",
  };
  await call("/streaming/videos/v1?video_id=hostile", video);
  const records = Array.from({ length: EVENTS }, (_, number) => ({
    event: {
      ...{ id: `hostile-${number}`, visibility: "VISIBILITY_PUBLISHED" },
      ...{ video_ids: ["hostile", "other"], fields: flat(4_800, number) },
    },
  }));
  await call("/cms/records/v1:write", { ...inProject, records });
  for (let number = 0; number < RULESETS; number += 1) {
    await call(`/streaming/video_protection/v2/rulesets?ruleset_id=hostile-${number}`, {
      ...{ ...inProject, name: "Hostile", filter: { filter_events: toHostileFilter() } },
      geo_restrictions_allow: { country_codes: ["AT"] },
    });
  }
}, 60_000);

/** Reads something, and holds how long others wait for it at most. */
async function read(run: () => Promise<HttpResponse>): Promise<HttpResponse> {
  let got: HttpResponse | undefined;
  const { longest } = await watchTurns(async () => {
    got = await run();
  });
  expectWithin(longest, LONGEST);
  return got as HttpResponse;
}

test("many filters of rulesets decide on playback in short turns", async () => {
  const method = "svc.cda.streaming.playback.v1.PlaybackService/AuthorizePlayback";
  const message = { videoId: "hostile", sessionId: "session" };
  const got = await read(() => callDelivery(marquee, method, message, "public", "POST"));
  expect(got.status, got.text).toBe(200);
});

test("and exclude geoblocked items of lists in short turns, however many videos they have", async () => {
  const method = "svc.cda.cms.event.v1.EventService/ListEvents";
  const message = { filter: "id: hostile-*", excludeGeoblocked: true };
  const got = await read(() => callDelivery(marquee, method, message));
  expect(got.json.events.length).toBeGreaterThan(0);
});

test("a thousand filters are prepared in short turns after each change", async () => {
  await call("/streaming/videos/v1?video_id=alone", {
    ...{ project_id: "worldcup", name: "Video", playlist_url: "https://a.example/alone/main.m3u8" },
  });
  const names = Array.from({ length: MANY }, (_, number) => `prepared-${number}`);
  for (let from = 0; from < MANY; from += BATCH) {
    const records = names.slice(from, from + BATCH).map((id) => ({
      ruleset: {
        ...{ id, name: "Prepared", filter: { filter_events: toHostileFilter() } },
        geo_restrictions_allow: { country_codes: ["AT"] },
      },
    }));
    await call("/cms/records/v1:write", { project_id: "worldcup", records });
  }
  const method = "svc.cda.streaming.playback.v1.PlaybackService/AuthorizePlayback";
  const message = { videoId: "alone", sessionId: "session" };
  const got = await read(() => callDelivery(marquee, method, message, "public", "POST"));
  expect(got.status, got.text).toBe(200);
});
