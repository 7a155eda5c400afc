import {
  create,
  type DescField,
  fromBinary,
  fromJson,
  type JsonObject,
  ScalarType,
  toBinary,
} from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { VideoProtectionRulesetSchema } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { CHECKED_DEPTH } from "../../../src/domain/base/descriptors.ts";
import {
  conflictError,
  type DraftConflict,
  type DraftStates,
  listChangedItemPaths,
  mergeDraft,
  rewriteDraft,
} from "../../../src/domain/changes/merge-draft.ts";
import { isReleasable, KIND_NAMES, kindOf } from "../../../src/domain/kinds.ts";
import type { RecordItem } from "../../../src/domain/records/record.ts";

const NOW = new Date(9_000);

const merge = (states: DraftStates) => mergeDraft(states, NOW);

/** An event by its titles and the second of its last update; undefined: there is none. */
type State = Readonly<Record<string, string>> | undefined;

const toItem = (title: State, second = 1): RecordItem | undefined =>
  title && {
    kind: "event",
    line: 1,
    message: create(EventSchema, { id: "e", title, updateTime: { seconds: BigInt(second) } }),
  };

const CASES: Readonly<
  Record<string, readonly [base: State, draft: State, current: State, want: State, ...string[]]>
> = {
  "an update of what is unchanged": [{ en: "a" }, { en: "b" }, { en: "a" }, { en: "b" }],
  "updates of different paths": [
    { en: "a" },
    { en: "b" },
    { en: "a", de: "x" },
    { en: "b", de: "x" },
  ],
  "updates of one path": [
    { en: "a" },
    { en: "b" },
    { en: "c" },
    { en: "b" },
    "path_changed title.en",
  ],
  "the current version has the value of the draft": [
    { en: "a" },
    { en: "b" },
    { en: "b" },
    { en: "b" },
  ],
  "an update of what is deleted": [
    { en: "a" },
    { en: "b" },
    undefined,
    { en: "b" },
    "current_deleted ",
  ],
  "a deletion": [{ en: "a" }, undefined, { en: "a" }, undefined],
  "a deletion of what is deleted": [{ en: "a" }, undefined, undefined, undefined],
  "a deletion of what was changed": [
    { en: "a" },
    undefined,
    { en: "b" },
    undefined,
    "current_changed ",
  ],
  "a creation": [undefined, { en: "a" }, undefined, { en: "a" }],
  "a creation of what exists": [
    undefined,
    { en: "a" },
    { en: "b" },
    { en: "a" },
    "current_exists ",
  ],
  "a creation of what exists alike": [undefined, { en: "a" }, { en: "a" }, { en: "a" }],
};

describe("a draft is merged with the current version", () => {
  for (const [name, [base, draft, current, want, ...conflicts]] of Object.entries(CASES)) {
    test(name, () => {
      // The times of updates always differ, and are no conflict.
      const got = merge({
        base: toItem(base, 1),
        draft: toItem(draft, 2),
        current: toItem(current, 3),
      });
      const { title } = (got.merged?.message ?? {}) as { title?: State };
      expect(title && { ...title }).toEqual(want);
      expect(got.conflicts.map(({ kind, path }) => `${kind} ${path}`)).toEqual(conflicts);
    });
  }
});

describe("the time of the last update of a merged draft", () => {
  const base = toItem({ en: "a" }, 1) as RecordItem;
  const draft = toItem({ en: "b" }, 2) as RecordItem;
  const secondOf = (current: RecordItem | undefined) => {
    const { merged } = merge({ base, draft, current });
    const message = merged?.message as { updateTime?: { seconds: bigint } } | undefined;
    return Number(message?.updateTime?.seconds);
  };
  test("is the draft's if nothing has changed since its base", () => {
    expect(secondOf(base)).toBe(2);
  });
  test("is now if something else has changed", () => {
    expect(secondOf(toItem({ en: "a", de: "x" }, 3))).toBe(9);
  });
  test("stays if the current version has the values already", () => {
    expect(secondOf(toItem({ en: "b" }, 3))).toBe(3);
  });
});

/** A ruleset by its name and countries; `allow` and `disallow` are members of one oneof. */
const toRuleset = (
  name: string,
  countries: Readonly<Record<string, string[]>> = {},
): RecordItem => {
  const [[member, country_codes] = []] = Object.entries(countries);
  const json = {
    id: "r",
    name,
    ...(member && { [`geo_restrictions_${member}`]: { country_codes } }),
  };
  return { kind: "ruleset", line: 1, message: fromJson(VideoProtectionRulesetSchema, json) };
};

