import { useEffect, useRef, useState } from "preact/hooks";
import { useLoad } from "../load.tsx";
import { Thumbnail } from "../marks.tsx";
import type { Access } from "../resource.ts";
import { printInSentence } from "../schema.ts";
import { Select } from "../select.tsx";
import { type Hit, searchKind } from "./search.ts";

/** How long a person stops typing before a search begins, in milliseconds. */
const PAUSE = 250;

/** The ids that can be chosen without a hit: of a resource that comes later, or a variable such as `{id}`. */
const ID = /^([a-zA-Z0-9][\w.~-]{0,63}|\{[\w.]+\})$/;

/** A search box with a list of hits: the combobox of the ARIA practices, whose focus stays in the input. */
export function Combobox({
  id,
  label,
  kinds,
  chosen,
  onChoose,
}: {
  id: string;
  label: string;
  /** The kinds to choose from; with several, one is searched at a time. */
  kinds: readonly Access[];
  /** The ids that are chosen already. */
  chosen: readonly string[];
  onChoose: (hit: Hit) => void;
}) {
  const [text, setText] = useState("");
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const [name, setName] = useState(kinds[0]?.kind.name);
  const access = kinds.find(({ kind }) => kind.name === name);
  const list = useRef<HTMLDivElement>(null);
  const typed = useDebounced(text.trim());
  const isSearched = isOpen && typed === text.trim();
  const found = useLoad<readonly Hit[]>(
    async (signal) => (isSearched && access ? searchKind(access, typed, signal) : []),
    [isSearched, name, typed],
  );
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [active]);
  const isSettled = isSearched && !found.isLoading;
  const hits = (isSettled ? (found.value ?? []) : []).filter((it) => !chosen.includes(it.id));
  const isNewId =
    isSettled && ID.test(typed) && ![...hits.map((it) => it.id), ...chosen].includes(typed);
  const options: readonly Hit[] = isNewId
    ? [...hits, { id: typed, title: typed, picture: "", kind: undefined }]
    : hits;
  const choose = (hit: Hit | undefined) => {
    if (hit === undefined) return;
    onChoose(hit);
    setText("");
    setOpen(false);
    setActive(0);
  };
  const optionId = (index: number) => `${id}-option-${index}`;
  return (
    <div class="combobox">
      {kinds.length > 1 && (
        <Select
          aria-label={`Kind, ${printInSentence(label)}`}
          value={name}
          options={kinds.map(({ kind }) => [kind.name, kind.words[1]])}
          onChoose={setName}
        />
      )}
      <input
        ref={(input) => {
          input?.setCustomValidity(text.trim() && "Choose one of the hits, or empty this text");
        }}
        id={id}
        role="combobox"
        aria-label={label}
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={`${id}-hits`}
        aria-activedescendant={isOpen && options.length > 0 ? optionId(active) : undefined}
        placeholder={`Search ${access?.kind.words[1].toLowerCase() ?? ""} by title or ID`}
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setActive(0);
          setOpen(event.currentTarget.value.trim() !== "");
        }}
        onBlur={() => setOpen(false)}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown" || event.key === "ArrowUp") {
            event.preventDefault();
            const step = event.key === "ArrowDown" ? 1 : options.length - 1;
            if (isOpen) setActive((active + step) % Math.max(1, options.length));
            else setOpen(true);
          } else if (event.key === "Enter") {
            event.preventDefault();
            if (isOpen) choose(options[active]);
          } else if (event.key === "Escape" && isOpen) {
            event.preventDefault();
            setOpen(false);
          }
        }}
      />
      <div ref={list} id={`${id}-hits`} role="listbox" aria-label={label} hidden={!isOpen}>
        {options.map((hit, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input has the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the input
          <div
            key={hit.id}
            id={optionId(index)}
            role="option"
            aria-selected={index === active}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(hit)}
          >
            {hit.kind?.hasPictures && <Thumbnail url={hit.picture} />}
            <span>
              {hit.kind === undefined ? "Use the ID " : hit.title}
              <small>{hit.id}</small>
            </span>
          </div>
        ))}
      </div>
      <span class={isOpen && hits.length === 0 ? "note" : "unseen"} role="status">
        {isOpen && printState(isSettled, found.error?.message, hits.length)}
      </span>
    </div>
  );
}

function printState(isSettled: boolean, error: string | undefined, count: number): string {
  if (!isSettled) return "Searching …";
  if (error !== undefined) return error;
  return count === 1 ? "1 hit" : `${count} hits`;
}

/** Returns a text once the person has stopped typing it, for some milliseconds. */
export function useDebounced(text: string, pause = PAUSE): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pause);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
