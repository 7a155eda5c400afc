import { describe, expect, test } from "vitest";
import { getUrl } from "../../harness/calls.ts";
import { send } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import type { JsonMessage } from "../methods.ts";
import { callRest } from "../studio.ts";

const COUNTRY = "x-viewer-country";
const EVENTS = "svc.cda.cms.event.v1.EventService/ListEvents";
const WORKS = "svc.cda.cms.creative_work.v1.CreativeWorkService/ListCreativeWorks";

let priority = 1_000;

const marquee = await useMarquee({ location: { countryHeader: COUNTRY } });
await createRuleset({
  geo_restrictions_disallow: { country_codes: ["DE"] },
  target: { event_ids: ["match-2026-104"] },
});
await createRuleset({
  geo_restrictions_allow: { country_codes: ["FR", "DE"] },
  filter: { filter_events: "", filter_creative_works: "content_type: highlights" },
});
await createRuleset({
  geo_restrictions_disallow: { country_codes: ["JP"] },
  filter: { filter_events: 'fields.season.id: "2018"', filter_creative_works: "" },
});

async function createRuleset(ruleset: JsonMessage) {
  priority += 1;
  const body = { project_id: "worldcup", name: "Geo", priority: String(priority), ...ruleset };
  const got = await callRest(marquee, "POST", "streaming/video_protection/v2/rulesets", body);
  expect(got.status, got.text).toBe(200);
}

const read = (procedure: string, message: JsonMessage, country?: string) =>
  send("GET", `${marquee.url}/${getUrl(procedure, message)}`, {
    token: marquee.keys.public,
    headers: country === undefined ? {} : { [COUNTRY]: country },
  });

async function list(procedure: string, message: JsonMessage, country?: string) {
  const ids: string[] = [];
  let pageToken = "";
  do {
    const got = await read(procedure, { ...message, pageToken }, country);
    expect(got.status, got.text).toBe(200);
    const items = got.json.events ?? got.json.creativeWorks ?? [];
    ids.push(...items.map((it: { id: string }) => it.id));
    pageToken = got.json.nextPageToken ?? "";
  } while (pageToken !== "");
  return ids;
}

describe("a list that leaves out what is geoblocked", () => {
  const final = { filter: "id: (match-2026-104 or match-2018-1 or match-2022-1)" };
  const cases: readonly (readonly [string | undefined, readonly string[]])[] = [
    ["DE", ["match-2018-1", "match-2022-1"]],
    ["de", ["match-2018-1", "match-2022-1"]],
    ["JP", ["match-2022-1", "match-2026-104"]],
    ["US", ["match-2018-1", "match-2022-1", "match-2026-104"]],
    [undefined, ["match-2018-1", "match-2022-1", "match-2026-104"]],
    ["not a country", ["match-2018-1", "match-2022-1", "match-2026-104"]],
  ];
  for (const [country, want] of cases) {
    test(`shows a viewer in ${country} what may be played there`, async () => {
      expect(await list(EVENTS, { ...final, excludeGeoblocked: true }, country)).toEqual(want);
      expect(await list(EVENTS, final, country)).toHaveLength(3);
    });
  }

  test("shows nobody behind an allow-list whose country is not known", async () => {
    const works = { excludeGeoblocked: true, filter: "content_type: highlights" };
    expect(await list(WORKS, works)).toEqual([]);
    expect(await list(WORKS, works, "US")).toEqual([]);
    expect((await list(WORKS, works, "FR")).length).toBeGreaterThan(40);
  });

  test("has full pages in the list's order, though whole stretches are left out", async () => {
    const message = { excludeGeoblocked: true, pageSize: 7, filter: "content_type: match" };
    const all = await list(EVENTS, { filter: "content_type: match", pageSize: 100 });
    // The demo itself sells the final of 2022 to some countries only.
    const want = all.filter((id) => !/^match-(2018|2022-64$)/.test(id));
    expect(want.length).toBeLessThan(all.length);
    expect(await list(EVENTS, message, "JP")).toEqual(want);
    // A stall of the machine may cut a page short (contract: limits 6).
    await expect.poll(async () => (await read(EVENTS, message, "JP")).json.events?.length).toBe(7);
  });

  test("has the order of a field of one's own", async () => {
    const message = {
      filter: "fields.score.home > 2",
      order: "fields.score.home desc, start_time asc",
    };
    const all = await list(EVENTS, message);
    const want = all.filter((id) => !/^match-(2018|2022-64$)/.test(id));
    expect(want.length).toBeLessThan(all.length);
    const blocked = { ...message, excludeGeoblocked: true, pageSize: 3 };
    expect(await list(EVENTS, blocked, "JP")).toEqual(want);
  });

  test("is nobody else's to keep", async () => {
    for (const country of ["DE", undefined]) {
      const got = await read(EVENTS, { excludeGeoblocked: true }, country);
      expect(got.headers.get("cache-control")).toBe("private, no-store");
    }
    expect((await read(EVENTS, {}, "DE")).headers.get("cache-control")).toContain("public");
  });
});
