import type { JsonObject } from "@bufbuild/protobuf";
import { useState } from "preact/hooks";
import { ENVIRONMENTS } from "../../preview/choices.ts";
import { describeObject, type Proposal } from "../../preview/proposals.ts";
import { isObject } from "../../preview/text.ts";
import type { Route } from "../router.ts";

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
    session: parseObject(query.session) ?? {},
    parameters: (parseObject(query.parameters) ?? {}) as Record<string, string>,
  };
}

/** Writes choices as the URL has them. */
export function printChoices(changes: Partial<Choices>): Record<string, string> {
  const texts = Object.entries(changes).map(([name, value]) => {
    if (typeof value === "string") return [name, value];
    return [name, Object.keys(value ?? {}).length === 0 ? "" : JSON.stringify(value)];
  });
  return Object.fromEntries(texts);
}

function parseObject(text = ""): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text || "{}");
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Chooses the viewer and the time of the page. */
export function ChoicesBar({
  choices,
  choose,
  languages,
  page,
  proposals,
}: {
  choices: Choices;
  choose: (changes: Partial<Choices>) => void;
  languages: readonly string[];
  /** The page of the Studio API. */
  page: JsonObject;
  /** Items that the page can be about. */
  proposals: readonly Proposal[];
}) {
  const names = [...((page.parameters ?? []) as string[]), "q"];
  const { parameters } = choices;
  const setParameter = (name: string, value: string) => {
    const { [name]: _, ...others } = parameters;
    choose({ parameters: value === "" ? others : { ...others, [name]: value } });
  };
  return (
    <fieldset class="choices">
      <legend class="unseen">Shown for</legend>
      {names
        .filter((it) => it !== "q")
        .map((name) => (
          <label key={name}>
            <span title={name}>{name === "id" ? describe(page) : name}</span>
            <input
              value={parameters[name] ?? ""}
              list={name === "id" ? "composer-proposals" : undefined}
              placeholder={name === "id" ? proposals[0]?.title : undefined}
              onChange={(event) => setParameter(name, event.currentTarget.value.trim())}
            />
          </label>
        ))}
      <datalist id="composer-proposals">
        {proposals.map(({ id, title }) => (
          <option key={id} value={id}>
            {title}
          </option>
        ))}
      </datalist>
      <label>
        <span title="environment">Platform</span>
        <select
          value={choices.environment}
          onChange={(event) => choose({ environment: event.currentTarget.value })}
        >
          <option value="">Every platform</option>
          {ENVIRONMENTS.map((it) => (
            <option key={it}>{it}</option>
          ))}
        </select>
      </label>
      <label>
        <span>Language</span>
        <select
          value={choices.language}
          onChange={(event) => choose({ language: event.currentTarget.value })}
        >
          {[...new Set([choices.language, ...languages])].map((it) => (
            <option key={it}>{it}</option>
          ))}
        </select>
      </label>
      <label>
        <span title="X-Preview-Time">Time</span>
        <input
          type="datetime-local"
          value={choices.time}
          onChange={(event) => choose({ time: event.currentTarget.value })}
        />
      </label>
      <details>
        <summary>More</summary>
        <label>
          <span title="X-Preview-Country">Country</span>
          <input
            value={choices.country}
            maxLength={2}
            placeholder="Here"
            onChange={(event) => choose({ country: event.currentTarget.value.toUpperCase() })}
          />
        </label>
        <label>
          <span title="q">Search text</span>
          <input
            value={parameters.q ?? ""}
            onChange={(event) => setParameter("q", event.currentTarget.value)}
          />
        </label>
        <SessionValues session={choices.session} onChange={(session) => choose({ session })} />
      </details>
    </fieldset>
  );
}

function describe({ object }: JsonObject): string {
  const words = typeof object === "string" ? describeObject(object).replace("id of ", "") : "id";
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function SessionValues({
  session,
  onChange,
}: {
  session: JsonObject;
  onChange: (session: JsonObject) => void;
}) {
  const [isWrong, setWrong] = useState(false);
  const text = Object.keys(session).length === 0 ? "" : JSON.stringify(session);
  return (
    <label>
      <span title="session">What the viewer has chosen (JSON)</span>
      <textarea
        class="code"
        rows={2}
        value={text}
        placeholder={'{"season": "2026"}'}
        spellcheck={false}
        aria-invalid={isWrong}
        onChange={(event) => {
          const value = parseObject(event.currentTarget.value.trim());
          setWrong(value === undefined);
          if (value !== undefined) onChange(value);
        }}
      />
    </label>
  );
}
