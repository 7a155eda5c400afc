import type { JsonValue } from "@bufbuild/protobuf";
import { useEffect, useState } from "preact/hooks";
import type { ControlProps } from "./form.tsx";

/** Any JSON, as text. The value follows the text while that can be parsed. */
export function Json({ id, value, onChange, isDisabled }: ControlProps) {
  const [text, setText] = useState(() => print(value));
  const [problem, setProblem] = useState("");
  useEffect(() => {
    if (print(parse(text)) !== print(value)) setText(print(value));
  }, [value]);
  return (
    <div>
      <textarea
        id={id}
        class="code"
        rows={Math.min(16, text.split("\n").length + 1)}
        value={text}
        disabled={isDisabled}
        spellcheck={false}
        aria-invalid={problem !== ""}
        onInput={({ currentTarget: { value: typed } }) => {
          setText(typed);
          try {
            onChange(typed.trim() === "" ? undefined : (JSON.parse(typed) as JsonValue));
            setProblem("");
          } catch (cause) {
            setProblem((cause as Error).message);
          }
        }}
      />
      {problem !== "" && <p class="violation">{problem}</p>}
    </div>
  );
}

function print(value: JsonValue | undefined): string {
  return value === undefined ? "" : JSON.stringify(value, undefined, 2);
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
