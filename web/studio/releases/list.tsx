import type { JsonObject } from "@bufbuild/protobuf";
import { useState } from "preact/hooks";
import { ActButton, useActs } from "../acts.tsx";
import { call } from "../api.ts";
import { useApp } from "../app.ts";
import { useLoad } from "../load.ts";
import { linkTo } from "../router.ts";
import { Empty, Failed, Loading } from "../states.tsx";
import { printDistance, printMoment, printTime } from "../times.ts";

/** The releases of the project, newest first, with a form for a new one. */
export function ReleasesView() {
  const { route } = useApp();
  const releases = useLoad(
    async (signal) => {
      const query = { project_id: route.projectId, order: "create_time desc", page_size: 100 };
      return (await call({ path: "/cms/releases/v1", query, signal })).body
        .releases as JsonObject[];
    },
    [route.projectId],
  );
  return (
    <>
      <div class="heading">
        <h1>Releases</h1>
      </div>
      <NewRelease />
      {releases.error !== undefined && <Failed error={releases.error} retry={releases.reload} />}
      {releases.value === undefined && releases.isLoading && <Loading />}
      {releases.value?.length === 0 && (
        <Empty title="No releases yet">
          <p>
            A release collects changes and publishes them together, at once or at a time. Name one
            above, then choose it as <i>Version</i> in the header and edit.
          </p>
        </Empty>
      )}
      <ul class="cards">
        {releases.value?.map((release) => (
          <li key={String(release.id)} class="card">
            <h2>
              <a href={linkTo(route, "releases", String(release.id))}>{nameOf(release)}</a>{" "}
              <StateMark release={release} />
            </h2>
            <p>{String(release.description ?? "")}</p>
            <p class="note">{describe(release)}</p>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Returns the name of a release; without one, its id. */
export function nameOf(release: JsonObject): string {
  return String(release.name || release.id);
}

/** The state of a release in a word, with a color. */
export function StateMark({ release }: { release: JsonObject }) {
  const state = stateOf(release);
  return <span class={`mark ${state}`}>{state}</span>;
}

/** Returns the state of a release, such as `scheduled`. */
export function stateOf(release: JsonObject): string {
  return String(release.state).replace("RELEASE_STATE_", "").toLowerCase();
}

/** Says when a release applies or was applied, and how much it changes. */
export function describe(release: JsonObject): string {
  const { item_count: items = 0, conflict_count: conflicts = 0 } = release;
  const counts = [
    count(Number(items), "draft"),
    ...(Number(conflicts) > 0 ? [count(Number(conflicts), "conflict")] : []),
  ];
  const state = stateOf(release);
  if (state === "applied") return `Applied on ${printTime(String(release.applied_time))}`;
  if (state === "scheduled" && typeof release.apply_time === "string") {
    counts.unshift(
      `Applies on ${printMoment(release.apply_time)}, ${printDistance(release.apply_time)}`,
    );
  }
  return counts.join(" · ");
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}

function NewRelease() {
  const { route, reloadReleases } = useApp();
  const [name, setName] = useState("");
  const acts = useActs(reloadReleases);
  const create = () =>
    acts.run(async () => {
      const { body } = await call({
        method: "POST",
        path: "/cms/releases/v1",
        query: { request_id: crypto.randomUUID() },
        body: { project_id: route.projectId, name },
      });
      const id = String((body.release as JsonObject).id);
      location.hash = linkTo(route, "releases", id, { release: id });
    }, `Created ${name}. You now edit in it.`);
  return (
    <form
      class="tools"
      onSubmit={(event) => {
        event.preventDefault();
        void create();
      }}
    >
      <input
        aria-label="Name of a new release"
        placeholder="Name of a new release, such as Finals weekend"
        required
        value={name}
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <ActButton permission="cms.releases.create" type="submit" isDisabled={acts.isBusy}>
        New release
      </ActButton>
      {acts.failure}
    </form>
  );
}
