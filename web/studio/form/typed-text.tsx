import type { JsonValue } from "@bufbuild/protobuf";
import { useEffect, useRef, useState } from "preact/hooks";

/** The attributes of the input. */
interface InputProps {
  readonly id?: string;
  readonly disabled: boolean;
  readonly inputMode?: "numeric" | "decimal";
  readonly placeholder?: string;
  readonly "aria-label"?: string;
  readonly "aria-invalid"?: boolean;
  readonly "aria-describedby"?: string;
}

/**
 * A text from which a value is read, such as `1:30` for a duration. The value follows the text while that can be read; a
 * form with another text is not sent.
 */
export function TypedText({
  value,
  read,
  print,
  onChange,
  rule,
  ...input
}: {
  value: JsonValue | undefined;
  /** Returns undefined for a text that is none. */
  read: (text: string) => JsonValue | undefined;
  print: (value: JsonValue) => string;
  onChange: (value: JsonValue | undefined) => void;
  /** Says which texts can be read. */
  rule: string;
} & InputProps) {
  const element = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(() => (value === undefined ? "" : print(value)));
  const entered = text.trim() === "" ? undefined : read(text.trim());
  const isWrong = text.trim() !== "" && entered === undefined;
  useEffect(() => {
    if (
      JSON.stringify(entered) !== JSON.stringify(value) &&
      document.activeElement !== element.current
    )
      setText(value === undefined ? "" : print(value));
  }, [value]);
  useEffect(() => element.current?.setCustomValidity(isWrong ? rule : ""), [isWrong, rule]);
  return (
    <>
      <input
        {...input}
        ref={element}
        value={text}
        autocomplete="off"
        spellcheck={false}
        aria-invalid={isWrong || input["aria-invalid"] === true}
        onInput={({ currentTarget: { value: typed } }) => {
          setText(typed);
          const changed = typed.trim() === "" ? undefined : read(typed.trim());
          if (typed.trim() === "" || changed !== undefined) onChange(changed);
        }}
      />
      {isWrong && <span class="violation">{rule}</span>}
    </>
  );
}
