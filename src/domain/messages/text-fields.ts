import { type DescField, type DescMessage, getOption } from "@bufbuild/protobuf";
import { TextKind, text as textOption } from "../../../gen/svc/options/v1/text_pb.ts";

/** A field whose descriptor marks it as KQL or as a text with variables. */
export interface TextField {
  readonly field: DescField;
  readonly kind: Exclude<TextKind, typeof TextKind.UNSPECIFIED>;
}

/** Caches the fields by message type: reading an option parses its binary form. */
const TEXT_FIELDS = new WeakMap<DescMessage, readonly TextField[]>();

/** Lists the marked fields of a message type. */
export function listTextFields(schema: DescMessage): readonly TextField[] {
  const known = TEXT_FIELDS.get(schema);
  if (known !== undefined) return known;
  const fields = schema.fields.flatMap((field) => {
    const kind = getOption(field, textOption);
    return kind === TextKind.UNSPECIFIED ? [] : [{ field, kind }];
  });
  TEXT_FIELDS.set(schema, fields);
  return fields;
}
