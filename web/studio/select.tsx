import type { ComponentProps } from "preact";

interface SelectProps
  extends OptionsProps,
    Omit<ComponentProps<"select">, "onChange" | "role" | "size" | "multiple"> {
  onChoose?(value: string): void;
}

interface OptionsProps {
  readonly options: Iterable<readonly [value: string, words: string]>;
}

/** A choice of one of some values, each with its words. */
export function Select({ options, onChoose, ...attributes }: SelectProps) {
  return (
    <select {...attributes} onChange={(event) => onChoose?.(event.currentTarget.value)}>
      <Options {...{ options }} />
    </select>
  );
}

/** The values that the input of a text proposes, each with its words. */
export function Suggestions({ id, options }: OptionsProps & { id: string }) {
  return (
    <datalist id={id}>
      <Options {...{ options }} />
    </datalist>
  );
}

function Options({ options }: OptionsProps) {
  return Array.from(options, ([value, words]) => (
    <option key={value} value={value} title={value}>
      {words}
    </option>
  ));
}
