import { lastSegment } from "../../openapi.ts";
import { useApp } from "../app.ts";
import { Select } from "../select.tsx";
import { type ControlProps, inputOf } from "./control.ts";

/** One of the values of an enum, in words, with the comment of the chosen one. */
export function Choice(props: ControlProps) {
  const { field, value, onChange } = props;
  const { document } = useApp();
  const names = (field.schema.enum ?? []).map(String);
  const [none = ""] = names;
  const chosen = String(value ?? none);
  const { description = "" } =
    document.components.schemas[lastSegment(field.schema.$ref ?? "")] ?? {};
  const words = printNames(names);
  const comments = new Map(
    Array.from(description.matchAll(/^- `(\w+)`: (.+)$/gm), ([, name, text = ""]) => [
      name,
      text.replace(/\w+/g, (it) => words.get(it) ?? it),
    ]),
  );
  return (
    <div class="choice">
      <Select {...inputOf(props)} value={chosen} options={words} onChoose={onChange} />
      {comments.has(chosen) && <span class="note">{comments.get(chosen)}</span>}
    </div>
  );
}

/** Returns the words of the names of an enum, without the words that all of them begin with. */
export function printNames(names: readonly string[]): ReadonlyMap<string, string> {
  const prefix = commonPrefix(names);
  return new Map(names.map((it) => [it, wordsOf(it.slice(prefix.length))]));
}

/** Returns the words that the names of an enum begin with, such as `VISIBILITY_`. */
function commonPrefix([first = "", ...others]: readonly string[]): string {
  const prefixes = Array.from(first.matchAll(/_/g), ({ index }) => first.slice(0, index + 1));
  return prefixes.findLast((it) => others.every((name) => name.startsWith(it))) ?? "";
}

function wordsOf(name: string): string {
  if (name === "UNSPECIFIED") return "Not set";
  const text = name.replaceAll("_", " ").toLowerCase();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Yes or no, where the absence means no. */
export function Switch(props: ControlProps) {
  const { value, onChange } = props;
  return (
    <input
      {...inputOf(props)}
      type="checkbox"
      checked={value === true}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}

/** Yes, no, or not set. */
export function States(props: ControlProps) {
  const { value, onChange } = props;
  return (
    <Select
      {...inputOf(props)}
      value={String(value ?? "")}
      options={[["", "Not set"], ...YES_OR_NO]}
      onChoose={(chosen) => onChange(chosen === "" ? undefined : chosen === "true")}
    />
  );
}

/** The values of a boolean. */
export const YES_OR_NO = [
  ["true", "Yes"],
  ["false", "No"],
] as const;
