import type { JsonObject } from "@bufbuild/protobuf";
import { call } from "./api.ts";
import { useApp } from "./app.ts";
import { describeChange, listChanges, listFirstKeys } from "./history.tsx";
import { useLoad } from "./load.ts";
import { useAccountNames } from "./people.ts";
import { describe, nameOf, StateMark, stateOf } from "./releases/list.tsx";
import { linkTo } from "./router.ts";
import { Failed, Loading } from "./states.tsx";
import { Timeline } from "./timeline.tsx";
import { printDistance } from "./times.ts";
import { useRecordNames } from "./titles.ts";

/** The changes on the home screen. */
const CHANGES = 8;

/** The home screen: coming releases and windows, failures, and the latest changes. */
export function HomeView() {
  const { project, permissions } = useApp();
  const mayCreateKeys = permissions.has("iam.project_keys.create");
  return (
    <>
      <div class="heading">
        <h1>{project.name}</h1>
      </div>
      <div class="home">
        <Failures />
        {!project.hasKeys && mayCreateKeys && <FirstSteps />}
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
  const { route } = useApp();
  const failed = useLoad(
    async (signal) => {
      const query = { project_id: route.projectId, filter: "state: RELEASE_STATE_FAILED" };
      return (await call({ path: "/cms/releases/v1", query, signal })).body
        .releases as JsonObject[];
    },
    [route.projectId],
  );
  if (failed.value === undefined || failed.value.length === 0) return null;
  return (
    <section class="state failed" role="alert">
      <h2>Not applied at its time</h2>
      <ul>
        {failed.value.map((release) => (
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
            {stateOf(release) === "scheduled" && Number(release.conflict_count ?? 0) > 0 && (
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
  const nameAccount = useAccountNames();
  const page = useLoad(
    (signal) => listChanges(route.projectId, "", CHANGES, signal),
    [route.projectId],
  );
  const nameOf = useRecordNames(listFirstKeys(page.value?.changes));
  return (
    <section class="card">
      <h2>Latest changes</h2>
      {page.error !== undefined && <Failed error={page.error} retry={page.reload} />}
      {page.value === undefined && page.isLoading && <Loading />}
      {page.value?.changes.length === 0 && <p class="note">No changes yet.</p>}
      <ul class="rows">
        {page.value?.changes.map((change) => (
          <li key={change.id}>
            <b>{nameAccount(change.account_id) || "Marquee"}</b> {describeChange(change, nameOf)}{" "}
            <span class="note">{printDistance(change.time)}</span>
          </li>
        ))}
      </ul>
      <p>
        <a href={linkTo(route, "history")}>All changes</a>
      </p>
    </section>
  );
}
