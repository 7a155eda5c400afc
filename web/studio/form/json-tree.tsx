import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Schema } from "../../openapi.ts";
import { useApp } from "../app.ts";
import { setAt } from "../resource.ts";
import { Select } from "../select.tsx";
import { AddButton, AddText, RemoveButton } from "./adding.tsx";
import { YES_OR_NO } from "./choices.tsx";
import { MovableRows } from "./movable.tsx";
import { readNumber } from "./numbers.tsx";
import {
  firstValueOf,
  inferSchema,
  listProposals,
  schemaBelow,
  TYPES,
  type TypeName,
} from "./proposals.ts";
import { TypedText } from "./typed-text.tsx";

interface TreeProps {
  /** The schema of similar values: its keys are proposed. */
  readonly schema: Schema;
  readonly value: JsonValue;
  /** The words of its path, such as `Fields, score, home`. */
  readonly label: string;
  onChange(value: JsonValue): void;
  readonly isDisabled: boolean;
}

type TreeOf<T extends JsonValue> = Omit<TreeProps, "value"> & { readonly value: T };

/** Any JSON, each value with the input of its type. */
export function JsonTree(props: TreeProps) {
  const { value, label, onChange, isDisabled } = props;
  if (Array.isArray(value)) return <Elements {...props} value={value} />;
  if (value !== null && typeof value === "object") return <Members {...props} value={value} />;
  if (value === null) return <span class="note">empty</span>;
  if (typeof value === "boolean") {
    return (
      <Select
        aria-label={label}
        value={String(value)}
        disabled={isDisabled}
        options={YES_OR_NO}
        onChoose={(chosen) => onChange(chosen === "true")}
      />
    );
  }
  if (typeof value === "number") {
    return (
      <TypedText
        aria-label={label}
        value={value}
        disabled={isDisabled}
        inputMode="decimal"
        read={readNumber}
        print={String}
        explain={() => "A number, such as 2"}
        onChange={(changed) => changed !== undefined && onChange(changed)}
      />
    );
  }
  return <JsonString {...props} value={value} />;
}

/** A text, with lines if it is long at first: an input that turned into another would lose the focus. */
function JsonString({ value, label, onChange, isDisabled }: TreeOf<string>) {
  const [isLong] = useState(value.length > 80 || value.includes("\n"));
  const input = {
    "aria-label": label,
    value,
    disabled: isDisabled,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) =>
      onChange(currentTarget.value),
  };
  return isLong ? <textarea rows={3} {...input} /> : <input autocomplete="off" {...input} />;
}

/** The members of an object, and the keys that others of its kind have. */
function Members({ schema, value, label, onChange, isDisabled }: TreeOf<JsonObject>) {
  const { document } = useApp();
  const place = useRef<HTMLDivElement>(null);
  const [added, setAdded] = useState("");
  useLayoutEffect(() => {
    const member = place.current?.children[Object.keys(value).indexOf(added)];
    const control = member?.querySelector<HTMLElement>("input, select, textarea, button");
    control?.focus();
    if (control instanceof HTMLInputElement) control.select();
  }, [added]);
  return (
    <div class="tree" ref={place}>
      {Object.entries(value).map(([key, it]) => {
        const below = {
          isDisabled,
          schema: schemaBelow(schema, key, document),
          value: it,
          label: `${label}, ${key}`,
          onChange: (changed: JsonValue) => onChange({ ...value, [key]: changed }),
        };
        const name = <code>{key}</code>;
        const tree = <JsonTree {...below} />;
        const isBranch = it !== null && typeof it === "object";
        return (
          <div key={key} class={isBranch ? "branch" : "leaf"}>
            {isBranch ? (
              <details open>
                <summary>{name}</summary>
                {tree}
              </details>
            ) : (
              <>
                {name}
                {tree}
              </>
            )}
            {!isDisabled && (
              <RemoveButton
                name={below.label}
                onRemove={() => onChange(setAt(value, [key], undefined))}
              />
            )}
          </div>
        );
      })}
      {!isDisabled && (
        <NewMember
          label={label}
          proposals={listProposals(schema, value, document)}
          onAdd={(key, it) => {
            if (!Object.hasOwn(value, key)) onChange({ ...value, [key]: it });
            setAdded(key);
          }}
        />
      )}
    </div>
  );
}

/** Adds a member: a proposed one by a click, another one by its key and type. */
function NewMember({
  label,
  proposals,
  onAdd,
}: {
  label: string;
  proposals: readonly (readonly [key: string, schema: Schema])[];
  onAdd: (key: string, value: JsonValue) => void;
}) {
  const [type, setType] = useState<TypeName>("string");
  const [isAdding, setAdding] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => place.current?.querySelector("select")?.focus(), [isAdding]);
  return (
    <div class="acts new-member" ref={place}>
      {proposals.map(([name, schema]) => (
        <AddButton
          key={name}
          class="proposal"
          title={schema.description}
          aria-label={`Add ${name} to ${label}`}
          onClick={() => onAdd(name, firstValueOf(schema))}
        >
          {name}
        </AddButton>
      ))}
      {isAdding ? (
        <>
          <Select
            aria-label={`Type of the key to add to ${label}`}
            value={type}
            options={Object.entries(TYPES).map(([name, [words]]) => [name, words])}
            onChoose={(name) => setType(name as TypeName)}
          />
          <AddText
            class="short"
            aria-label={`Key to add to ${label}`}
            placeholder="Key"
            disabled={false}
            button="Add"
            onAdd={(key) => {
              onAdd(key, structuredClone(TYPES[type][1]) as JsonValue);
              setAdding(false);
            }}
          />
        </>
      ) : (
        <AddButton
          class="proposal"
          aria-label={`Add another key to ${label}`}
          onClick={() => setAdding(true)}
        >
          …
        </AddButton>
      )}
    </div>
  );
}

/** The elements of a list: a new one has the type of the last. */
function Elements({ schema, value, label, onChange, isDisabled }: TreeOf<JsonValue[]>) {
  const { document } = useApp();
  const last = value.at(-1);
  return (
    <>
      <MovableRows
        rows={value}
        isDisabled={isDisabled}
        nameOf={(_, index) => `${label}, ${index + 1}`}
        onChange={onChange}
      >
        {(it, index) => (
          <JsonTree
            isDisabled={isDisabled}
            schema={schemaBelow(schema, index, document)}
            value={it}
            label={`${label}, ${index + 1}`}
            onChange={(changed) => onChange(value.with(index, changed))}
          />
        )}
      </MovableRows>
      <AddButton
        aria-label={`Add to ${label}`}
        disabled={isDisabled}
        onClick={() => {
          const known = last === undefined ? schemaBelow(schema, 0, document) : inferSchema([last]);
          onChange([...value, firstValueOf(known)]);
        }}
      >
        Add
      </AddButton>
    </>
  );
}
