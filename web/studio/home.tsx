import type { JsonObject } from "@bufbuild/protobuf";
import { useEffect } from "preact/hooks";
import { useApp } from "./app.ts";
import { useChanges } from "./history.tsx";
import { readPage } from "./list-items.ts";
import { useLoad } from "./load.tsx";
import { describe, hasConflicts, nameOf, StateMark, stateOf } from "./releases/list.tsx";
import { linkTo } from "./router.ts";
import { Timeline } from "./timeline.tsx";
import { printDistance } from "./times.ts";

/** The changes on the home screen. */
const CHANGES = 8;

/** The home screen: coming releases and windows, failures, and the latest changes. */
export function HomeView() {
  const { project, permissions, reloadReleases } = useApp();
  useEffect(reloadReleases, []);
  const mayCreateKeys = permissions.has("iam.project_keys.create");
  return (
    <>
      <h1 class="heading">{project.name}</h1>
      <div class="home">
        <Failures />
        {project.usage.keys === 0 && mayCreateKeys && <FirstSteps />}
        <Timeline />
        <Next />
        <Latest />
      </div>
    </>
  );
}

/** The way from an empty project to a page that viewers see. */
function FirstSteps() {
  const { route } = useApp();
  const query = { project_id: route.projectId, page_size: 1 };
  const keys = useLoad((signal) => readPage("/iam/project_keys/v1", query, signal), []);
  // The usage was counted when the studio was opened.
  if (keys.value?.items.length !== 0) return null;
  return (
    <section class="card first-steps">
      <h2>First steps</h2>
      <ol>
        <li>
          <a href={linkTo(route, "videos", "new")}>Add a video</a>: the URL of its playlist.
        </li>
        <li>
          <a href={linkTo(route, "creative-works", "new")}>Add a film or show</a> that names the
          video, and publish it.
        </li>
        <li>
          <a href={linkTo(route, "pages", "new")}>Compose a page</a> with a rail that finds it.
        </li>
        <li>
          <a href={linkTo(route, "keys")}>Create a public key</a>, with which your site reads the
          page.
        </li>
      </ol>
    </section>
  );
}

/** The releases that were not applied at their time. */
function Failures() {
  const { route, releases, releasesState } = useApp();
  const failed = releases.filter((it) => stateOf(it) === "failed");
  if (failed.length === 0 || releasesState) return releasesState;
  return (
    <section class="state failed" role="alert">
      <h2>Not applied at its time</h2>
      <ul>
        {failed.map((release) => (
          <li key={String(release.id)}>
            <a href={linkTo(route, "releases", String(release.id))}>{nameOf(release)}</a>{" "}
            {String((release.failure as JsonObject | undefined)?.message ?? "")}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The releases that can still be changed, the next scheduled one first. */
function Next() {
  const { route, releases } = useApp();
  const next = releases
    .filter((it) => stateOf(it) !== "failed")
    .sort((a, b) => String(a.apply_time ?? "9999").localeCompare(String(b.apply_time ?? "9999")));
  return (
    <section class="card">
      <h2>What goes live next</h2>
      {next.length === 0 && (
        <p class="note">
          Nothing is planned. <a href={linkTo(route, "releases")}>Start a release</a> to collect
          changes and publish them together.
        </p>
      )}
      <ul class="rows">
        {next.map((release) => (
          <li key={String(release.id)}>
            <a href={linkTo(route, "releases", String(release.id))}>{nameOf(release)}</a>{" "}
            <StateMark release={release} />
            <p class="note">{describe(release)}</p>
            {stateOf(release) === "scheduled" && hasConflicts(release) && (
              <p class="violation">It will fail: settle its conflicts before then.</p>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The latest changes of the project. */
function Latest() {
  const { route } = useApp();
  const { page, describe } = useChanges("", CHANGES);
  return (
    <section class="card">
      <h2>Latest changes</h2>
      {page.state}
      {page.value?.items.length === 0 && <p class="note">No changes yet.</p>}
      <ul class="rows">
        {page.value?.items.map((change) => (
          <li key={change.id}>
            {describe(change)} <span class="note">{printDistance(change.time)}</span>
          </li>
        ))}
      </ul>
      <p>
        <a href={linkTo(route, "history")}>All changes</a>
      </p>
    </section>
  );
}
