import { type Document, lastSegment, resolve, type Schema } from "../openapi.ts";

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
  /** The oneof that it is a member of; empty: none. */
  readonly oneof: string;
  /** The kinds that its id or ids may name; empty: any. */
  readonly references: readonly string[];
}

/** The fields that a form does not show: the view has set them. */
const GIVEN = new Set(["id", "project_id", "organization_id"]);

const WINDOW = "svc.type.v1.Window";
const MONEY = "google.type.Money";

/** Lists the fields of an object in the order of its message. */
export function listFields(schema: Schema, document: Document): readonly Field[] {
  const { properties = {} } = resolve(schema, document);
  return Object.entries(properties)
    .filter(([name]) => !GIVEN.has(name))
    .map(([name, it]) => toField(name, it, document));
}

function toField(name: string, declared: Schema, document: Document): Field {
  const schema = resolve(declared, document);
  const [control, value] = chooseControl(name, schema, document);
  return {
    name,
    label: printLabel(name),
    description: schema.description ?? "",
    control,
    schema: value,
    isReadOnly: schema.readOnly ?? false,
    isDeprecated: schema.deprecated ?? false,
    oneof: schema["x-oneof"] ?? "",
    references: schema["x-reference"] ?? [],
  };
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
  if (format === "date-time") return ["time", schema];
  if (type === "string" && schema.pattern?.endsWith("s$")) return ["duration", schema];
  if (type === "string" && schema["x-text"] !== undefined) return ["code", schema];
  if (type === "string") return [name === "description" ? "long" : "line", schema];
  return ["json", schema];
}

/** A boolean of a oneof, or one whose absence means something else than false. */
function isThreeState(schema: Schema): boolean {
  return schema["x-oneof"] !== undefined || /\bAbsent: /.test(schema.description ?? "");
}

/** Returns the words of a name, such as `Start time` for `start_time`. */
export function printLabel(name: string): string {
  const words = name
    .replaceAll("_", " ")
    .replace(/\burl\b/g, "URL")
    .replace(/\bid(s?)\b/g, "ID$1");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
