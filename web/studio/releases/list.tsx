import type { JsonObject } from "@bufbuild/protobuf";
import { ActButton, useActs } from "../acts.tsx";
import { create } from "../api.ts";
import { useApp } from "../app.ts";
import { printEnum, printTime } from "../drawing/text.ts";
import { readPage } from "../list-items.ts";
import { useLoad, useReloadOnFocus } from "../load.tsx";
import { Pager, usePages } from "../pager.tsx";
import { linkTo } from "../router.ts";
import { ShortForm } from "../short-form.tsx";
import { Empty } from "../states.tsx";
import { printDistance, printMoment } from "../times.ts";

/** The releases of the project, newest first, with a form for a new one. */
export function ReleasesView() {
  const { route } = useApp();
  const { projectId: project_id } = route;
  const pages = usePages();
  const query = { project_id, order: "create_time desc", page_token: pages.token };
  const page = useLoad(
    (signal) => readPage("/cms/releases/v1", query, signal),
    [project_id, pages.token],
  );
  useReloadOnFocus(page);
  return (
    <>
      <h1 class="heading">Releases</h1>
      <NewRelease />
      {page.state}
      {page.value?.items.length === 0 && (
        <Empty title="No releases yet">
          <p>
            A release collects changes and publishes them together, at once or at a time. Name one
            above, then choose it as <i>Version</i> in the header and edit.
          </p>
        </Empty>
      )}
      <ul class="cards">
        {page.value?.items.map((release) => (
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
      <Pager {...{ pages }} next={page.value?.nextPageToken ?? ""} of="the releases" />
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
  return printEnum(String(release.state), "RELEASE_STATE_");
}

/** Reports whether drafts of a release conflict with the current version, so that it cannot be applied. */
export function hasConflicts(release: JsonObject): boolean {
  return Number(release.conflict_count ?? 0) > 0;
}

/** Says when a release applies or was applied, and how much it changes. */
export function describe(release: JsonObject): string {
  const { item_count: items = 0, conflict_count: conflicts = 0 } = release;
  const counts = [
    count(Number(items), "draft"),
    ...(hasConflicts(release) ? [count(Number(conflicts), "conflict")] : []),
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
  const acts = useActs(reloadReleases);
  const start = ({ name = "" }) =>
    acts.run(async () => {
      const { body } = await create({
        path: "/cms/releases/v1",
        body: { project_id: route.projectId, name },
      });
      const id = String((body.release as JsonObject).id);
      const isOpened = acts.open(linkTo(route, "releases", id, { release: id }));
      return `Created ${name}.${isOpened ? " You now edit in it." : ""}`;
    });
  return (
    <ShortForm name="new-release" class="tools" onSend={start}>
      <input
        name="name"
        aria-label="Name of a new release"
        placeholder="Name of a new release, such as Finals weekend"
        required
      />
      <ActButton permission="cms.releases.create" type="submit" disabled={acts.isBusy}>
        New release
      </ActButton>
      {acts.failure}
    </ShortForm>
  );
}
