import { useEffect, useState } from "preact/hooks";
import type { InputProps } from "./form/control.ts";

/**
 * Chooses a text by Enter or by leaving it. The page loads again every few seconds: a text that is being typed stays. `hint`
 * names the choice as the API does.
 */
export function TextChoice({
  label,
  hint,
  value,
  onChoose,
  ...attributes
}: InputProps & {
  label: string;
  hint?: string;
  type?: "date" | "datetime-local";
  value: string;
  onChoose: (value: string) => void;
}) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  return (
    <label>
      <span title={hint}>{label}</span>
      <input
        {...attributes}
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onChange={(event) => onChoose(event.currentTarget.value.trim())}
      />
    </label>
  );
}
