import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { WebhookSchema } from "../../../gen/svc/studio/cms/webhook/v1/webhook_pb.ts";
import { PageComponentSchema } from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { listFilterWarnings } from "../../../src/domain/filters/filter-warnings.ts";

const warningsOf = (filter: string) => {
  const init = { data: { case: "rail", value: { filter } } };
  const component = create(PageComponentSchema, init as never);
  const warnings = [...listFilterWarnings(PageComponentSchema, component, "component")];
  for (const { fields } of warnings) expect(fields).toEqual(["component.rail.filter"]);
  return warnings.map(({ code, message }) => `${code} ${message}`);
};

describe("a filter that cannot mean what it says has a warning", () => {
  test.each([
    [
      "content_type = film",
      'FILTER_OPERATOR component.rail.filter: "content_type = film" is one text, and "=" a part of it; write field: value',
    ],
    ["content_type==film", expect.stringContaining('"==" a part of it; write field: value')],
    ["content_type != film", expect.stringContaining("write not field: value")],
    ["film && live", expect.stringContaining("write and")],
    ["content_type: film || content_type", expect.stringContaining("write or")],
    [
      "contentType: film",
      'FILTER_FIELD_UNKNOWN component.rail.filter: no resource has a field "contentType"; did you mean "content_type"?',
    ],
    ["rating > 3", 'FILTER_FIELD_UNKNOWN component.rail.filter: no resource has a field "rating"'],
    ["not genres: *", expect.stringContaining('a field "genres"')],
    ["field: { x: 1 }", expect.stringContaining('did you mean "fields"?')],
    [
      "title: Final",
      "FILTER_LANGUAGE_MISSING component.rail.filter: title is a map by language; write title.en: value",
    ],
  ])("%s", (filter, warning) => {
    expect(warningsOf(filter)).toEqual([warning]);
  });

  test("for each of its mistakes", () => {
    expect(warningsOf("contentType: film and (title: x or not rating: 1)")).toHaveLength(3);
  });
});

test.each([
  "",
  "*",
  "content_type: film and start_time >= now",
  "title.en: Final or title*: Final",
  "title: *",
  "fields.rating > 3 and fields.genre: (drama or not crime)",
  'fields.formula: "a = b" or "x = y"',
  "fields.formula: a=b",
  "fields.credits: { role: actor and name: {page.person} }",
  "video_ids: {id} and entity_ids: *",
  "final match",
])("the filter %s has none", (filter) => {
  expect(warningsOf(filter)).toEqual([]);
});

test.each<readonly [readonly string[], string, readonly string[]]>([
  [[], "slug: home", []],
  [["page"], "slug: home", []],
  [["event"], "slug: home", ["FILTER_FIELD_UNKNOWN"]],
  [["page", "release"], "state: RELEASE_STATE_APPLIED", []],
])("a webhook of the kinds %j tests their fields: %s", (kinds, filter, codes) => {
  const webhook = create(WebhookSchema, { kinds: [...kinds], filter });
  const warnings = [...listFilterWarnings(WebhookSchema, webhook, "webhook")];
  expect(warnings.map(({ code }) => code)).toEqual(codes);
});
