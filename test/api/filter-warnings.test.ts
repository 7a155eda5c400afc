import { expect, test } from "vitest";
import { send } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";

const marquee = await useMarquee();
const { owner: token } = marquee.tokens;

const warn = async (method: string, path: string, body: object) => {
  const got = await send(method, `${marquee.url}/${path}`, { token, body: JSON.stringify(body) });
  expect([got.status, got.json]).toMatchObject([200, {}]);
  const warnings = JSON.parse(got.headers.get("marquee-warnings") ?? "[]") as {
    readonly code: string;
    readonly fields?: readonly string[];
  }[];
  return warnings.map(({ code, fields = [] }) => [code, ...fields].join(" "));
};

const { rail_id: rail } = marquee.samples;
const project_id = "worldcup";
const RAIL = { title: { en: "R" }, filter: "contentType: film" };

test("a component warns of its filter when it is created and updated, also in a release", async () => {
  const path = "ott/page_components/v2";
  const created = { project_id, name: "R", type: "rail", rail: RAIL };
  const query = `page_component_id=fw-a&page_id=${marquee.samples.page_id}`;
  expect(await warn("POST", `${path}?${query}`, created)).toEqual([
    "FILTER_FIELD_UNKNOWN page_component.rail.filter",
  ]);
  await warn("POST", "cms/releases/v1?release_id=fw", { project_id, name: "R" });
  for (const draft of ["", "?release_id=fw"]) {
    const update = { page_component_update: { rail: RAIL }, update_mask: "rail" };
    expect(await warn("PATCH", `${path}/${rail}${draft}`, update)).toContain(
      "FILTER_FIELD_UNKNOWN page_component_update.rail.filter",
    );
  }
});

test("a webhook warns of its filter, and a good filter has no warning", async () => {
  const webhook = { project_id, name: "W", url: "https://example.com/hook", filter: "title: x" };
  const path = "cms/webhooks/v1";
  expect(await warn("POST", `${path}?webhook_id=fw`, webhook)).toEqual([
    "FILTER_LANGUAGE_MISSING webhook.filter",
  ]);
  const better = { webhook: { filter: "title.en: x" }, update_mask: "filter" };
  expect(await warn("PATCH", `${path}/fw`, better)).toEqual([]);
});

test("a ruleset warns of its filters, and of what else is probably wrong with it", async () => {
  const filter = { filter_events: "content_type = match", filter_creative_works: "" };
  const ruleset = { project_id, name: "F", priority: 1, filter };
  const warnings = await warn(
    "POST",
    "streaming/video_protection/v2/rulesets?ruleset_id=fw",
    ruleset,
  );
  expect(warnings).toContain("FILTER_OPERATOR video_protection_ruleset.filter.filter_events");
  expect(warnings).toContain("FILTER_MATCHES_NOTHING");
});

test("records warn of their filters", async () => {
  const page_component = { id: "fw-b", name: "R", type: "rail", rail: RAIL };
  const record = { page_component: { page_id: marquee.samples.page_id, page_component } };
  expect(await warn("POST", "cms/records/v1:write", { project_id, records: [record] })).toEqual([
    "FILTER_FIELD_UNKNOWN records[0].page_component.page_component.rail.filter",
  ]);
});
