import { create, fromJson } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { GetPageRequestSchema } from "../../../gen/svc/cda/ott/page/v1/page_service_pb.ts";
import { UpdateActionConfigurationRequestSchema } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_service_pb.ts";
import { CreateEventRequestSchema } from "../../../gen/svc/studio/cms/event/v1/event_service_pb.ts";
import { checkInput } from "../../../src/domain/validation/input-checks.ts";
import { FIELD_LIMITS, limitsOf } from "../../../src/domain/validation/input-limits.ts";
import { METHODS, reachable } from "../../conventions/descriptors.ts";
import { rejection } from "../../harness/rejection.ts";

test("the limits are these", () => {
  const [event] = CreateEventRequestSchema.fields;
  const byName = new Map(event?.message?.fields.map((field) => [field.name, limitsOf(field)]));
  const json = { values: 5_000, jsonCharacters: 524_288, key: 256, path: 1_024, levels: 100 };
  expect(byName.get("id")).toEqual({ characters: 512 });
  expect(byName.get("entity_ids")).toEqual({ characters: 512, items: 1_000 });
  expect(byName.get("content_type")).toEqual({ characters: 4_096 });
  expect(byName.get("title")).toEqual({ characters: 4_096, entries: 100, key: 256 });
  expect(byName.get("description")).toEqual({ characters: 65_536, entries: 100, key: 256 });
  expect(byName.get("fields")).toEqual(json);
  const page = new Map(GetPageRequestSchema.fields.map((field) => [field.name, limitsOf(field)]));
  expect(page.get("parameters")).toEqual({ characters: 1_024, entries: 100, key: 256 });
  expect(page.get("session")).toEqual({
    ...json,
    ...{ entries: 100, values: 1_000, jsonCharacters: 65_536 },
  });
});

test("every text, list, map and JSON of every request has a limit", () => {
  const fields = METHODS.flatMap(({ input }) => reachable(input)).flatMap(({ fields: own }) => own);
  for (const field of fields) {
    const limits = limitsOf(field);
    if (field.fieldKind === "list") expect(limits.items, field.toString()).toBeGreaterThan(0);
    if (field.fieldKind === "map") expect(limits.entries, field.toString()).toBeGreaterThan(0);
    if (field.scalar === 9) expect(limits.characters, field.toString()).toBeGreaterThan(0);
    if (field.scalar === 12) expect(limits.bytes, field.toString()).toBeGreaterThan(0);
  }
});

test("a field with a limit of its own is in a request", () => {
  const names = METHODS.flatMap(({ input }) => reachable(input)).flatMap(({ typeName, fields }) =>
    fields.map(({ name }) => `${typeName}.${name}`),
  );
  expect(Object.keys(FIELD_LIMITS).filter((name) => !names.includes(name))).toEqual([]);
});

describe("a value of any JSON", () => {
  const check = (configuration: unknown) =>
    checkInput(
      UpdateActionConfigurationRequestSchema,
      create(UpdateActionConfigurationRequestSchema, { configuration: configuration as never }),
    );
  const nest = (levels: number) => JSON.parse(`${'{"":'.repeat(levels)}1${"}".repeat(levels)}`);
  const array = (length: number) => Array.from({ length }, () => 1);

  test.each<[string, unknown, string | undefined]>([
    ["counts itself and all inside it", { a: array(998) }, undefined],
    ["counts itself and all inside it, and no more", { a: array(999) }, "JSON_TOO_LARGE"],
    ["may be 100 deep", nest(100), undefined],
    ["may not be 101 deep", nest(101), "JSON_TOO_DEEP"],
    ["may lie behind 1,024 characters", { a: { ["k".repeat(256)]: behind(767) } }, undefined],
    ["may not lie behind 1,025", { a: { ["k".repeat(256)]: behind(768) } }, "JSON_TOO_DEEP"],
    ["may have the key of a message", { $typeName: "google.protobuf.Value" }, undefined],
    ["may be a key that objects have", JSON.parse('{"__proto__": {"a": 1}}'), undefined],
    ["is a number", { a: Number.NaN }, "VALUE_INVALID"],
  ])("%s", (_name, value, reason) => {
    if (reason === undefined) expect(() => check(value)).not.toThrow();
    else expect(() => check(value)).toThrow(rejection(reason));
  });

  function behind(characters: number): unknown {
    const size = Math.min(256, characters);
    return size === 0 ? 1 : { ["k".repeat(size)]: behind(characters - size) };
  }
});

describe("a session", () => {
  const check = (session: object) => () =>
    checkInput(GetPageRequestSchema, fromJson(GetPageRequestSchema, { session: session as never }));
  const list = (count: number) => Array.from({ length: count }, () => 1);
  const keys = (count: number, length: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, it) => [String(it).padEnd(length, "x"), 1]),
    );

  /** What the limits of a session count (contract: limits 3), at the limit and one past it. */
  test.each([
    [
      "values of all keys together",
      { a: list(499), b: list(499) },
      { a: list(499), b: list(500) },
      "JSON_TOO_LARGE",
    ],
    ["members of objects", { a: { b: list(998) } }, { a: { b: list(999) } }, "JSON_TOO_LARGE"],
    [
      "characters of texts and keys inside",
      { a: { b: "x".repeat(65_535) } },
      { a: { b: "x".repeat(65_536) } },
      "JSON_TOO_LARGE",
    ],
    [
      "characters, but not of its own keys",
      { aa: "x".repeat(65_536) },
      { aa: "x".repeat(65_537) },
      "JSON_TOO_LARGE",
    ],
    ["keys", keys(100, 256), keys(101, 1), "TOO_MANY_ITEMS"],
    ["characters of a key", keys(1, 256), keys(1, 257), "FIELD_TOO_LONG"],
  ] as const)("a session is limited in %s", (_name, most, tooMuch, reason) => {
    expect(check(most)).not.toThrow();
    expect(check(tooMuch)).toThrow(rejection(reason));
  });
});
