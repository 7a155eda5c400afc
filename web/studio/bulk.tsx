import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { useEffect, useState } from "preact/hooks";
import { ActButton, ConfirmButton } from "./acts.tsx";
import { useApp } from "./app.ts";
import { MOST, useBulkChange } from "./bulk-change.ts";
import { printTime } from "./drawing/text.ts";
import { Window } from "./form/times.tsx";
import { permissionOf } from "./kinds.ts";
import type { ListQuery } from "./list-items.ts";
import type { Access } from "./resource.ts";

/** Changes fields of many items at once, in steps, with a progress that can be stopped also after other items are listed. */
export function Bulk({
  access,
  chosen,
  query,
  onDone,
}: {
  access: Access;
  /** The ids that are chosen on the page; none: nothing is shown but the progress. */
  chosen: ReadonlySet<string>;
  /** The list of the page: all that it matches can be changed together. */
  query: ListQuery;
  onDone: () => void;
}) {
  const { permissions } = useApp();
  const { methods, release } = access;
  const permission = permissionOf(methods.update, release);
  const [isAll, setAll] = useState(false);
  const [availability, setAvailability] = useState<JsonValue>();
  const { change, stop, progress, rejected, failure } = useBulkChange(access, query, onDone);
  const isBusy = progress !== undefined;
  const isShown = chosen.size > 0 || isBusy;
  useEffect(() => setAll(false), [isShown]);
  if (!isShown) return null;

  const isDisabled = isBusy || release !== "";
  const changeThem = (fields: JsonObject, word: string) =>
    change(isAll ? "all" : chosen, fields, word);
  const visibilityButton = (words: string, visibility: string, word: string) => (
    <ActButton
      permission={permission}
      disabled={isDisabled}
      onClick={() => changeThem({ visibility }, word)}
    >
      {words}
    </ActButton>
  );
  /** Gives the items a window; undefined: none is entered yet. */
  const windowButton = (words: string, window: JsonObject | undefined) => (
    <ConfirmButton
      permission={permission}
      disabled={isDisabled || window === undefined}
      question={`${words}?`}
      consequence={`The chosen items are available ${describeWindow(window)}. This replaces the start and the end of each.`}
      onConfirm={() => changeThem({ availability: window ?? {} }, "Set the availability of")}
    >
      {words}
    </ConfirmButton>
  );
  return (
    <section class="card bulk" aria-label="Chosen items">
      <div class="tools">
        <b>{isAll ? "All that match" : `${chosen.size} chosen`}</b>
        <label class="option">
          <input
            type="checkbox"
            checked={isAll}
            disabled={isBusy}
            onChange={(event) => setAll(event.currentTarget.checked)}
          />
          All that match, up to {MOST.toLocaleString()}
        </label>
      </div>
      {release !== "" && (
        <p class="note">Many items are changed in the current version alone, not in a release.</p>
      )}
      <fieldset class="tools">
        <legend class="unseen">Change them</legend>
        {visibilityButton("Publish", "VISIBILITY_PUBLISHED", "Published")}
        {visibilityButton("Hide", "VISIBILITY_HIDDEN", "Hid")}
        <Window
          id="chosen"
          value={availability}
          onChange={setAvailability}
          isDisabled={isDisabled || !permissions.has(permission)}
        />
        {windowButton("Set the availability", availability as JsonObject | undefined)}
        {windowButton("Always available", {})}
      </fieldset>
      {progress !== undefined && (
        <div class="tools" role="status">
          <progress value={progress.done} max={Math.max(1, progress.of)} aria-label="Progress" />
          {progress.done} of {progress.of}
          <button type="button" onClick={stop}>
            Stop
          </button>
        </div>
      )}
      {failure}
      {rejected.length > 0 && (
        <div role="alert">
          <p class="violation">{rejected.length} were rejected and stay as they were:</p>
          <ul>
            {rejected.slice(0, 20).map(({ id, error }) => (
              <li key={String(id)}>
                <code>{String(id)}</code> {String((error as JsonObject).message)}
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}

function describeWindow({ start_time: start, end_time: end }: JsonObject = {}): string {
  const from = start === undefined ? "from the beginning" : `from ${printTime(String(start))}`;
  return `${from} ${end === undefined ? "for ever" : `until ${printTime(String(end))}`}`;
}
