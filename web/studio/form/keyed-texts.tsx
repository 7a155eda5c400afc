import type { JsonObject } from "@bufbuild/protobuf";
import { useEffect, useState } from "preact/hooks";
import { printInSentence, printLanguage } from "../schema.ts";
import { Suggestions } from "../select.tsx";
import { AddButton, AddText, RemoveButton } from "./adding.tsx";
import type { ControlProps } from "./control.ts";

type Pair = readonly [key: string, text: string];

/**
 * Keeps the pairs of a map as they are typed, in their order, and also those without a text, which the value omits.
 */
function usePairs({ value, onChange }: ControlProps, first: readonly Pair[]) {
  const [pairs, setPairs] = useState<readonly Pair[]>(() => pairsOf(value as JsonObject, first));
  useEffect(() => {
    if (JSON.stringify(toMap(pairs)) !== JSON.stringify(value ?? {}))
      setPairs(pairsOf(value as JsonObject, first));
  }, [value]);
  const change = (changed: readonly Pair[]) => {
    setPairs(changed);
    onChange(toMap(changed));
  };
  return [pairs, change] as const;
}

function pairsOf(value: JsonObject | undefined, first: readonly Pair[]): readonly Pair[] {
  const pairs = Object.entries(value ?? {}).map(([key, text]) => [key, String(text)] as const);
  return pairs.length > 0 ? pairs : first;
}

function toMap(pairs: readonly Pair[]): JsonObject {
  return Object.fromEntries(pairs.filter(([key, text]) => key !== "" && text !== ""));
}

const COMMON = ["en", "de", "es", "fr", "it", "pt-BR", "ja", "ko", "zh-Hans", "ar"];

/** A text in several languages, side by side. */
export function Languages(props: ControlProps) {
  const { field, path, violations, isDisabled } = props;
  const [pairs, change] = usePairs(props, [[navigator.language.split("-")[0] ?? "en", ""]]);
  const isLong = field.name === "description";
  return (
    <>
      <div class="by-language">
        {pairs.map(([key, text], index) => {
          const input = {
            lang: key,
            dir: "auto",
            value: text,
            disabled: isDisabled,
            "aria-label": `${field.label}, ${printLanguage(key)}`,
            onInput: ({ currentTarget }: { currentTarget: { value: string } }) =>
              change(pairs.with(index, [key, currentTarget.value])),
          } as const;
          const violation = violations.get(`${path}.${key}`);
          return (
            <div key={key} class="language" data-invalid={violation !== undefined || undefined}>
              <span class="note" aria-hidden="true">
                {printLanguage(key)} <code>{key}</code>
              </span>
              {isLong ? <textarea rows={3} {...input} /> : <input autocomplete="off" {...input} />}
              {violation !== undefined && <span class="violation">{violation}</span>}
            </div>
          );
        })}
      </div>
      <div class="acts">
        <AddText
          class="short"
          list="languages"
          aria-label={`Language to add to ${printInSentence(field.label)}`}
          placeholder={`Such as ${COMMON.find((tag) => !pairs.some(([key]) => key === tag))}`}
          disabled={isDisabled}
          button="Language"
          onAdd={(tag) => !pairs.some(([key]) => key === tag) && change([...pairs, [tag, ""]])}
        />
        <Suggestions id="languages" options={COMMON.map((it) => [it, printLanguage(it)])} />
      </div>
    </>
  );
}

/** Texts by a key that the person chooses. */
export function Texts(props: ControlProps) {
  const { field, isDisabled } = props;
  const [pairs, change] = usePairs(props, []);
  const keys = pairs.map(([key]) => key);
  return (
    <>
      {pairs.map(([key, text], index) => (
        <div key={index} class="pair">
          <input
            class="code"
            aria-label={`Key ${index + 1} of ${printInSentence(field.label)}`}
            placeholder="Key"
            required={text !== ""}
            ref={(input) => {
              const isTwice = key !== "" && keys.indexOf(key) < index;
              input?.setCustomValidity(isTwice ? "Another text has this key" : "");
            }}
            value={key}
            disabled={isDisabled}
            onInput={(event) => change(pairs.with(index, [event.currentTarget.value, text]))}
          />
          <input
            class="code"
            aria-label={`Text of ${key || `key ${index + 1}`}`}
            placeholder="Text"
            value={text}
            disabled={isDisabled}
            onInput={(event) => change(pairs.with(index, [key, event.currentTarget.value]))}
          />
          {!isDisabled && (
            <RemoveButton
              name={key || `key ${index + 1}`}
              onRemove={() => change(pairs.toSpliced(index, 1))}
            />
          )}
        </div>
      ))}
      <AddButton disabled={isDisabled} onClick={() => change([...pairs, ["", ""]])}>
        Add to {printInSentence(field.label)}
      </AddButton>
    </>
  );
}
