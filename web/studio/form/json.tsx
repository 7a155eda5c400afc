import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { createContext } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import { useApp } from "../app.ts";
import type { ControlProps } from "./control.ts";
import { JsonTree } from "./json-tree.tsx";
import { inferSchema } from "./proposals.ts";

/** Resources like the edited one: their keys are proposed in fields of any JSON. */
export const Samples = createContext<readonly JsonObject[]>([]);

/** The largest JSON that is shown as a tree, in characters. */
const TREE_SIZE = 64 * 1_024;

/** Any JSON: a tree of its values, or its text. */
export function Json(props: ControlProps) {
  const { field, value, onChange, isDisabled } = props;
  const { document } = useApp();
  const samples = useContext(Samples);
  const [isText, setText] = useState(false);
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
          {...{ schema, document, isDisabled }}
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
          onClick={() => setText(!isText)}
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

/** JSON as text. The value follows the text while that can be parsed; a form with another text is not sent. */
export function JsonText({ field, id, value, onChange, isDisabled }: ControlProps) {
  const element = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(() => print(value));
  const problem = findProblem(text);
  useEffect(() => {
    if (problem === "" && print(parse(text)) !== print(value)) setText(print(value));
  }, [value]);
  useEffect(() => element.current?.setCustomValidity(problem), [problem]);
  return (
    <>
      <textarea
        ref={element}
        id={id}
        class="code"
        aria-label={`${field.label}, JSON`}
        rows={Math.min(24, text.split("\n").length + 1)}
        value={text}
        disabled={isDisabled}
        spellcheck={false}
        aria-invalid={problem !== ""}
        onInput={({ currentTarget: { value: typed } }) => {
          setText(typed);
          if (findProblem(typed) === "") onChange(parse(typed));
        }}
      />
      {problem !== "" && <p class="violation">{problem}</p>}
    </>
  );
}

function print(value: JsonValue | undefined): string {
  return value === undefined ? "" : JSON.stringify(value, undefined, 2);
}

function parse(text: string): JsonValue | undefined {
  return text.trim() === "" ? undefined : (JSON.parse(text) as JsonValue);
}

/** Says why a text cannot be parsed as JSON; empty: it can. */
function findProblem(text: string): string {
  try {
    parse(text);
    return "";
  } catch (cause) {
    return (cause as Error).message;
  }
}
