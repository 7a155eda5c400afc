import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { useEffect, useRef, useState } from "preact/hooks";
import { ConfirmButton, useActs } from "./acts.tsx";
import { call } from "./api.ts";
import { useApp } from "./app.ts";
import { printTime } from "./drawing/text.ts";
import { Window } from "./form/times.tsx";
import { permissionOf } from "./kinds.ts";
import { type ListQuery, listItems } from "./list-items.ts";
import type { Access } from "./resource.ts";

/** The records of a call: few enough that each step of the progress is seen. */
const AT_ONCE = 50;

/** The most items that are changed together. */
const MOST = 10_000;

/** The ids that one call of a list returns while all of them are collected. */
const LISTED = 100;

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
  const { notify, permissions } = useApp();
  const { kind, methods, projectId, release } = access;
  const permission = permissionOf(methods.update, release);
  const mayWrite = permissions.has(permission);
  const [isAll, setAll] = useState(false);
  const [progress, setProgress] = useState<{ readonly done: number; readonly of: number }>();
  const [rejected, setRejected] = useState<readonly JsonObject[]>([]);
  const [availability, setAvailability] = useState<JsonValue>();
  const acts = useActs();
  const stop = useRef(false);

  const change = (fields: JsonObject, word: string) =>
    acts.run(async () => {
      stop.current = false;
      setRejected([]);
      let done = 0;
      let ids: readonly string[] = [...chosen];
      const failed: JsonObject[] = [];
      const changed = () => `${word} ${done - failed.length} of ${ids.length}`;
      try {
        setProgress({ done, of: ids.length });
        if (isAll) ids = await listIds();
        for (let at = 0; at < ids.length && !stop.current; at += AT_ONCE) {
          const part = ids.slice(at, at + AT_ONCE);
          failed.push(...(await write(part, fields)));
          done += part.length;
          setProgress({ done, of: ids.length });
        }
        return `${changed()}${stop.current ? ", then stopped" : ""}.`;
      } catch (cause) {
        if (done > 0) notify(`${changed()}, then failed.`);
        throw cause;
      } finally {
        setRejected(failed);
        setProgress(undefined);
        onDone();
      }
    });

  /** Lists the ids of all items that the list matches. */
  async function listIds(): Promise<readonly string[]> {
    const ids: string[] = [];
    let pageToken = "";
    do {
      const page = await listItems(access, { ...query, pageToken, pageSize: LISTED });
      ids.push(...page.items.map(({ id }) => String(id)));
      pageToken = page.nextPageToken;
      setProgress({ done: 0, of: ids.length });
    } while (pageToken !== "" && ids.length < MOST && !stop.current);
    return ids.slice(0, MOST);
  }

  /** Writes fields of records; returns the records that were rejected. */
  async function write(ids: readonly string[], fields: JsonObject): Promise<readonly JsonObject[]> {
    const records = ids.map((id) => ({
      [kind.name]: { id, ...fields },
      fields_mask: Object.keys(fields).join(","),
    }));
    const { body } = await call({
      path: "/cms/records/v1:write",
      body: { project_id: projectId, mode: "WRITE_MODE_EACH", records },
    });
    return (body.results as JsonObject[]).filter(({ error }) => error);
  }

  /** Gives the items a window; undefined: none is entered yet. */
  const setButton = (words: string, window: JsonObject | undefined) => (
    <ConfirmButton
      permission={permission}
      disabled={window === undefined}
      question={`${words}?`}
      consequence={`The chosen items are available ${describeWindow(window)}. This replaces the start and the end of each.`}
      onConfirm={() => change({ availability: window ?? {} }, "Set the availability of")}
    >
      {words}
    </ConfirmButton>
  );

  const isBusy = progress !== undefined;
  const isShown = chosen.size > 0 || isBusy;
  useEffect(() => setAll(false), [isShown]);
  if (!isShown) return null;
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
      <fieldset
        class="tools"
        disabled={isBusy || !mayWrite || release !== ""}
        title={mayWrite ? undefined : `Needs the permission ${permission}`}
      >
        <legend class="unseen">Change them</legend>
        <button
          type="button"
          onClick={() => change({ visibility: "VISIBILITY_PUBLISHED" }, "Published")}
        >
          Publish
        </button>
        <button type="button" onClick={() => change({ visibility: "VISIBILITY_HIDDEN" }, "Hid")}>
          Hide
        </button>
        <Window
          id="chosen"
          value={availability}
          onChange={setAvailability}
          isDisabled={isBusy || !mayWrite || release !== ""}
        />
        {setButton("Set the availability", availability as JsonObject | undefined)}
        {setButton("Always available", {})}
      </fieldset>
      {progress !== undefined && (
        <div class="tools" role="status">
          <progress value={progress.done} max={Math.max(1, progress.of)} aria-label="Progress" />
          {progress.done} of {progress.of}
          <button
            type="button"
            onClick={() => {
              stop.current = true;
            }}
          >
            Stop
          </button>
        </div>
      )}
      {acts.failure}
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
