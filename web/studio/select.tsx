import type { ComponentProps } from "preact";

interface SelectProps
  extends Omit<ComponentProps<"select">, "onChange" | "role" | "size" | "multiple"> {
  readonly options: Iterable<readonly [value: string, words: string]>;
  onChoose?(value: string): void;
}

/** A choice of one of some values, each with its words. */
export function Select({ options, onChoose, ...attributes }: SelectProps) {
  return (
    <select {...attributes} onChange={(event) => onChoose?.(event.currentTarget.value)}>
      {Array.from(options, ([value, words]) => (
        <option key={value} value={value} title={value}>
          {words}
        </option>
      ))}
    </select>
  );
}
