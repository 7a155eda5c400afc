import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

/** A button that adds a value. `label`: its name where the words on it do not say enough. */
export function AddButton({
  label,
  look = "add",
  title,
  isDisabled = false,
  onAdd,
  children,
}: {
  label?: string;
  look?: "add" | "proposal";
  title?: string | undefined;
  isDisabled?: boolean;
  onAdd: () => void;
  children: ComponentChildren;
}) {
  return (
    <button
      type="button"
      class={look}
      aria-label={label}
      title={title}
      disabled={isDisabled}
      onClick={onAdd}
    >
      + {children}
    </button>
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
}: {
  /** The words on the button; absent: there is none. */
  button?: string;
  onAdd: (text: string) => void;
  id?: string;
  class?: string;
  disabled: boolean;
  placeholder: string;
  list?: string;
  "aria-invalid"?: boolean;
  "aria-describedby"?: string;
  "aria-label": string;
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
        <AddButton isDisabled={text === ""} onAdd={add}>
          {button}
        </AddButton>
      )}
    </>
  );
}
