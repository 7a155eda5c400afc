import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { createContext } from "preact";
import { useContext, useState } from "preact/hooks";
import type { ControlProps } from "./control.ts";
import { JsonTree } from "./json-tree.tsx";
import { inferSchema } from "./proposals.ts";
import { TypedText, Unread } from "./typed-text.tsx";

/** Resources like the edited one: their keys are proposed in fields of any JSON. */
export const Samples = createContext<readonly JsonObject[]>([]);

/** The largest JSON that is shown as a tree, in characters. */
const TREE_SIZE = 64 * 1_024;

/** Any JSON: a tree of its values, or its text. */
export function Json(props: ControlProps) {
  const { field, id, value, onChange, isDisabled } = props;
  const samples = useContext(Samples);
  const [unread] = useContext(Unread);
  const [isText, setText] = useState(id in unread);
  const isLarge = value !== undefined && JSON.stringify(value).length > TREE_SIZE;
  const { anyOf: [convention] = [], additionalProperties } = field.schema;
  const known = convention ?? (typeof additionalProperties === "object" ? field.schema : {});
  const schema = samples.some((it) => field.name in it)
    ? inferSchema(samples.flatMap((it) => it[field.name] ?? []))
    : known;
  return (
    <div class="json">
      {isText || isLarge ? (
        <JsonText {...props} />
      ) : (
        <JsonTree
          {...{ schema, isDisabled }}
          value={value ?? {}}
          label={field.label}
          onChange={(changed) =>
            onChange(isEmptyObject(changed) && !field.oneof ? undefined : changed)
          }
        />
      )}
      {isLarge ? (
        <p class="note">Above 64 KiB, this is shown as text only.</p>
      ) : (
        <button
          type="button"
          class="plain"
          aria-pressed={isText}
          aria-label={`${field.label} as text`}
          onClick={({ currentTarget: { parentElement: place } }) => {
            // A text that is not JSON would be lost.
            if (place?.querySelector("textarea")?.reportValidity() !== false) setText(!isText);
          }}
        >
          {isText ? "As a tree" : "As text"}
        </button>
      )}
    </div>
  );
}

function isEmptyObject(value: JsonValue): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** JSON as text. */
export function JsonText({ field, id, value, onChange, isDisabled }: ControlProps) {
  return (
    <TypedText
      {...{ id, value, onChange }}
      class="code"
      aria-label={`${field.label}, JSON`}
      disabled={isDisabled}
      isLong
      read={(text) => (explain(text) === "" ? JSON.parse(text) : undefined)}
      print={(it) => JSON.stringify(it, undefined, 2)}
      explain={explain}
    />
  );
}

/** Says why a text cannot be parsed as JSON; empty: it can. */
function explain(text: string): string {
  try {
    JSON.parse(text);
    return "";
  } catch (cause) {
    return (cause as Error).message;
  }
}
