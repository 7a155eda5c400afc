import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { useCallback, useRef } from "preact/hooks";
import { isObject } from "../../../src/domain/base/json.ts";
import { printRow } from "../drawing/text.ts";
import { type Field, printInSentence } from "../schema.ts";
import { AddButton } from "./adding.tsx";
import type { ControlProps } from "./control.ts";
import { Fields } from "./form.tsx";
import { JsonTree } from "./json-tree.tsx";
import { MovableRows } from "./movable.tsx";
import { isAmount, printMoney } from "./numbers.tsx";

/** A list of objects, each with a form of its own. */
export function Rows({ field, value, onChange, path, violations, isDisabled }: ControlProps) {
  const rows = (value ?? []) as JsonValue[];
  const isAdded = useRef(false);
  const openAdded = useCallback((row: HTMLDetailsElement | null) => {
    if (row !== null && isAdded.current) row.open = true;
    isAdded.current = false;
  }, []);
  const nameOf = (row: JsonValue, index: number) => nameOfRow(row) || `Item ${index + 1}`;
  const { schema } = field;
  return (
    <>
      <MovableRows {...{ rows, nameOf, isDisabled }} onChange={onChange}>
        {(row, index) => {
          const replace = (changed: JsonValue) => onChange(rows.with(index, changed));
          const isInvalid = [...violations.keys()].some((it) => it.startsWith(`${path}[${index}]`));
          return (
            <details ref={openAdded} open={isInvalid}>
              <summary>{nameOf(row, index)}</summary>
              {schema.properties === undefined ? (
                <JsonTree
                  isDisabled={isDisabled}
                  schema={schema.anyOf?.[0] ?? schema}
                  value={row}
                  label={nameOf(row, index)}
                  onChange={replace}
                />
              ) : (
                <Fields
                  {...{ schema, violations, isDisabled }}
                  path={`${path}[${index}]`}
                  value={row as JsonObject}
                  onChange={replace}
                />
              )}
            </details>
          );
        }}
      </MovableRows>
      <AddButton
        disabled={isDisabled}
        onClick={() => {
          isAdded.current = true;
          onChange([...rows, createRow(field, rows)]);
        }}
      >
        Add to {printInSentence(field.label)}
      </AddButton>
    </>
  );
}

/** Creates a row. If rows have ids, it has a free one, such as `price-1`, which can be changed. */
function createRow({ name, schema }: Field, rows: readonly JsonValue[]): JsonObject {
  const id = schema.properties?.id;
  if (id === undefined || id["x-reference"] !== undefined) return {};
  const taken = new Set(rows.map((it) => (it as JsonObject).id));
  let number = 1;
  while (taken.has(idOf(name, number))) number += 1;
  return { id: idOf(name, number) };
}

function idOf(list: string, number: number): string {
  return `${list.replace(/s$/, "")}-${number}`;
}

/** Returns the words for a row: its price, else its name. */
function nameOfRow(row: JsonValue): string {
  const { amount } = isObject(row) ? row : {};
  return isAmount(amount) ? printMoney(amount) : printRow(row, navigator.language);
}
