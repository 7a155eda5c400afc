import type { JsonValue } from "@bufbuild/protobuf";
import { useState } from "preact/hooks";
import { setAt } from "../resource.ts";
import { type Entry, type Field, printLabel } from "../schema.ts";
import { Select } from "../select.tsx";
import { addressOf, FormField, type FormProps } from "./form.tsx";

/** A choice of a oneof's members: the chosen one has its control, and the others are cleared. */
export function OneofField({ entry, ...form }: FormProps & { entry: Entry }) {
  const { value, onChange, path, isDisabled } = form;
  const { oneof, fields: members } = entry;
  const [picked, setPicked] = useState("");
  const set = members.find(({ name }) => name in value)?.name;
  const isTyped = isTypeOf(entry, value.type);
  const chosen = members.find(({ name }) => name === (set ?? (picked || value.type)));
  const change = (name: string, changed: JsonValue | undefined) => {
    const others = members.reduce((it, member) => setAt(it, [member.name], undefined), value);
    onChange(setAt(isTyped ? { ...others, type: name } : others, [name], changed));
  };
  const id = `${path}.${oneof}`;
  return (
    <fieldset class="oneof">
      <div class="label">
        <label class="name" for={id} title={oneof}>
          {printLabel(oneof)}
        </label>
      </div>
      <Select
        id={id}
        value={chosen?.name ?? ""}
        disabled={isDisabled}
        options={[
          ...(isTyped ? [] : [["", "None of these"] as const]),
          ...members.map(({ name, label }) => [name, label] as const),
        ]}
        onChoose={(name) => {
          setPicked(name);
          change(name, firstValueOf(members.find((it) => it.name === name)));
        }}
      />
      {chosen !== undefined && (
        <FormField
          key={chosen.name}
          {...form}
          {...addressOf(form, chosen)}
          onChange={(changed) => {
            setPicked(chosen.name);
            change(chosen.name, changed);
          }}
        />
      )}
    </fieldset>
  );
}

/** Reports whether the field `type` names the member of a oneof that is set, as in components of pages. */
export function isTypeOf({ oneof, fields }: Entry, type: JsonValue | undefined): boolean {
  return oneof !== "" && fields.some(({ name }) => name === type);
}

/** The value that a member has when it is chosen; undefined: the person enters the first. */
function firstValueOf(field: Field | undefined): JsonValue | undefined {
  if (field?.control === "object" || field?.control === "json") return {};
  return field?.control === "states" ? true : undefined;
}
