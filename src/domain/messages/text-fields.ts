import { type DescField, type DescMessage, getOption } from "@bufbuild/protobuf";
import { TextKind, text as textOption } from "../../../gen/svc/options/v1/text_pb.ts";
import { perDescriptor } from "./per-descriptor.ts";

/** A field whose descriptor marks it as KQL or as a text with variables. */
export interface TextField {
  readonly field: DescField;
  readonly kind: Exclude<TextKind, typeof TextKind.UNSPECIFIED>;
}

/** Lists the marked fields of a message type. */
export const listTextFields = perDescriptor((schema: DescMessage): readonly TextField[] =>
  schema.fields.flatMap((field) => {
    const kind = getOption(field, textOption);
    return kind === TextKind.UNSPECIFIED ? [] : [{ field, kind }];
  }),
);