describe("two members of a oneof", () => {
  const [base, draft] = [toRuleset("A"), toRuleset("A", { allow: ["DE"] })];
  const current = toRuleset("A", { disallow: ["FR"] });
  const conflictsOf = (states: DraftStates) => merge(states).conflicts.map(({ path }) => path);

  test("are a conflict of the draft's, which stays until it is written again", () => {
    const states = { base, draft, current };
    expect(conflictsOf(states)).toEqual(["geo_restrictions_allow"]);
    const named = { ...draft, message: { ...draft.message, name: "B" } } as RecordItem;
    const renamed = rewriteDraft(states, named, ["name"]);
    expect(conflictsOf({ ...renamed, current })).toEqual(["geo_restrictions_allow"]);
    const settled = rewriteDraft(states, draft, ["geo_restrictions_allow"]);
    expect(merge({ ...settled, current })).toEqual({ merged: draft, conflicts: [] });
  });

  test("are a conflict if the draft changes what current replaces", () => {
    const before = toRuleset("A", { allow: ["AT"] });
    const states = { base: before, draft, current };
    expect(merge(states).merged).toEqual(draft);
    expect(conflictsOf(states)).toEqual(["geo_restrictions_allow"]);
    const renamed = rewriteDraft(states, draft, ["name"]);
    expect(conflictsOf({ ...renamed, current })).toEqual(["geo_restrictions_allow"]);
  });

  test("are none if one side replaces the other", () => {
    const before = toRuleset("A", { allow: ["AT"] });
    const named = toRuleset("B", { allow: ["AT"] });
    const want = toRuleset("B", { disallow: ["FR"] });
    expect(merge({ base: before, draft: named, current })).toEqual({
      merged: want,
      conflicts: [],
    });
    expect(merge({ base: before, draft: current, current: named }).merged).toEqual(want);
  });
});

test("values of 100 levels are merged", () => {
  const deep = JSON.parse(`${'{"a":'.repeat(99)}{}${"}".repeat(99)}`);
  const toEvent = (fields: JsonObject): RecordItem => {
    const message = fromJson(EventSchema, { id: "e", fields }, CHECKED_DEPTH);
    return { kind: "event", line: 1, message };
  };
  const [base, draft, current, want] = [{}, { a: 1 }, { b: 1 }, { a: 1, b: 1 }].map((it) =>
    toEvent({ deep, ...it }),
  );
  const { merged, conflicts } = merge({ base, draft, current });
  expect(merged && want && listChangedItemPaths(merged, want)).toEqual([]);
  expect(conflicts).toEqual([]);
});

describe("30: a field that is added to a kind later is no conflict", () => {
  /** Writes a field with its default, which a stored resource usually omits. */
  const writeDefault = ({ number, fieldKind, scalar }: DescField): Uint8Array => {
    const writer = new BinaryWriter();
    const isLong = fieldKind === "message" || scalar === ScalarType.STRING;
    if (scalar === ScalarType.DOUBLE) return writer.tag(number, WireType.Bit64).double(0).finish();
    return writer
      .tag(number, isLong ? WireType.LengthDelimited : WireType.Varint)
      .uint32(0)
      .finish();
  };
  for (const kind of KIND_NAMES.filter(isReleasable)) {
    const { schema } = kindOf(kind);
    const isText = ({ fieldKind, scalar, name }: DescField) =>
      fieldKind === "scalar" && scalar === ScalarType.STRING && !name.endsWith("id");
    const written = schema.fields.find(isText);
    const added = schema.fields.filter(
      ({ fieldKind, name }) =>
        !["list", "map"].includes(fieldKind) && !["id", written?.name].includes(name),
    );
    test.each(added.map((field) => [field.name, field] as const))(`${kind}: %s`, (_, field) => {
      const toItem = (doc: Uint8Array): RecordItem => ({
        kind,
        line: 1,
        message: fromBinary(schema, doc),
      });
      const doc = toBinary(schema, fromJson(schema, { id: "x" }));
      const base = toItem(doc);
      const draft = { ...base, message: fromJson(schema, { id: "x", [written?.name ?? ""]: "B" }) };
      const current = toItem(Buffer.concat([doc, writeDefault(field)]));
      const { merged, conflicts } = merge({ base, draft, current });
      expect(conflicts).toEqual([]);
      const want = field.presence === FeatureSet_FieldPresence.EXPLICIT ? current : base;
      expect(merged && listChangedItemPaths(want, merged)).toEqual([written?.name]);
      if (want === base) expect(merge({ base, current })).toEqual({ conflicts: [] });
    });
  }
});

test("an error names 20 conflicts and 2 KiB of them, and the number of the others", () => {
  const create = (count: number, path: string) =>
    Array.from({ length: count }, (_, index): DraftConflict => {
      const values = { base: undefined, current: undefined, draft: undefined };
      return { kind: "path_changed", path: `${path}${index}`, ...values };
    });
  const textOf = (conflicts: readonly DraftConflict[]) =>
    conflictError([{ key: "event:a", conflicts }]).metadata.conflicts ?? "";
  expect(textOf(create(20, "p"))).toMatch(/p18, event:a path_changed p19$/);
  expect(textOf(create(21, "p"))).toMatch(/p18, event:a path_changed p19 and 1 more$/);
  expect(Buffer.byteLength(textOf(create(50, "x".repeat(4_000))))).toBeLessThan(2_100);
});
