import type { JsonObject } from "@bufbuild/protobuf";
import { useLayoutEffect, useState } from "preact/hooks";
import { ActButton, ConfirmButton, useActs } from "../acts.tsx";
import { call } from "../api.ts";
import { useApp } from "../app.ts";
import { LAST_TIME, toLocal } from "../form/times.tsx";
import { useLoad, useReloadOnFocus } from "../load.tsx";
import { KeyLink } from "../record.tsx";
import { linkTo } from "../router.ts";
import { Failed } from "../states.tsx";
import { onSubmit } from "../submit.ts";
import { printMoment } from "../times.ts";
import { ReleaseItems } from "./items.tsx";
import { describe, hasConflicts, nameOf, StateMark, stateOf } from "./list.tsx";

/** A problem that prevents a release from being applied. */
interface Problem {
  readonly item_key: string;
  readonly reason: string;
  readonly message: string;
}

/** The problems of a release with its counts of drafts and conflicts when they were looked for. */
interface Checked {
  readonly counts: string;
  readonly problems: readonly Problem[];
}

/** A release: its drafts, and how it is checked, scheduled and applied. */
export function ReleaseView({ id }: { id: string }) {
  const { route, reloadReleases } = useApp();
  const path = `/cms/releases/v1/${encodeURIComponent(id)}`;
  const loaded = useLoad((signal) => call({ path, signal }), [path]);
  useReloadOnFocus(loaded);
  const [checked, setChecked] = useState<Checked>();
  const reload = () => {
    loaded.reload();
    reloadReleases();
  };
  const acts = useActs(reload);
  if (loaded.state !== undefined) return loaded.state;
  const { body, etag } = loaded.value;
  const release = body.release as JsonObject;
  const failure = release.failure as { message: string; reason: string } | null | undefined;
  const counts = `${release.item_count}/${release.conflict_count}`;
  const problems = checked?.counts === counts ? checked.problems : undefined;
  const state = stateOf(release);
  const isOpen = state === "open" || state === "scheduled" || state === "failed";
  const obstacle = hasConflicts(release) ? "Settle its conflicts first" : undefined;

  const check = () =>
    acts.run(async () => {
      const { body } = await call({ path: `${path}:check`, body: {} });
      setChecked({ counts, problems: body.problems as unknown as Problem[] });
    });
  const apply = () =>
    acts.run(async () => {
      await call({ path: `${path}:apply`, body: {} });
      const isReturned =
        route.query.release === id && acts.open(linkTo(route, "releases", id, { release: "" }));
      return `Applied ${nameOf(release)}.${isReturned ? " You edit the current version again." : ""}`;
    });
  const schedule = (time: string | undefined) =>
    acts.run(async () => {
      await call({
        method: "PATCH",
        path,
        headers: { "if-match": etag },
        body: {
          release: time === undefined ? {} : { apply_time: time },
          update_mask: "apply_time",
        },
      });
      return time === undefined ? "Not scheduled any more." : `Applies on ${printMoment(time)}.`;
    });
  const remove = () =>
    acts.run(async () => {
      await call({ method: "DELETE", path });
      acts.open(linkTo(route, "releases", "", { release: "" }));
      return `Deleted ${nameOf(release)} with its drafts.`;
    });
  return (
    <>
      <div class="heading">
        <div>
          <a class="note" href={linkTo(route, "releases")}>
            Releases
          </a>
          <h1>
            {nameOf(release)} <StateMark release={release} />
          </h1>
          <p class="note">{describe(release)}</p>
        </div>
        {isOpen && (
          <div class="acts end">
            {route.query.release !== id && (
              <a class="button" href={linkTo(route, "releases", id, { release: id })}>
                Edit in it
              </a>
            )}
            <ActButton permission="cms.releases.update" disabled={acts.isBusy} onClick={check}>
              Check
            </ActButton>
            <ConfirmButton
              permission="cms.releases.apply"
              class="main"
              disabled={acts.isBusy || obstacle !== undefined}
              title={obstacle}
              question={`Apply ${nameOf(release)} now?`}
              consequence="Viewers see its drafts at once. The history can take the change back."
              onConfirm={apply}
            >
              Apply now
            </ConfirmButton>
          </div>
        )}
      </div>
      {failure && <Failed title="It was not applied at its time" error={failure} />}
      {acts.failure}
      {problems?.length === 0 && (
        <p class="warning good" role="status">
          Checked: there are no problems.
        </p>
      )}
      {problems !== undefined && problems.length > 0 && (
        <section class="state failed" role="alert" aria-label="Problems">
          <h2>It cannot be applied yet</h2>
          <ul>
            {problems.map(({ item_key: key, reason, message }) => (
              <li key={`${key}${message}`}>
                {key !== "" && <KeyLink of={key} release={id} />} {message}{" "}
                <code class="note">{reason}</code>
              </li>
            ))}
          </ul>
        </section>
      )}
      {isOpen && (
        <Schedule
          time={state === "scheduled" ? String(release.apply_time) : undefined}
          isBusy={acts.isBusy}
          obstacle={obstacle}
          onSchedule={schedule}
        />
      )}
      <ReleaseItems release={id} isOpen={isOpen} onChange={reload} />
      {isOpen && (
        <ConfirmButton
          permission="cms.releases.delete"
          class="danger"
          disabled={acts.isBusy}
          question={`Delete ${nameOf(release)}?`}
          consequence="Its drafts are deleted with it. Nothing can bring them back."
          onConfirm={remove}
        >
          Delete the release
        </ConfirmButton>
      )}
    </>
  );
}

/** Chooses when the release is applied. */
function Schedule({
  time,
  isBusy,
  obstacle,
  onSchedule,
}: {
  time: string | undefined;
  isBusy: boolean;
  /** Why it cannot be applied; undefined: it can. */
  obstacle: string | undefined;
  onSchedule: (time: string | undefined) => unknown;
}) {
  const { permissions } = useApp();
  const [local, setLocal] = useState("");
  useLayoutEffect(() => setLocal(time === undefined ? "" : toLocal(new Date(time))), [time]);
  const isAllowed = permissions.has("cms.releases.apply");
  return (
    <form
      class="card schedule"
      onSubmit={onSubmit(() => onSchedule(new Date(local).toISOString()))}
    >
      <label for="apply-time">
        <b>Apply it at a time</b>
      </label>
      <div class="tools">
        <input
          id="apply-time"
          type="datetime-local"
          max={LAST_TIME}
          required
          value={local}
          disabled={!isAllowed}
          onInput={(event) => setLocal(event.currentTarget.value)}
        />
        <ActButton
          permission="cms.releases.apply"
          type="submit"
          disabled={isBusy || obstacle !== undefined}
          title={obstacle}
        >
          Schedule
        </ActButton>
      </div>
      <p class="note">
        {local === ""
          ? `In your time zone, ${Intl.DateTimeFormat().resolvedOptions().timeZone}.`
          : `${printMoment(new Date(local).toISOString())} · ${new Date(local).toISOString().slice(0, 16)} UTC`}
      </p>
      {/* Below: a button that appears must not stand where the person has just clicked. */}
      {time !== undefined && (
        <ActButton
          permission="cms.releases.apply"
          disabled={isBusy}
          onClick={() => onSchedule(undefined)}
        >
          Take off the schedule
        </ActButton>
      )}
    </form>
  );
}
