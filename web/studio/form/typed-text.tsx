import type { JsonValue } from "@bufbuild/protobuf";
import { createContext } from "preact";
import { useContext, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { InputProps } from "./control.ts";

type Texts = Readonly<Record<string, string>>;

/** The texts of a form that cannot be read, by the id or the name of their input, and how they are changed. */
export const Unread = createContext<readonly [Texts, (change: (texts: Texts) => Texts) => void]>([
  {},
  () => {},
]);

/** The most lines of a text that are shown at once. */
const MOST_LINES = 24;

/**
 * A text from which a value is read, such as `1:30` for a duration. The value follows the text while that can be read; a
 * form with another text is not sent.
 */
export function TypedText({
  value,
  read,
  print,
  onChange,
  explain,
  isLong = false,
  ...input
}: {
  value: JsonValue | undefined;
  /** Returns undefined for a text that is none. */
  read: (text: string) => JsonValue | undefined;
  print: (value: JsonValue) => string;
  onChange: (value: JsonValue | undefined) => void;
  /** Says why a text cannot be read. */
  explain: (text: string) => string;
  /** True if the text has several lines. */
  isLong?: boolean;
} & InputProps) {
  const element = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  const [unread, changeUnread] = useContext(Unread);
  const name = String(input.id ?? input["aria-label"]);
  const [text, setText] = useState(() => unread[name] ?? (value === undefined ? "" : print(value)));
  const readOrEmpty = (it: string) => (it.trim() === "" ? undefined : read(it.trim()));
  const entered = readOrEmpty(text);
  const problem = text.trim() !== "" && entered === undefined ? explain(text.trim()) : "";
  useEffect(() => {
    const isOther = JSON.stringify(entered) !== JSON.stringify(value);
    if (isOther && problem === "" && document.activeElement !== element.current)
      setText(value === undefined ? "" : print(value));
  }, [value]);
  useEffect(() => element.current?.setCustomValidity(problem), [problem]);
  useLayoutEffect(() => {
    if (problem === "") return;
    changeUnread((it) => ({ ...it, [name]: text }));
    return () => changeUnread(({ [name]: _, ...others }) => others);
  }, [problem, text]);
  const attributes = {
    ...input,
    ref: element,
    value: text,
    autocomplete: "off",
    spellcheck: false,
    "aria-invalid": problem !== "" || input["aria-invalid"] === true,
    onInput: ({ currentTarget: { value: typed } }: { currentTarget: { value: string } }) => {
      setText(typed);
      const changed = readOrEmpty(typed);
      if (typed.trim() === "" || changed !== undefined) onChange(changed);
    },
  } as const;
  const rows = Math.min(MOST_LINES, text.split("\n").length + 1);
  return (
    <>
      {isLong ? <textarea {...attributes} rows={rows} /> : <input {...attributes} type="text" />}
      {problem !== "" && <span class="violation">{problem}</span>}
    </>
  );
}
