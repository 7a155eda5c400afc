import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { BaseType, RailSchema } from "../../../gen/svc/studio/ott/page_component/v2/rail_pb.ts";
import { ContentFilterSchema } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { PROCEDURES } from "../../harness/calls.ts";
import { metadataOf, reasonOf } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { callDelivery } from "../delivery.ts";
import { componentsOf, droppedOf, getComponent, getPage, patchComponent } from "../pages/pages.ts";
import { callRest } from "../studio.ts";

const marquee = await useMarquee();

async function list(path: string, filter: string) {
  const query = `project_id=worldcup&page_size=1000&filter=${encodeURIComponent(filter)}`;
  const { status, json } = await callRest(marquee, "GET", `${path.slice(1)}?${query}`);
  return { status, ids: Object.values(json)[0] as readonly { id: string }[], json };
}

describe("a filter of a list of the Studio API sees what the list returns", () => {
  const cases: readonly (readonly [string, string, string, unknown])[] = [
    ["an enum's zero value", "/ott/pages/v1", "object: PAGE_OBJECT_UNSPECIFIED", "home"],
    ["an empty text", "/annotations/annotations/v1", 'source_id: ""', ""],
    ["the number 0", "/monetization/offers/v1", "max_streams: 0", 0],
  ];
  for (const [what, path, filter, want] of cases) {
    test(what, async () => {
      const [field = ""] = filter.split(":");
      const { status, ids, json } = await list(path, filter);
      expect(status).toBe(200);
      expect(ids.length).toBeGreaterThan(0);
      const all = await list(path, "");
      expect(ids.length).toBeLessThanOrEqual(all.ids.length);
      if (field === "object") expect(JSON.stringify(json)).toContain(`"${want}"`);
      else for (const it of ids) expect(Reflect.get(it, field)).toBe(want);
    });
  }

  test("what has another value is left out", async () => {
    const { ids } = await list("/ott/pages/v1", "object: PAGE_OBJECT_EVENT");
    expect(ids.length).toBeGreaterThan(0);
    for (const it of ids) expect(it).toMatchObject({ object: "PAGE_OBJECT_EVENT" });
  });
});

describe("a bound that only looks like date math", () => {
  const studio = (method: string, path: string, body: object) =>
    callRest(marquee, method, path.slice(1), body);
  const inProject = { project_id: "worldcup", name: "n" };
  const doors: readonly (readonly [string, (filter: string) => ReturnType<typeof callRest>])[] = [
    [
      "a list of delivery",
      (filter) => callDelivery(marquee, PROCEDURES.listEvents.slice(1), { filter }),
    ],
    [
      "a list of studio",
      (filter) => {
        const query = `project_id=worldcup&filter=${encodeURIComponent(filter)}`;
        return callRest(marquee, "GET", `cms/events/v1?${query}`);
      },
    ],
    [
      "a ruleset",
      (filter_events) =>
        studio("POST", "/streaming/video_protection/v2/rulesets", {
          ...inProject,
          filter: { filter_events },
        }),
    ],
    [
      "a webhook",
      (filter) =>
        studio("POST", "/cms/webhooks/v1", { ...inProject, url: "https://hook.example/", filter }),
    ],
    [
      "a component",
      (filter) => patchComponent(marquee, RAIL, { rail: { ...rail(), filter } }, "rail"),
    ],
    [
      "an additional filter",
      (since) =>
        patchComponent(
          marquee,
          RAIL,
          { rail: { ...rail(), additional_filters: { since } } },
          "rail",
        ),
    ],
  ];
  for (const [what, sendFilter] of doors) {
    test(`is rejected with its column in ${what}, and a known one is not`, async () => {
      for (const bound of ["now-1y", "now/w", "NOW"]) {
        const got = await sendFilter(`not start_time >= ${bound}`);
        expect([got.status, reasonOf(got)], got.text).toEqual([400, "KQL_SYNTAX"]);
        expect(metadataOf(got)).toMatchObject({ column: "19" });
      }
      const got = await sendFilter("start_time >= now-52w/d");
      expect(got.status, got.text).toBe(200);
    });
  }

  test("drops the clause that a viewer's session makes one of", async () => {
    const additional_filters = { since: "start_time >= {since}" };
    await patchComponent(marquee, RAIL, { rail: { ...rail(), additional_filters } }, "rail");
    const filterFor = async (since: string) =>
      (await getComponent(marquee, { id: RAIL, session: { since } })).json.component.filter;
    expect(await filterFor("now-1w")).toBe('content_type: match AND start_time >= "now-1w"');
    expect(await filterFor("now-1y")).toBe("content_type: match");
  });

  test("is the text that it was where an earlier release stored it", async () => {
    const { documents } = marquee.store.in("org-worldcup");
    const filter = "not start_time >= now-1y";
    const ruleset = await studio("POST", "/streaming/video_protection/v2/rulesets", {
      ...inProject,
      ...{ filter: { filter_events: "id: *" }, geo_restrictions_allow: {}, priority: "9" },
    });
    await documents.ruleset.update(ruleset.json.video_protection_ruleset.id, ({ value }) => ({
      ...value,
      applicability: {
        case: "filter",
        value: create(ContentFilterSchema, { filterEvents: filter }),
      },
    }));
    const hook = await studio("POST", "/cms/webhooks/v1", {
      ...{ ...inProject, url: "https://hook.example/" },
    });
    await documents.webhook.update(hook.json.webhook.id, ({ value }) => ({ ...value, filter }));
    await marquee.store.in("org-worldcup").pageComponents.update(RAIL, ({ value }) => ({
      ...value,
      data: { case: "rail", value: create(RailSchema, { type: BaseType.EVENT, filter }) },
    }));
    const playback = await callDelivery(
      marquee,
      "svc.cda.streaming.playback.v1.PlaybackService/AuthorizePlayback",
      { videoId: "video-match-2026-104" },
      "public",
      "POST",
    );
    expect([playback.status, reasonOf(playback)], playback.text).toEqual([403, "GEO_NOT_ALLOWED"]);
    const changed = await studio("PATCH", "/cms/events/v1/match-2026-104", {
      ...{ event: { content_type: "match" }, update_mask: "content_type" },
    });
    expect(changed.status, changed.text).toBe(200);
    const page = await getPage(marquee, { slug: "home" });
    expect(droppedOf(page)).toEqual([[RAIL, "rail.filter", "", "CONFIGURATION_INVALID"]]);
    expect(componentsOf(page).size).toBeGreaterThan(3);
  });
});

const RAIL = "rail-home-matches";
const rail = () => ({ type: "BASE_TYPE_EVENT", filter: "content_type: match" });
