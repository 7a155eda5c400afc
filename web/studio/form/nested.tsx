import type { JsonObject } from "@bufbuild/protobuf";
import { printInSentence } from "../schema.ts";
import { AddButton } from "./adding.tsx";
import type { ControlProps } from "./control.ts";
import { Fields } from "./form.tsx";

/** An object with a form of its own. An object that is not set is another value than an empty one. */
export function Nested({ field, value, onChange, path, violations, isDisabled }: ControlProps) {
  if (value === undefined) {
    return (
      <AddButton disabled={isDisabled} onClick={() => onChange({})}>
        Set {printInSentence(field.label)}
      </AddButton>
    );
  }
  return (
    <div class="nested">
      <Fields
        {...{ path, violations, isDisabled, onChange }}
        schema={field.schema}
        value={value as JsonObject}
      />
      {field.oneof === "" && (
        <button
          type="button"
          class="plain"
          disabled={isDisabled}
          onClick={() => onChange(undefined)}
        >
          Remove {printInSentence(field.label)}
        </button>
      )}
    </div>
  );
}
