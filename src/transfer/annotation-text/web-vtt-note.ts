import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Annotation } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { quote } from "../../transcoding/quote.ts";
import { FIELD_NAMES, type FieldName, isFieldName, printField } from "./fields.ts";
import { isJsonObject, MAX_DEPTH, parseJson } from "./json-text.ts";
import { malformed } from "./malformed.ts";
import type { Block } from "./web-vtt-blocks.ts";
import type { Cue } from "./web-vtt-cue.ts";

// The note before a cue contains the fields that the cue cannot represent:
//
//   NOTE marquee {"id": "goal-1", "type_id": "goal", "shown": {"end_offset": "00:01:30.000"}}
//
// A value is the text of a CSV cell; entity_ids and action_overrides may be JSON. `offset` is present if it
// differs from start_offset, and null if it is unset while start_offset is set.
//
// `shown` contains the values that the cue shows instead of start_offset, end_offset or timer_label. While the
// cue still shows such a value, the field is taken from the note, and unset if the note lacks it. If the cue
// was edited by hand, the field is taken from the cue.

const SHOWN_NAMES = ["start_offset", "end_offset", "timer_label"] as const;

/** The name of a field that a cue shows. */
export type ShownName = (typeof SHOWN_NAMES)[number];

/** The note about the annotation of the cue below it. */
export interface Note {
  /** Its first line, from 1. */
  readonly line: number;
  /** The texts of fields; null for an unset offset. */
  readonly values: ReadonlyMap<FieldName, string | null>;
  /** The values that the cue shows instead of fields. */
  readonly shown: ReadonlyMap<ShownName, string>;
}

const OURS = /^NOTE[ \t]+marquee[ \t]+(?=\{)/;

/** Reads a note; undefined for a foreign one. INVALID_ARGUMENT `WEBVTT_MALFORMED`. */
export function readNote({ line, lines }: Block): Note | undefined {
  const text = lines.join("\n");
  const start = OURS.exec(text)?.[0];
  if (start === undefined) return undefined;
  const json = parseJson(text.slice(start.length), MAX_DEPTH + 1);
  if (!isJsonObject(json)) {
    throw refuse(line, "expected a JSON object of at most 100 nested levels after NOTE marquee");
  }
  const { shown = {}, ...values } = json;
  const note: Note = { line, values: readValues(line, values), shown: readShown(line, shown) };
  for (const name of SHOWN_NAMES) {
    if (!note.values.has(name) || note.shown.has(name)) continue;
    throw refuse(line, "the cue contains this field; in the note it needs 'shown'", name);
  }
  return note;
}

/** Writes the note of an annotation, empty if the cue represents it completely. */
export function printNote(annotation: Annotation, cue: Cue): string {
  const json: JsonObject = {};
  const shown: JsonObject = {};
  for (const name of FIELD_NAMES) {
    const text = printField(annotation, name);
    if (isShownName(name)) {
      if (text === cue[name]) continue;
      shown[name] = cue[name];
    }
    if (text !== "") json[name] = toJson(annotation, name, text);
  }
  const start = printField(annotation, "start_offset");
  if (start === json.offset) delete json.offset;
  else if (start !== "" && annotation.offset === undefined) json.offset = null;
  if (Object.keys(shown).length > 0) json.shown = shown;
  const hasMore = Object.keys(json).some((name) => name !== "id" || cue.id === "");
  if (!hasMore) return "";
  return `NOTE marquee ${JSON.stringify(json).replaceAll("-->", "--\\u003e")}\n\n`;
}

function toJson({ entityIds, actionOverrides }: Annotation, name: FieldName, text: string) {
  if (name === "entity_ids") return entityIds;
  return name === "action_overrides" ? (actionOverrides ?? null) : text;
}

function readValues(line: number, json: JsonObject): ReadonlyMap<FieldName, string | null> {
  const values = new Map<FieldName, string | null>();
  for (const [name, value] of Object.entries(json)) {
    if (!isFieldName(name)) throw refuse(line, "unknown field in the note", quote(name));
    const isJson =
      name === "entity_ids"
        ? Array.isArray(value)
        : name === "action_overrides" && isJsonObject(value);
    if (isJson) values.set(name, JSON.stringify(value));
    else if (typeof value === "string") values.set(name, value);
    else if (name === "offset" && value === null) values.set(name, null);
    else throw refuse(line, "wrong type", name);
  }
  return values;
}

function readShown(line: number, json: JsonValue): ReadonlyMap<ShownName, string> {
  if (!isJsonObject(json)) throw refuse(line, "must be an object", "shown");
  const shown = new Map<ShownName, string>();
  for (const [name, value] of Object.entries(json)) {
    if (!isShownName(name)) throw refuse(line, `unknown field ${quote(name)}`, "shown");
    if (typeof value !== "string") throw refuse(line, "must be a string", `shown.${name}`);
    shown.set(name, value);
  }
  return shown;
}

/** Reports whether a cue represents the field. */
export function isShownName(name: string): name is ShownName {
  return SHOWN_NAMES.some((it) => it === name);
}

function refuse(line: number, why: string, name?: string) {
  return malformed("WEBVTT_MALFORMED", line, why, name);
}
