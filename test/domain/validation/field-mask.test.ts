import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { AnnotationSchema } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { PageComponentSchema } from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { RailSchema } from "../../../gen/svc/studio/ott/page_component/v2/rail_pb.ts";
import { VideoProtectionRulesetSchema } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { Code } from "../../../src/domain/base/errors.ts";
import { applyMask, checkMask, listUpdatable } from "../../../src/domain/validation/field-mask.ts";
import { openCases } from "../../harness/cases.ts";
import { errorOf } from "../../harness/rejection.ts";
import { createComponent } from "../pages/components/members.ts";

const each = openCases("messages/field-mask");

const ALLOWED = ["name", "type", "css_classes"];

describe("a mask is checked (contract: studio 4)", () => {
  test.each([
    ["name", "name"],
    ["type name", "type name"],
    ["name name type name", "name type"],
    ["name type css_classes", "name type css_classes"],
  ])("%s names %s", (paths, want) => {
    expect([...checkMask(paths.split(" "), ALLOWED)].join(" ")).toBe(want);
  });

  each<[string, readonly string[]]>(
    "a mask is rejected with the allowed names (contract: studio 4)",
    (_what, paths) => {
      const error = errorOf(() => checkMask(paths, ALLOWED));
      expect(error).toMatchObject({
        ...{ code: Code.INVALID_ARGUMENT, reason: "UPDATE_MASK_INVALID" },
        fields: [{ field: "update_mask" }],
        message: expect.stringContaining("allowed fields: name, type, css_classes"),
      });
      expect(error?.metadata).toEqual({ allowed: "name,type,css_classes" });
    },
  );

  test("a misspelled name gets a suggestion, as a question at the end", () => {
    expect(errorOf(() => checkMask(["nam"], ALLOWED))?.message).toBe(
      "update_mask: 'nam' cannot be updated; allowed fields: name, type, css_classes; did you mean 'name'?",
    );
  });
});

describe("the fields that an update may name", () => {
  test("everything of a page component but what the service sets", () => {
    const all = PageComponentSchema.fields.map((field) => field.name);
    expect(listUpdatable(PageComponentSchema)).toEqual(
      all.filter((name) => !["id", "project_id"].includes(name)),
    );
    expect(listUpdatable(PageComponentSchema)).not.toContain("data");
  });

  test("the fields of an annotation that an update may change", () => {
    expect([...listUpdatable(AnnotationSchema)].sort()).toEqual([
      ..."action_overrides confidence creative_work_id end_offset entity_ids event_id".split(" "),
      ..."offset order source_id start_offset timer_label type_id video_id".split(" "),
    ]);
  });
});

const STORED = create(AnnotationSchema, {
  ...{ id: "a", projectId: "p", typeId: "goal", offset: { seconds: 5n }, confidence: 0.5 },
  ...{ entityIds: ["one", "two"], actionOverrides: { a: { b: [1] } }, order: 2n ** 62n },
});
const SENT = create(AnnotationSchema, {
  ...{ id: "other", typeId: "card", offset: { seconds: 9n, nanos: 1 }, confidence: -0 },
  ...{ entityIds: ["three"], actionOverrides: { c: null }, order: -(2n ** 63n) },
});

describe("a mask is applied to every kind of field", () => {
  test.each([
    ...(["typeId", "offset", "entityIds", "actionOverrides", "order", "timerLabel"] as const),
  ])("%s takes the sent value, nothing else changes", (member) => {
    const { name } = AnnotationSchema.field[member];
    const got = applyMask(AnnotationSchema, STORED, SENT, checkMask([name], [name]));
    expect(got).toEqual({ ...STORED, [member]: SENT[member] });
  });

  test("a named field that is absent in the body is cleared", () => {
    const names = ["type_id", "entity_ids", "confidence", "order", "offset", "action_overrides"];
    const mask = checkMask(names, names);
    const got = applyMask(AnnotationSchema, STORED, create(AnnotationSchema), mask);
    expect(got).toEqual(create(AnnotationSchema, { id: "a", projectId: "p" }));
    expect(got.offset).toBeUndefined();
    expect(got.actionOverrides).toBeUndefined();
  });

  test("neither the stored message nor the update is changed", () => {
    const before = structuredClone(STORED);
    const sent = structuredClone(SENT);
    const names = ["entity_ids", "order", "offset"];
    const got = applyMask(AnnotationSchema, STORED, SENT, checkMask(names, names));
    expect(got).not.toBe(STORED);
    expect(structuredClone(STORED)).toEqual(before);
    expect(structuredClone(SENT)).toEqual(sent);
  });

  test("maps are replaced whole", () => {
    const stored = create(RailSchema, { title: { en: "One", de: "Eins" }, limit: 3 });
    const update = create(RailSchema, { title: { fr: "Un" } });
    const got = applyMask(RailSchema, stored, update, checkMask(["title"], ["title"]));
    expect(got.title).toEqual({ fr: "Un" });
    expect(got.limit).toBe(3);
  });

  test("objects keep every key, also odd ones", () => {
    const card = JSON.parse('{"": 1, "__proto__": {"x": 1}, "a_b": 2, "aB": 3}');
    const update = create(RailSchema, { card });
    const got = applyMask(RailSchema, create(RailSchema), update, checkMask(["card"], ["card"]));
    expect(JSON.stringify(got.card)).toBe(JSON.stringify(card));
  });

  test("an optional boolean keeps absent, false and true apart", () => {
    const name = "disallow_vpn_usage";
    const states = [{}, { disallowVpnUsage: false }, { disallowVpnUsage: true }].map((flag) =>
      create(VideoProtectionRulesetSchema, flag),
    );
    for (const stored of states) {
      for (const sent of states) {
        const mask = checkMask([name], [name]);
        const got = applyMask(VideoProtectionRulesetSchema, stored, sent, mask);
        expect(got.disallowVpnUsage).toBe(sent.disallowVpnUsage);
      }
    }
  });
});

describe("a mask and the members of a oneof", () => {
  const stored = createComponent("text", { t: 1 });
  const rail = createComponent("rail", { limit: 7 });
  const apply = (update: typeof stored, ...names: string[]) =>
    applyMask(
      PageComponentSchema,
      stored,
      update,
      checkMask(names, listUpdatable(PageComponentSchema)),
    );

  test("the stored member is replaced whole", () => {
    const update = create(PageComponentSchema, { data: { case: "text", value: { u: 2 } } });
    expect(apply(update, "text").data).toEqual({ case: "text", value: { u: 2 } });
  });

  test("another member switches the oneof", () => {
    const { data, type } = apply(rail, "rail", "type");
    expect([data, type]).toEqual([rail.data, "rail"]);
  });

  test("a member that the mask does not name is ignored", () => {
    expect(apply(rail, "type").data).toEqual(stored.data);
  });

  test("the named stored member without a value is cleared", () => {
    expect(apply(create(PageComponentSchema), "text").data.case).toBeUndefined();
    expect(apply(rail, "text").data.case).toBeUndefined();
  });

  test("another member without a value changes nothing", () => {
    expect(apply(create(PageComponentSchema), "rail").data).toEqual(stored.data);
  });
});
