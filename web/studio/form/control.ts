import type { JsonValue } from "@bufbuild/protobuf";
import type { ComponentProps } from "preact";
import type { Field } from "../schema.ts";

/** The properties of a control. */
export interface ControlProps {
  readonly field: Field;
  /** The id of the element that the label names. */
  readonly id: string;
  /** Undefined: the field is not set. */
  readonly value: JsonValue | undefined;
  onChange(value: JsonValue | undefined): void;
  /** The path of the value in errors, such as `event.start_time`. */
  readonly path: string;
  /** Descriptions of errors by the path of a field. */
  readonly violations: ReadonlyMap<string, string>;
  readonly isDisabled: boolean;
}

/** More attributes of an input whose value a control handles. */
export type InputProps = Pick<
  ComponentProps<"input">,
  | ("id" | "class" | "disabled" | "inputMode" | "max" | "maxLength" | "placeholder")
  | ("aria-label" | "aria-invalid" | "aria-describedby")
> & { readonly list?: string | undefined };

/** The attributes that the main input of each control has. */
export function inputOf({ id, path, violations, isDisabled }: Omit<ControlProps, "field">) {
  const isInvalid = violations.has(path);
  return {
    id,
    disabled: isDisabled,
    ...(isInvalid && { "aria-invalid": true, "aria-describedby": `${id}-violation` }),
  } as const;
}
