import { useState } from "preact/hooks";
import { ActButton, type ButtonProps } from "../acts.tsx";
import type { InputProps } from "./control.ts";

/** A button that adds a value. */
export function AddButton({ children, ...attributes }: ButtonProps) {
  return (
    <ActButton class="add" {...attributes}>
      + {children}
    </ActButton>
  );
}

/** A button that removes a value by its name. */
export function RemoveButton({ name, onRemove }: { name: string; onRemove: () => void }) {
  return (
    <button type="button" class="plain" aria-label={`Remove ${name}`} onClick={onRemove}>
      ×
    </button>
  );
}

/** A text that is added by Enter, by the button, or by leaving the input. */
export function AddText({
  button,
  onAdd,
  ...input
}: InputProps & {
  /** The words on the button; absent: there is none. */
  button?: string;
  onAdd: (text: string) => void;
}) {
  const [text, setText] = useState("");
  const add = () => {
    setText("");
    if (text.trim() !== "") onAdd(text.trim());
  };
  return (
    <>
      <input
        {...input}
        type="text"
        value={text}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => setText(event.currentTarget.value)}
        onBlur={add}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          add();
        }}
      />
      {button !== undefined && (
        <AddButton disabled={text === ""} onClick={add}>
          {button}
        </AddButton>
      )}
    </>
  );
}
