import type { DescField, DescMessage, JsonObject, Message } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { TextKind } from "../../../gen/svc/options/v1/text_pb.ts";
import { listTextFields, readField, type TextField } from "../descriptors.ts";
import { blameField } from "../errors.ts";
import { parseKql, parseKqlTemplate } from "../kql/index.ts";
import { listJsonTexts } from "./json-texts.ts";
import { parseTextTemplate } from "./text-template.ts";

/**
 * Parses every field of a message that its descriptor marks as KQL or as a text with variables, so that
 * malformed ones are rejected on write. INVALID_ARGUMENT `KQL_SYNTAX`, `KQL_LIMIT` or
 * `VARIABLE_MALFORMED` with the field's path and the column.
 */
export function checkTexts(schema: DescMessage, message: Message, path: string): void {
  const view = reflect(schema, message);
  for (const { field, kind } of listTextFields(schema)) {
    if (!view.isSet(field)) continue;
    const fieldPath = `${path}.${field.name}`;
    if (kind === TextKind.QUERY) {
      for (const it of listJsonTexts(readField(message, field) as JsonObject, fieldPath)) {
        if (it.isKql) blameField(it.path, () => parseKqlTemplate(it.text));
      }
      continue;
    }
    for (const [textPath, text] of textsOf(field, view.get(field), fieldPath)) {
      blameField(textPath, () => parseText(kind, text));
    }
  }
}

function textsOf(field: DescField, value: unknown, path: string): [string, string][] {
  if (field.fieldKind !== "map") return [[path, String(value)]];
  const entries = value as Iterable<[unknown, unknown]>;
  return Array.from(entries, ([key, text]) => [`${path}["${key}"]`, String(text)]);
}

function parseText(kind: Exclude<TextField["kind"], typeof TextKind.QUERY>, text: string): unknown {
  switch (kind) {
    case TextKind.VARIABLES:
      return parseTextTemplate(text);
    case TextKind.KQL:
    case TextKind.KQL_CLAUSE:
      return parseKqlTemplate(text);
    case TextKind.KQL_LITERAL:
      return parseKql(text);
  }
}
