import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { BannerCollectionSchema } from "../../../gen/svc/studio/ott/page_component/v2/banner_pb.ts";
import { CalendarV2Schema } from "../../../gen/svc/studio/ott/page_component/v2/calendar_pb.ts";
import { EventPlayerSchema } from "../../../gen/svc/studio/ott/page_component/v2/player_pb.ts";
import { RailSchema } from "../../../gen/svc/studio/ott/page_component/v2/rail_pb.ts";
import { ContentFilterSchema } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { checkTexts } from "../../../src/domain/content/texts.ts";
import { refusal } from "../../harness/refusal.ts";

const rail = (init: object) => () => checkTexts(RailSchema, create(RailSchema, init), "u.rail");
const calendar = (init: object) => () =>
  checkTexts(CalendarV2Schema, create(CalendarV2Schema, init), "u.calendar_v2");
const banner = (id: string) => () =>
  checkTexts(BannerCollectionSchema, create(BannerCollectionSchema, { id }), "u.banner_collection");
const player = (id: string) => () =>
  checkTexts(
    EventPlayerSchema,
    create(EventPlayerSchema, { content: { case: "id", value: id } }),
    "u.event_player",
  );
const literal = (filterEvents: string) => () =>
  checkTexts(ContentFilterSchema, create(ContentFilterSchema, { filterEvents }), "filter");

test.each<[string, () => void]>([
  ["an empty rail", rail({})],
  ["a filter with a variable", rail({ filter: "entity_ids: {entity.id} and a: 1" })],
  ["a clause with a placeholder", rail({ additionalFilters: { team: "entity_ids: {team.id}" } })],
  ["a search with a variable", rail({ search: "{q} highlights" })],
  ["a text that is no template", rail({ description: "{", title: { en: "{" }, pinned: ["{"] })],
  ["a session key that is no template", rail({ additionalSearch: "{" })],
  ["an object that holds braces", rail({ card: { a: "{" } })],
  ["a calendar's filter", calendar({ filter: "content_type: match" })],
  ["a banner's id", banner("{event.fields.banner}-x")],
  ["a player's id", player("{id}")],
  ["a ruleset's filter", literal("content_type: match")],
])("texts that can be read: %s", (_name, check) => {
  expect(check).not.toThrow();
});

describe("a fault carries the field's path and the column", () => {
  test.each<[string, () => void, string, string, string]>([
    ["a broken filter", rail({ filter: "a: 1 and (b" }), "KQL_SYNTAX", "u.rail.filter", "12"],
    [
      "a broken clause, by its key",
      rail({ additionalFilters: { ok: "a: 1", bad: "a: (" } }),
      "KQL_SYNTAX",
      'u.rail.additional_filters["bad"]',
      "5",
    ],
    ["a search", rail({ search: "x {q" }), "VARIABLE_MALFORMED", "u.rail.search", "3"],
    [
      "a calendar's clause",
      calendar({ additionalFilters: { "": ": x" } }),
      "KQL_SYNTAX",
      'u.calendar_v2.additional_filters[""]',
      "1",
    ],
    ["a banner", banner("a{}"), "VARIABLE_MALFORMED", "u.banner_collection.id", "2"],
    ["a member of a oneof", player("{"), "VARIABLE_MALFORMED", "u.event_player.id", "1"],
    ["a ruleset's filter", literal("a: {q"), "KQL_SYNTAX", "filter.filter_events", "6"],
  ])("%s", (_name, check, reason, field, column) => {
    expect(check).toThrow(
      refusal(reason, undefined, {
        message: expect.stringContaining(`${field}: `),
        fields: [{ field, description: expect.stringMatching(/./) }],
        metadata: expect.objectContaining({ field, column }),
      }),
    );
  });

  test("a filter past the limits is KQL_LIMIT", () => {
    expect(rail({ filter: `a: ${"b".repeat(9_000)}` })).toThrow(
      refusal("KQL_LIMIT", undefined, {
        metadata: expect.objectContaining({ field: "u.rail.filter" }),
      }),
    );
  });
});
