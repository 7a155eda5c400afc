import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Schema } from "../../openapi.ts";
import { useApp } from "../app.ts";
import { Prose } from "../drawn.tsx";
import { type Field, listFields } from "../schema.ts";
import { CONTROLS } from "./controls.ts";

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

/** The properties of a form. */
export interface FormProps extends Omit<ControlProps, "field" | "id" | "value" | "onChange"> {
  readonly schema: Schema;
  readonly value: JsonObject;
  onChange(value: JsonObject): void;
}

/** Shows the fields of an object, each with its control. A field without a value of its own is cleared by undefined. */
export function Form({ schema, value, onChange, path, violations, isDisabled }: FormProps) {
  const { document } = useApp();
  const fields = listFields(schema, document);
  const shown = fields.filter((it) => !it.isReadOnly && (!it.isDeprecated || it.name in value));
  return (
    <div class="fields">
      {shown.map((field) => (
        <FormField
          key={field.name}
          {...{ field, violations, isDisabled }}
          id={`${path}.${field.name}`}
          path={`${path}.${field.name}`}
          value={value[field.name]}
          onChange={(changed) => {
            const { [field.name]: _, ...others } = value;
            onChange(changed === undefined ? others : { ...value, [field.name]: changed });
          }}
        />
      ))}
    </div>
  );
}

/** Shows a field: its label with the comment of the schema, its control, and the error of the server about it. */
export function FormField(props: ControlProps) {
  const { field, id, path, violations } = props;
  const Control = CONTROLS[field.control];
  const violation = violations.get(path);
  return (
    <div class={`field ${field.control}`} data-invalid={violation !== undefined || undefined}>
      <div class="label">
        <label for={id} title={field.name}>
          {field.label}
        </label>
        <details class="help">
          <summary aria-label={`About ${field.label}`}>?</summary>
          <Prose text={field.description} />
        </details>
      </div>
      <Control {...props} />
      {violation !== undefined && (
        <p class="violation" id={`${id}-violation`} role="alert">
          {violation}
        </p>
      )}
    </div>
  );
}
