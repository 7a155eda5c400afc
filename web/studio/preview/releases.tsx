import type { JsonObject } from "@bufbuild/protobuf";
import { useApp } from "../app.ts";
import type { Choices } from "../composer/choices.tsx";
import type { Version } from "../composer/page.ts";
import { describe, nameOf, stateOf } from "../releases/list.tsx";
import { changeChoices } from "../router.ts";
import { Select } from "../select.tsx";
import { TextChoice } from "../text-choice.tsx";

/** The most releases of one preview. */
const MOST = 5;

/**
 * Chooses the releases that a preview shows: from a list or, if the account may not list them, by their ids. `missing`: the
 * one that does not exist.
 */
export function ReleaseChoices({ missing }: { missing: string | undefined }) {
  const { route, releases } = useApp();
  const chosen = parseChosen(route.query.release);
  const choose = (ids: readonly string[]) => changeChoices({ release: ids.join() });
  if (releases.length === 0) {
    return (
      <TextChoice
        label="Releases"
        hint="X-Release-Id"
        value={chosen.join(", ")}
        placeholder="Ids, such as finals, launch"
        onChoose={(text) => choose(text.split(/[\s,]+/).filter(Boolean))}
      />
    );
  }
  const free = releases.filter(({ id }) => !chosen.includes(String(id)));
  return (
    <div class="chosen">
      <label>
        <span title="X-Release-Id">Releases</span>
        <Select
          disabled={chosen.length >= MOST || free.length === 0}
          value=""
          options={[
            ["", chosen.length === 0 ? "Current" : "Add another …"],
            ...free.map((it) => [String(it.id), `${nameOf(it)} (${describe(it)})`] as const),
          ]}
          onChoose={(id) => choose([...chosen, id])}
        />
      </label>
      <ol>
        {chosen.map((id, index) => {
          const name = nameOfRelease(releases, id);
          const others = chosen.filter((it) => it !== id);
          const button = (label: string, text: string, next: readonly string[]) => (
            <button
              type="button"
              class="plain"
              title={label}
              aria-label={`${label} ${name}`}
              onClick={() => choose(next)}
            >
              {text}
            </button>
          );
          return (
            <li key={id}>
              <span>
                {name}
                {!releases.some((it) => it.id === id) && (
                  <small>{id === missing ? "does not exist" : "applied: it is current"}</small>
                )}
              </span>
              {index > 0 && button("Move up", "↑", others.toSpliced(index - 1, 0, id))}
              {button("Remove", "×", others)}
            </li>
          );
        })}
      </ol>
      {chosen.length > 1 && <p class="note">Later ones are on top.</p>}
    </div>
  );
}

/** Reads the ids of the chosen releases, later ones on top. */
function parseChosen(release = ""): readonly string[] {
  return release.split(",").filter(Boolean);
}

/** Returns the name of a release, else its id. */
export function nameOfRelease(releases: readonly JsonObject[], id: string): string {
  return nameOf(releases.find((it) => it.id === id) ?? { id });
}

/** Returns the ids of the releases that a preview shows: those that are due at its time, then the chosen ones. */
export function listShown(
  releases: readonly JsonObject[],
  { version, choices: { time } }: { version: Version; choices: Choices },
): readonly string[] {
  const chosen = parseChosen(version.release);
  const due = releases.filter((it) => {
    const isScheduled = stateOf(it) === "scheduled" && typeof it.apply_time === "string";
    return isScheduled && time !== "" && new Date(String(it.apply_time)) <= new Date(time);
  });
  const ordered = due.toSorted((a, b) => String(a.apply_time).localeCompare(String(b.apply_time)));
  return [...ordered.map(({ id }) => String(id)).filter((id) => !chosen.includes(id)), ...chosen];
}
