import { type Document, lastSegment, resolve, type Schema } from "../openapi.ts";
import { kindOfName } from "./kinds.ts";

/** The control that a field has in a form. */
export type Control =
  | "choice"
  | "code"
  | "duration"
  | "ids"
  | "integer"
  | "json"
  | "languages"
  | "line"
  | "list"
  | "long"
  | "money"
  | "number"
  | "object"
  | "rows"
  | "states"
  | "switch"
  | "texts"
  | "time"
  | "window";

/** A field of a message, as a form shows it. */
export interface Field {
  /** As in JSON, such as `start_time`. */
  readonly name: string;
  /** For editors, such as `Start time`. */
  readonly label: string;
  readonly description: string;
  readonly control: Control;
  /** The schema of its value; of a list or a map, of an element. */
  readonly schema: Schema;
  readonly isReadOnly: boolean;
  readonly isDeprecated: boolean;
  readonly isRequired: boolean;
  /** The oneof that it is a member of; empty: none. */
  readonly oneof: string;
  /** The kinds that its id or ids may name; empty: any. */
  readonly references: readonly string[];
}

const WINDOW = "svc.type.v1.Window";
const MONEY = "google.type.Money";

/** Lists the fields of an object in the order of its message. */
export function listFields(schema: Schema, document: Document): readonly Field[] {
  const { properties = {}, required = [] } = resolve(schema, document);
  return Object.entries(properties).map(([name, declared]) => {
    const schema = resolve(declared, document);
    const [control, value] = chooseControl(name, schema, document);
    return {
      name,
      label: printReference(name, schema) || printLabel(name),
      description: schema.description ?? "",
      control,
      schema: value,
      isReadOnly: schema.readOnly ?? false,
      isDeprecated: schema.deprecated ?? false,
      isRequired: required.includes(name),
      oneof: schema["x-oneof"] ?? "",
      references: schema["x-reference"] ?? [],
    };
  });
}

/** Chooses the control of a value, and returns the schema that it edits. */
function chooseControl(name: string, schema: Schema, document: Document): [Control, Schema] {
  const { $ref = "", type, format, items, additionalProperties } = schema;
  if (schema.enum !== undefined) return ["choice", schema];
  if (schema["x-reference"] !== undefined) return ["ids", schema];
  if (lastSegment($ref) === WINDOW) return ["window", schema];
  if (lastSegment($ref) === MONEY) return ["money", schema];
  if (items !== undefined) {
    const item = resolve(items, document);
    return item.type === "string" ? ["list", item] : ["rows", item];
  }
  if (schema.properties !== undefined) return ["object", schema];
  if (type === "object" && typeof additionalProperties === "object") {
    const isText = resolve(additionalProperties, document).type === "string";
    if (!isText) return ["json", schema];
    return /\bby language\b/.test(schema.description ?? "")
      ? ["languages", schema]
      : ["texts", schema];
  }
  if (type === "boolean") return [isThreeState(schema) ? "states" : "switch", schema];
  if (type === "integer" || format === "int64") return ["integer", schema];
  if (type === "number") return ["number", schema];
  if (format === "date-time") return ["time", schema];
  if (type === "string" && schema.pattern?.endsWith("s$")) return ["duration", schema];
  if (type === "string" && schema["x-text"] !== undefined) return ["code", schema];
  if (type === "string") return [name === "description" ? "long" : "line", schema];
  return ["json", schema];
}

/** Returns the words of a field that has the ids of one kind, such as `Videos` for `video_ids`; empty: it has not. */
function printReference(name: string, { "x-reference": kinds = [] }: Schema): string {
  const kind = kindOfName(kinds[0] ?? "");
  if (kinds.length !== 1 || kind === undefined) return "";
  const [one, many] = kind.words;
  if (name === `${kind.name}_ids`) return many;
  return name === `${kind.name}_id` ? printLabel(one) : "";
}

/** A boolean of a oneof, or one whose absence means something else than false. */
function isThreeState(schema: Schema): boolean {
  return schema["x-oneof"] !== undefined || /\bAbsent: /.test(schema.description ?? "");
}

/** Returns the words of a name, such as `Start time` for `start_time`. */
export function printLabel(name: string): string {
  const words = name
    .replaceAll("_", " ")
    .replace(/\b(css|drm|url|vpn)\b/g, (it) => it.toUpperCase())
    .replace(/\bid(s?)\b/g, "ID$1");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Writes the name of a language; a tag that is none stays as it is. */
export function printLanguage(tag: string): string {
  try {
    return new Intl.DisplayNames(undefined, { type: "language" }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}

/** Returns a label for the middle of a sentence, such as `poster image URL`. */
export function printInSentence(label: string): string {
  return /^[A-Z]{2}/.test(label) ? label : label.charAt(0).toLowerCase() + label.slice(1);
}

/** A field, or the members of a oneof, of which at most one is set. */
export interface Entry {
  /** The name of the oneof; empty: a field alone. */
  readonly oneof: string;
  readonly fields: readonly Field[];
}

/** Puts the members of each oneof together, at the place of its first one. */
export function listEntries(fields: readonly Field[]): readonly Entry[] {
  const groups = Map.groupBy(fields, (it) => it.oneof || it).values();
  return Array.from(groups, (group) => ({ oneof: group[0]?.oneof ?? "", fields: group }));
}

/** The fields that a form shows first, in this order. */
const MAIN = [
  ...["name", "slug", "title", "subtitle", "description", "content_type", "type", "visibility"],
  ...["start_time", "end_time", "release_time", "availability", "filter"],
];

/** The entries that fit on a form without a part that is closed at first. */
const OPEN_ENTRIES = 12;

/**
 * Sorts the entries of a form into those that are seen at once and those that most resources do not need. The settings of
 * a type, such as the filter of a rail, come before the fields of all types.
 */
export function arrangeEntries(
  entries: readonly Entry[],
  isSet: (name: string) => boolean,
  isTyped: boolean,
): readonly [shown: readonly Entry[], more: readonly Entry[]] {
  const rankOf = ({ oneof, fields: [field] }: Entry) => {
    if (oneof !== "") return isTyped ? MAIN.length : MAIN.length + 1;
    const rank = MAIN.indexOf(field?.name ?? "");
    return rank < 0 ? MAIN.length + 1 : rank;
  };
  const sorted = entries.toSorted((a, b) => rankOf(a) - rankOf(b));
  if (!isTyped && sorted.length <= OPEN_ENTRIES) return [sorted, []];
  const isShown = (it: Entry) =>
    rankOf(it) < MAIN.length || it.fields.some((field) => field.isRequired || isSet(field.name));
  const shown = sorted.filter(isShown);
  // A form that shows nothing but a name would hide its purpose.
  return shown.length > 1 ? [shown, sorted.filter((it) => !isShown(it))] : [sorted, []];
}
