import {
  type DescField,
  type DescMessage,
  equals,
  fromJson,
  getOption,
  type JsonObject,
  type JsonValue,
  type Message,
  ScalarType,
} from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { FieldBehavior, field_behavior } from "../../../gen/google/api/field_behavior_pb.ts";
import { mergeDraft } from "../../../src/domain/changes/merge-draft.ts";
import { isReleasable, KIND_NAMES } from "../../../src/domain/kinds.ts";
import {
  isRecordKind,
  RECORD_SCHEMAS,
  type RecordItem,
  type RecordKind,
} from "../../../src/domain/records/record.ts";
import { createFilledLines } from "../../transfer/filled-records.ts";

/** A change of a JSON object at some paths. */
interface Edit {
  readonly type: string;
  /** The object whose fields or keys it changes. */
  readonly parent: string;
  readonly paths: readonly string[];
  apply(json: JsonObject): void;
}

/** A oneof is switched to its first members. */
const SWITCHED = 2;

const KINDS = KIND_NAMES.filter(isReleasable).filter(isRecordKind);

/** Lists the types of edits that the fields of a message have. */
function listTypes(schema: DescMessage): string[] {
  return schema.fields
    .filter((field) => !isFixed(field))
    .flatMap((field): string[] => {
      const { fieldKind, message, oneof } = field;
      const isFree = fieldKind === "map" || message?.typeName.startsWith("google.protobuf.Struct");
      if (isFree) return ["clear", "add", "remove", "set"];
      if (fieldKind === "list") return ["clear", "replace"];
      const below =
        message && !message.typeName.startsWith("google.") ? listTypes(message) : ["set"];
      return ["clear", ...below, ...(oneof ? ["switch"] : [])];
    });
}

/** Resources of a kind with every field set; of each oneof, every member is set in one of them. */
function createFilled(kind: RecordKind): JsonObject[] {
  return createFilledLines().flatMap((line) => {
    const record = JSON.parse(line)[kind];
    if (record === undefined) return [];
    // A merge does not look at the time of the last update.
    const { update_time: _, ...json } = record[kind] ?? record;
    return [json];
  });
}

/** Returns a resource after some edits. */
function toItem(kind: RecordKind, json: JsonObject, edits: readonly Edit[] = []): RecordItem {
  const edited = structuredClone(json);
  for (const { apply } of edits) apply(edited);
  return { kind, line: 0, message: fromJson(RECORD_SCHEMAS[kind], edited) };
}

/** Lists edits of every field of a message, and of those below it. */
function listEdits(schema: DescMessage, json: JsonObject, above: readonly string[] = []): Edit[] {
  return schema.fields.flatMap((field) => {
    const value = json[field.name];
    const path = [...above, field.name];
    if (isFixed(field)) return [];
    if (value === undefined) return listSwitches(field, path);
    return [
      createEdit("clear", path, undefined),
      ...listValueEdits(field, value, path),
      ...listEditsBelow(field, value, path),
    ];
  });
}

function isFixed(field: DescField): boolean {
  const behaviors = getOption(field, field_behavior);
  return [FieldBehavior.OUTPUT_ONLY, FieldBehavior.IMMUTABLE].some((it) => behaviors.includes(it));
}

/** Sets another member of a oneof in the place of the one that is set. */
function listSwitches(field: DescField, path: readonly string[]): Edit[] {
  const isSwitched = field.oneof && field.oneof.fields.indexOf(field) < SWITCHED;
  if (!isSwitched) return [];
  const members = field.oneof.fields.map(({ name }) => [...path.slice(0, -1), name]);
  return [
    {
      type: "switch",
      parent: path.slice(0, -1).join("."),
      paths: members.map((it) => it.join(".")),
      apply(json) {
        for (const member of members) write(json, member, undefined);
        write(json, path, toOther(field, undefined));
      },
    },
  ];
}

function listValueEdits(field: DescField, value: JsonValue, path: readonly string[]): Edit[] {
  if (Array.isArray(value)) {
    return [createEdit("replace", path, [...value, ...value.slice(0, 1)])];
  }
  if (isObject(value)) return [];
  return [createEdit("set", path, toOther(field, value))];
}

/** Edits an object or a map: adds a key, removes and sets one of its own, at every depth. */
function listEditsBelow(field: DescField, value: JsonValue, path: readonly string[]): Edit[] {
  if (!isObject(value)) return [];
  const isFree = field.fieldKind === "map" || field.message?.typeName.startsWith("google.protobuf");
  if (!isFree) return field.message ? listEdits(field.message, value, path) : [];
  const [key = ""] = Object.keys(value);
  return [
    createEdit("add", [...path, "added"], "added"),
    createEdit("add", [...path, "more"], "more"),
    ...(key === ""
      ? []
      : [createEdit("remove", [...path, key], undefined), createEdit("set", [...path, key], "x")]),
  ];
}

