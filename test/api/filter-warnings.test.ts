import { describe, expect, test } from "vitest";
import type { Warning } from "../../src/domain/base/warnings.ts";
import { send } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { callDelivery, type Key } from "./delivery.ts";
import type { JsonMessage } from "./methods.ts";

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

test("a filter that is added warns of variables that its page does not declare", async () => {
  const [first, match] = ["page-home", "page-match"];
  const variables =
    "content_type: {kind} and id: {id} and fields.season.id: {event.fields.season.id}";
  const create = (id: string, page: string, filter: string) => {
    const created = { project_id, name: "R", type: "rail", rail: { ...RAIL, filter } };
    const query = `page_component_id=${id}&page_id=${page}`;
    return warn("POST", `ott/page_components/v2?${query}`, created);
  };
  const field = "page_component.rail.filter";
  const code = `FILTER_VARIABLE_UNDECLARED ${field}`;
  expect(await create("fw-c", first, variables)).toEqual([code, code, code]);
  expect(await create("fw-d", match, variables)).toEqual([code]);
  const rename = { page_component_update: { name: "S" }, update_mask: "name" };
  expect(await warn("PATCH", "ott/page_components/v2/fw-d", rename)).toEqual([]);
  const rail = { ...RAIL, filter: "id: {other}" };
  const update = { page_component_update: { rail }, update_mask: "rail" };
  expect(await warn("PATCH", "ott/page_components/v2/fw-d", update)).toEqual([
    "FILTER_VARIABLE_UNDECLARED page_component_update.rail.filter",
  ]);
});

test("a filter that is added warns of fields that no item of the project has", async () => {
  const filter =
    "fields.season.id: 1 and not fields.season: * and fields.saeson.id: 1 and fields.nothing > 2";
  const created = { project_id, name: "R", type: "rail", rail: { ...RAIL, filter } };
  const query = `page_component_id=fw-e&page_id=${marquee.samples.page_id}`;
  const code = "FILTER_PATH_UNUSED page_component.rail.filter";
  expect(await warn("POST", `ott/page_components/v2?${query}`, created)).toEqual([code, code]);
  const name = { page_component_update: { name: "S" }, update_mask: "name" };
  expect(await warn("PATCH", "ott/page_components/v2/fw-e", name)).toEqual([]);
  // A release may add the field, and a webhook waits for it.
  const draft = { ...created, rail: { ...RAIL, filter: "fields.later: 1" } };
  await warn("POST", "cms/releases/v1?release_id=fw-later", { project_id, name: "R" });
  const path = `ott/page_components/v2?page_component_id=fw-f&page_id=${marquee.samples.page_id}`;
  expect(await warn("POST", `${path}&release_id=fw-later`, draft)).toEqual([]);
  const webhook = {
    project_id,
    name: "W",
    url: "https://example.com/w",
    filter: "fields.later: 1",
  };
  expect(await warn("POST", "cms/webhooks/v1?webhook_id=fw-later", webhook)).toEqual([]);
});

describe("a list that is read warns", () => {
  const LIST = "svc.cda.cms.event.v1.EventService/ListEvents";
  const COMPONENTS = "svc.cda.ott.page_component.v2.PageComponentService";
  const read = async (procedure: string, message: JsonMessage, key: Key) => {
    const got = await callDelivery(marquee, procedure, message, key);
    expect(got.status, got.text).toBe(200);
    const warnings: Warning[] = JSON.parse(got.headers.get("marquee-warnings") ?? "[]");
    return warnings.map(({ code, fields = [] }) => [code, ...fields].join(" "));
  };
  const filter = "contentType: match and release_time: *";

  test.each(["public", "preview"] as const)("of its filter, with a %s key", async (key) => {
    const code = "FILTER_FIELD_UNKNOWN filter";
    expect(await read(LIST, { filter }, key)).toEqual([code, code]);
    // Also from memory.
    expect(await read(LIST, { filter }, key)).toEqual([code, code]);
    expect(await read(LIST, { filter: "content_type: match" }, key)).toEqual([]);
    const unknown = { filter: "contentType: match", other: 1 };
    expect(await read(LIST, unknown, key)).toEqual(["FIELD_UNKNOWN other", code]);
  });

  test.each([
    ["iam/audit/v1/entries?organization_id=org-worldcup", "methd: x", 1],
    ["iam/audit/v1/entries?organization_id=org-worldcup", "method: x", 0],
    ["iam/organizations/v1?page_size=1", "nam: x", 1],
    ["cms/changes/v1?project_id=worldcup", "tim > 2026-01-01", 1],
    ["cms/changes/v1?project_id=worldcup", 'resource: "event:match-1"', 0],
    ["cms/events/v1?project_id=worldcup", "contentType: match", 1],
    ["cms/releases/v1?project_id=worldcup", "conflict_count > 0", 1],
  ])("an account of %s, %s", async (path, filter, count) => {
    const url = `${marquee.url}/${path}&filter=${encodeURIComponent(filter)}`;
    const got = await send("GET", url, { token });
    expect(got.status).toBe(200);
    const warnings: Warning[] = JSON.parse(got.headers.get("marquee-warnings") ?? "[]");
    expect(warnings.map(({ code }) => code)).toEqual(Array(count).fill("FILTER_FIELD_UNKNOWN"));
  });

  test("a preview key of the filter of a component", async () => {
    const created = {
      project_id,
      name: "R",
      type: "rail",
      rail: { type: "BASE_TYPE_EVENT", filter },
    };
    const query = `page_component_id=fw-g&page_id=${marquee.samples.page_id}`;
    await warn("POST", `ott/page_components/v2?${query}`, {
      ...created,
      visibility: "VISIBILITY_PUBLISHED",
    });
    const code = "FILTER_FIELD_UNKNOWN rail.filter";
    const OF_PAGE = /^FILTER_FIELD_UNKNOWN components\[\d+\]\.component\.rail\.filter$/;
    for (const method of ["GetPageComponent", "ListPageComponentItems"]) {
      const procedure = `${COMPONENTS}/${method}`;
      expect(await read(procedure, { id: "fw-g" }, "preview")).toEqual([code, code]);
      expect(await read(procedure, { id: "fw-g" }, "public")).toEqual([]);
    }
    const page = { id: marquee.samples.page_id };
    const procedure = "svc.cda.ott.page.v1.PageService/GetPage";
    const warned = await read(procedure, page, "preview");
    expect(warned).toEqual([expect.stringMatching(OF_PAGE), expect.stringMatching(OF_PAGE)]);
    expect(await read(procedure, page, "public")).toEqual([]);
  });
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

test("a key of the session in an additional filter is no variable of the page", async () => {
  const query = `page_component_id=fw-session&page_id=${marquee.samples.page_id}`;
  const created = (rail: object) => ({ project_id, name: "R", type: "rail", rail });
  const path = `ott/page_components/v2?${query}&validate_only=true`;
  const additional_filters = { season: "content_type: {season}" };
  expect(await warn("POST", path, created({ additional_filters }))).toEqual([]);
  expect(await warn("POST", path, created({ filter: "content_type: {season}" }))).toEqual([
    "FILTER_VARIABLE_UNDECLARED page_component.rail.filter",
  ]);
});
