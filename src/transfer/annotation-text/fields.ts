import type { Annotation } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { quote } from "../../transcoding/quote.ts";
import { isJsonObject, parseJson } from "./json-text.ts";
import { type MalformedReason, malformed } from "./malformed.ts";
import { parseOffset, printOffset } from "./offset-text.ts";

/** A field of an annotation as text; empty if the field is unset. */
interface Field {
  /** The expected form, for messages. */
  readonly form: string;
  print(annotation: Annotation): string;
  /** Sets the field from a non-empty text; false for an invalid one. */
  set(annotation: Annotation, text: string): boolean;
}

const MAX_ORDER = 2n ** 63n - 1n;
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,9})?$/;
const INTEGER = /^-?\d{1,19}$/;

/** The fields in a text by proto name, in the order of the columns. */
const FIELDS = {
  id: words("id"),
  type_id: words("typeId"),
  offset: offsets("offset"),
  start_offset: offsets("startOffset"),
  end_offset: offsets("endOffset"),
  timer_label: words("timerLabel"),
  confidence: {
    form: "a decimal number",
    print: ({ confidence: it }) => (Object.is(it, 0) ? "" : Object.is(it, -0) ? "-0" : String(it)),
    set(annotation, text) {
      annotation.confidence = Number(text);
      return NUMBER.test(text);
    },
  },
  order: {
    form: "a 64-bit integer",
    print: ({ order }) => (order === 0n ? "" : String(order)),
    set(annotation, text) {
      if (!INTEGER.test(text)) return false;
      annotation.order = BigInt(text);
      return annotation.order <= MAX_ORDER && annotation.order >= -MAX_ORDER - 1n;
    },
  },
  event_id: words("eventId"),
  creative_work_id: words("creativeWorkId"),
  entity_ids: {
    form: "a list of ids separated by ';', or a JSON array of strings",
    print: ({ entityIds }) => (entityIds.length === 0 ? "" : printIds(entityIds)),
    set(annotation, text) {
      const ids = parseIds(text);
      annotation.entityIds = ids ?? [];
      return ids !== undefined;
    },
  },
  source_id: words("sourceId"),
  action_overrides: {
    form: "a JSON object of at most 100 nested levels",
    print: ({ actionOverrides: it }) => (it === undefined ? "" : JSON.stringify(it)),
    set(annotation, text) {
      const json = parseJson(text);
      if (!isJsonObject(json)) return false;
      annotation.actionOverrides = json;
      return true;
    },
  },
} as const satisfies Record<string, Field>;

/** The proto name of a field in a text. */
export type FieldName = keyof typeof FIELDS;

/** The names of the fields in a text, in the order of the columns. */
export const FIELD_NAMES = Object.keys(FIELDS) as readonly FieldName[];

/** Reports whether a name is that of a field in a text. */
export function isFieldName(name: string): name is FieldName {
  return Object.hasOwn(FIELDS, name);
}

/** Writes a field of an annotation as text, empty if unset. */
export function printField(annotation: Annotation, name: FieldName): string {
  return FIELDS[name].print(annotation);
}

/** Sets a field of an annotation from text. INVALID_ARGUMENT with the given reason, line and field. */
export function readField(
  annotation: Annotation,
  name: FieldName,
  text: string,
  line: number,
  reason: MalformedReason,
): void {
  if (text === "" || FIELDS[name].set(annotation, text)) return;
  throw malformed(reason, line, `${quote(text)} is not ${FIELDS[name].form}`, name);
}

function words(
  name: "id" | "typeId" | "timerLabel" | "eventId" | "creativeWorkId" | "sourceId",
): Field {
  return {
    form: "text",
    print: (annotation) => annotation[name],
    set(annotation, text) {
      annotation[name] = text;
      return true;
    },
  };
}

function offsets(name: "offset" | "startOffset" | "endOffset"): Field {
  return {
    form: "a time such as 00:01:15.500, 01:15.5, 75.5 or 75.5s",
    print: ({ [name]: offset }) => (offset === undefined ? "" : printOffset(offset)),
    set(annotation, text) {
      const offset = parseOffset(text);
      if (offset !== undefined) annotation[name] = offset;
      return offset !== undefined;
    },
  };
}

// A list of ids in one text:
//
//   ids = id { ";" id } | a JSON array of strings ;
//
// In the first form, spaces around an id are ignored.

/** Parses a list of ids; undefined for an invalid array and for an empty id outside of an array. */
function parseIds(text: string): string[] | undefined {
  if (text.startsWith("[")) {
    const json = parseJson(text);
    const isList = Array.isArray(json) && json.every((it) => typeof it === "string");
    return isList ? (json as string[]) : undefined;
  }
  const ids = text.split(";").map((it) => it.trim());
  return ids.includes("") ? undefined : ids;
}

/**
 * Writes a list of ids separated by `;`, or as a JSON array if that form could not represent an id: an empty
 * one, one with `;` or outer spaces, or a first one that begins with `[`.
 */
function printIds(ids: readonly string[]): string {
  const isPlain = ids.every((id) => id !== "" && id === id.trim() && !id.includes(";"));
  return isPlain && !ids[0]?.startsWith("[") ? ids.join(";") : JSON.stringify(ids);
}
