import type { JsonObject } from "@bufbuild/protobuf";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { useApp } from "../app.ts";
import { listCountries } from "../countries.ts";
import type { Proposal } from "../drawing/proposals.ts";
import { parseObject, printEnum } from "../drawing/text.ts";
import { LAST_TIME } from "../form/times.tsx";
import { setAt } from "../resource.ts";
import { changeChoices, type Route } from "../router.ts";
import { Select, Suggestions } from "../select.tsx";
import { TextChoice } from "../text-choice.tsx";

/** The platforms that components can be restricted to. */
const ENVIRONMENTS = ["web", "ios", "android", "tvos", "lg", "samsung", "androidtv"];

/** The viewer and the time of a page. */
export interface Choices {
  /** Empty: every platform. */
  readonly environment: string;
  /** A tag such as `en`. */
  readonly language: string;
  /** Two letters; empty: the country of this machine. */
  readonly country: string;
  /** A local time such as `2026-06-20T18:00`; empty: now. */
  readonly time: string;
  readonly session: JsonObject;
  /** The parameters of the URL of the page. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** Reads the choices in the URL. */
export function parseChoices({ query }: Route): Choices {
  const { environment = "", language = "", country = "", time = "" } = query;
  return {
    ...{ environment, country, time },
    language: language || (navigator.language.split("-")[0] ?? "en"),
    session: parseObject(query.session ?? "") ?? {},
    parameters: (parseObject(query.parameters ?? "") ?? {}) as Record<string, string>,
  };
}

/** Writes choices as the URL has them: texts, and objects in JSON. */
export function printChoices(changes: object): Record<string, string> {
  const texts = Object.entries(changes).map(([name, value]) => {
    if (typeof value === "string") return [name, value];
    const text = JSON.stringify(value ?? {});
    return [name, text === "{}" ? "" : text];
  });
  return Object.fromEntries(texts);
}

/** Changes choices in the URL. */
export function choose(changes: Partial<Choices>): void {
  changeChoices(printChoices(changes));
}

/** Chooses the viewer and the time of the page. */
export function ChoicesBar({
  languages,
  page,
  proposals,
  children,
  more,
}: {
  languages: readonly string[];
  /** The page of the Studio API. */
  page: JsonObject;
  /** Items that the page can be about. */
  proposals: readonly Proposal[];
  /** Further choices, before the others. */
  children?: ComponentChildren;
  /** Further choices that few need. */
  more?: ComponentChildren;
}) {
  const names = ((page.parameters ?? []) as string[]).filter((it) => it !== "q");
  const choices = parseChoices(useApp().route);
  const { parameters } = choices;
  const countries = useMemo(listCountries, []);
  const setParameter = (name: string, value: string) => {
    const changed = setAt(parameters, [name], value || undefined);
    choose({ parameters: changed as Choices["parameters"] });
  };
  return (
    <fieldset class="choices">
      <legend class="unseen">Shown for</legend>
      {children}
      {names.map((name) => (
        <TextChoice
          key={name}
          label={name === "id" ? describe(page) : name}
          hint={name}
          value={parameters[name] ?? ""}
          list={name === "id" ? "composer-proposals" : undefined}
          placeholder={name === "id" ? proposals[0]?.title : undefined}
          onChoose={(value) => setParameter(name, value)}
        />
      ))}
      <Suggestions
        id="composer-proposals"
        options={proposals.map(({ id, title }) => [id, title])}
      />
      <label>
        <span title="environment">Platform</span>
        <Select
          value={choices.environment}
          options={[["", "Every platform"], ...ENVIRONMENTS.map((it) => [it, it] as const)]}
          onChoose={(environment) => choose({ environment })}
        />
      </label>
      <label>
        <span>Language</span>
        <Select
          value={choices.language}
          options={new Set([choices.language, ...languages]).entries()}
          onChoose={(language) => choose({ language })}
        />
      </label>
      <TextChoice
        label="Time"
        hint="X-Preview-Time"
        type="datetime-local"
        max={LAST_TIME}
        value={choices.time}
        onChoose={(time) => time.startsWith("0") || choose({ time })}
      />
      <details>
        <summary>More</summary>
        <label>
          <span title="X-Preview-Country">Country</span>
          <Select
            value={choices.country}
            options={[["", "Here"], ...countries]}
            onChoose={(country) => choose({ country })}
          />
        </label>
        <TextChoice
          label="Search text"
          hint="q"
          value={parameters.q ?? ""}
          onChoose={(value) => setParameter("q", value)}
        />
        <SessionValues session={choices.session} />
        {more}
      </details>
    </fieldset>
  );
}

function describe({ object }: JsonObject): string {
  const words = typeof object === "string" ? printEnum(object, "PAGE_OBJECT_") : "id";
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const EXAMPLE = '{"season": "2026"}';

function SessionValues({ session }: { session: JsonObject }) {
  const [isWrong, setWrong] = useState(false);
  const chosen = Object.keys(session).length === 0 ? "" : JSON.stringify(session);
  const [text, setText] = useState(chosen);
  useEffect(() => setText(chosen), [chosen]);
  return (
    <label>
      <span title="session">What the viewer has chosen (JSON)</span>
      <textarea
        class="code"
        rows={2}
        value={text}
        placeholder={EXAMPLE}
        spellcheck={false}
        aria-invalid={isWrong}
        onInput={(event) => setText(event.currentTarget.value)}
        onChange={(event) => {
          const value = parseObject(event.currentTarget.value.trim() || "{}");
          setWrong(value === undefined);
          if (value !== undefined) choose({ session: value });
        }}
      />
      {isWrong && <span class="violation">Must be a JSON object, such as {EXAMPLE}</span>}
    </label>
  );
}
