import type { ControlProps } from "./form.tsx";

/** One of the values of an enum, in words. */
export function Choice({ field, id, value, onChange, isDisabled }: ControlProps) {
  const names = (field.schema.enum ?? []).map(String);
  const prefix = commonPrefix(names);
  return (
    <select
      id={id}
      value={String(value ?? names[0])}
      disabled={isDisabled}
      onChange={(event) => onChange(event.currentTarget.value)}
    >
      {names.map((name) => (
        <option key={name} value={name}>
          {wordsOf(name.slice(prefix.length))}
        </option>
      ))}
    </select>
  );
}

/** Returns the words that the names of an enum begin with, such as `VISIBILITY_`. */
function commonPrefix(names: readonly string[]): string {
  const [first = ""] = names;
  const words = first.split("_");
  while (words.length > 0) {
    const prefix = `${words.join("_")}_`;
    if (names.every((it) => it.startsWith(prefix))) return prefix;
    words.pop();
  }
  return "";
}

function wordsOf(name: string): string {
  if (name === "UNSPECIFIED") return "Not set";
  const text = name.replaceAll("_", " ").toLowerCase();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Yes or no, where the absence means no. */
export function Switch({ id, value, onChange, isDisabled }: ControlProps) {
  return (
    <input
      id={id}
      type="checkbox"
      checked={value === true}
      disabled={isDisabled}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}

/** Yes, no, or not set. */
export function States({ id, value, onChange, isDisabled }: ControlProps) {
  return (
    <select
      id={id}
      value={value === undefined ? "" : String(value)}
      disabled={isDisabled}
      onChange={({ currentTarget: { value: chosen } }) =>
        onChange(chosen === "" ? undefined : chosen === "true")
      }
    >
      <option value="">Not set</option>
      <option value="true">Yes</option>
      <option value="false">No</option>
    </select>
  );
}
