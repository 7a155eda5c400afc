import { expect, test } from "vitest";
import { getUrl } from "../../harness/calls.ts";
import { send } from "../../harness/http.ts";
import { expectWithin, MACHINE, watchTurns } from "../../harness/turns.ts";
import { useLimitedTime } from "../../harness/unlimited-time.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { toHostileFilter } from "../hostile-filter.ts";
import { flat } from "../widest-messages.ts";

const { tokens, url, keys } = await useMarquee();
useLimitedTime();

async function call(path: string, body: object) {
  const sent = { project_id: "worldcup", ...body };
  const got = await send("POST", `${url}${path}`, { token: tokens.owner, body: sent });
  expect(got.status, got.text).toBe(200);
}

test("the rails of a preview test its drafts in short turns, though all at the same time", async () => {
  await call("/cms/releases/v1?release_id=hostile", { name: "Hostile" });
  for (let number = 0; number < 3; number += 1) {
    const event = { visibility: "VISIBILITY_PUBLISHED", fields: flat(4_800, number) };
    await call(`/cms/events/v1?event_id=hostile-${number}&release_id=hostile`, event);
  }
  await call("/ott/pages/v1?page_id=hostile", { slug: "hostile" });
  for (let number = 0; number < 30; number += 1) {
    const rail = { type: "BASE_TYPE_EVENT", filter: toHostileFilter(number) };
    await call("/ott/page_components/v2?page_id=hostile", { type: "rail", rail });
  }
  const message = { slug: "hostile", includeItems: true };
  const path = getUrl("svc.cda.ott.page.v1.PageService/GetPage", message);
  const { longest } = await watchTurns(async () => {
    const headers = { "x-release-id": "hostile" };
    const got = await send("GET", `${url}/${path}`, { token: keys.preview, headers });
    expect(got.json.components).toHaveLength(30);
  });
  // The first test of every rail in one turn would take 60 ms on a machine of 2025.
  expectWithin(longest, 10 * MACHINE);
}, 60_000);