function createEdit(type: string, path: readonly string[], value: JsonValue | undefined): Edit {
  const parent = path.slice(0, -1).join(".");
  return { type, parent, paths: [path.join(".")], apply: (json) => write(json, path, value) };
}

function write(json: JsonObject, path: readonly string[], value: JsonValue | undefined): void {
  const [key = "", ...rest] = path;
  const below = json[key];
  if (rest.length > 0 && isObject(below)) write(below, rest, value);
  else if (value === undefined) delete json[key];
  else json[key] = value;
}

function toOther(field: DescField, value: JsonValue | undefined): JsonValue {
  if (field.fieldKind === "enum") {
    return field.enum.values.findLast(({ name }) => name !== value)?.name ?? "";
  }
  if (field.fieldKind === "message") {
    const { typeName } = field.message;
    if (typeName === "google.protobuf.Timestamp") return "2031-01-01T00:00:00Z";
    if (typeName === "google.protobuf.Duration") return "7s";
    return {};
  }
  if (field.fieldKind === "list") return [];
  if (field.scalar === ScalarType.BOOL) return value !== true;
  return field.scalar === ScalarType.STRING ? `${value ?? ""} other` : Number(value ?? 0) + 1;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reports whether neither edit changes a value that the other one changes, or that contains it. */
function areDisjoint(a: Edit, b: Edit): boolean {
  const contains = (outer: string, path: string) => `${path}.`.startsWith(`${outer}.`);
  return a.paths.every((one) => b.paths.every((it) => !contains(one, it) && !contains(it, one)));
}

/** A resource before and after an edit. */
interface Edited {
  readonly json: JsonObject;
  readonly base: RecordItem;
  readonly edit: Edit;
  readonly item: RecordItem;
}

/** An ordered pair of edits of one resource, in a draft and in the current version. */
interface Pair {
  readonly name: string;
  readonly draft: Edited;
  readonly current: Edited;
}

/** Compares a record with one that has no update time. */
function isSame(a: RecordItem | undefined, b: RecordItem): boolean {
  const schema: DescMessage = RECORD_SCHEMAS[b.kind];
  const message = { ...a?.message, updateTime: undefined } as Message;
  return a !== undefined && equals(schema, message, b.message);
}

/** Lists the ordered pairs of edits of a kind: each once, but those of disjoint paths in two objects once for their types. */
function listPairs(kind: RecordKind): readonly Pair[] {
  const pairs = new Map<string, Pair>();
  for (const json of createFilled(kind)) {
    const base = toItem(kind, json);
    const edited = listEdits(RECORD_SCHEMAS[kind], json)
      .map((edit): Edited => ({ json, base, edit, item: toItem(kind, json, [edit]) }))
      .filter(({ item }) => !isSame(item, base));
    for (const draft of edited) {
      for (const current of edited) {
        const [one, other] = [draft.edit, current.edit];
        const isNear = one.parent === other.parent || !areDisjoint(one, other);
        const toWords = ({ type, paths }: Edit) => `${type} ${isNear ? paths : "elsewhere"}`;
        const name = `${toWords(one)}, and in the current version ${toWords(other)}`;
        if (draft !== current && !pairs.has(name)) pairs.set(name, { name, draft, current });
      }
    }
  }
  return [...pairs.values()];
}

const merge = ({ draft, current }: Pair) =>
  mergeDraft({ base: draft.base, draft: draft.item, current: current.item }, new Date(0));

for (const kind of KINDS) {
  describe(kind, () => {
    const pairs = listPairs(kind);

    test("every ordered pair of edits on disjoint paths merges", () => {
      const disjoint = pairs.filter(({ draft, current }) => areDisjoint(draft.edit, current.edit));
      const wrong = disjoint.filter((pair) => {
        const { merged, conflicts } = merge(pair);
        const want = toItem(kind, pair.draft.json, [pair.draft.edit, pair.current.edit]);
        return conflicts.length > 0 || !isSame(merged, want);
      });
      expect(wrong.map(({ name }) => name)).toEqual([]);
      const types = new Set(disjoint.map(({ draft }) => draft.edit.type));
      expect(types).toEqual(new Set(listTypes(RECORD_SCHEMAS[kind])));
    });

    test("two members of a oneof are a conflict, which the draft wins alone", () => {
      const wrong = pairs
        .filter(({ draft, current }) => areRivals(draft.edit, current.edit))
        .filter((pair) => {
          const { merged, conflicts } = merge(pair);
          return conflicts.length === 0 || !isSame(merged, pair.draft.item);
        });
      expect(wrong.map(({ name }) => name)).toEqual([]);
    });
  });
}

/** Reports whether one edit switches a oneof, and the other one sets another member of it, or a value below. */
function areRivals(a: Edit, b: Edit): boolean {
  const switches = [a, b].filter(({ type }) => type === "switch");
  const clears = [a, b].filter(({ type }) => type === "clear");
  return switches.length > 0 && clears.length === 0 && !areDisjoint(a, b);
}
