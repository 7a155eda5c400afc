import type { JsonObject } from "@bufbuild/protobuf";
import { ConfirmButton, useActs } from "./acts.tsx";
import { call } from "./api.ts";
import { useApp } from "./app.ts";
import { printEnum, printTime } from "./drawing/text.ts";
import { Fold } from "./fold.tsx";
import { readPage } from "./list-items.ts";
import { useLoad, useReloadOnFocus } from "./load.tsx";
import { Pager, usePages } from "./pager.tsx";
import { useAccountNames } from "./people.ts";
import { KeyLink, nameRecord, resourceOf } from "./record.tsx";
import { Differences } from "./releases/items.tsx";
import { linkTo } from "./router.ts";
import { Empty } from "./states.tsx";
import { printDistance } from "./times.ts";
import { useRecordNames } from "./titles.ts";

/** The changes of a page of the history. */
const PAGE_SIZE = 30;

/** A change, as ListChanges returns it. */
interface Change {
  readonly id: string;
  readonly time: string;
  readonly account_id: string;
  readonly release_id: string;
  readonly resources: readonly ChangedResource[];
}

interface ChangedResource {
  readonly key: string;
  readonly verb: string;
  readonly paths: readonly string[];
  readonly before?: JsonObject;
  readonly after?: JsonObject;
  readonly is_hidden: boolean;
}

/** The history of the project. */
export function HistoryView() {
  return (
    <>
      <h1 class="heading">History</h1>
      <Changes filter="" />
    </>
  );
}

/** Changes that a KQL filter selects, newest first; another `version` of what it selects is listed again. */
export function Changes({
  filter,
  version = "",
  onRevert = () => {},
}: {
  filter: string;
  version?: string;
  onRevert?: (() => void) | undefined;
}) {
  const pages = usePages();
  const { page, describe } = useChanges(filter, PAGE_SIZE, pages.token, version);
  if (page.state !== undefined) return page.state;
  if (page.value.items.length === 0) {
    return (
      <Empty title="No changes yet">
        <p>Every save is listed here, and most of them can be taken back.</p>
      </Empty>
    );
  }
  return (
    <>
      <ul class="cards">
        {page.value.items.map((change) => (
          <li key={change.id} class="card">
            <Fold
              summary={
                <>
                  {describe(change)}{" "}
                  <span class="note" title={printTime(change.time)}>
                    {printDistance(change.time)}
                  </span>
                </>
              }
            >
              {() => (
                <Details
                  {...{ change }}
                  onRevert={() => {
                    page.reload();
                    onRevert();
                  }}
                />
              )}
            </Fold>
          </li>
        ))}
      </ul>
      <Pager {...{ pages }} next={page.value.nextPageToken} of="the history" />
    </>
  );
}

/** Lists changes of the project, newest first, with a function that says in a line who changed what. */
export function useChanges(filter: string, pageSize: number, pageToken = "", version = "") {
  const { projectId } = useApp().route;
  const nameAccount = useAccountNames();
  const query = { project_id: projectId, filter, page_size: pageSize, page_token: pageToken };
  const page = useLoad(
    (signal) => readPage<Change>("/cms/changes/v1", query, signal),
    [projectId, filter, pageToken, version],
  );
  useReloadOnFocus(page);
  const keys = page.value?.items.flatMap(({ resources: [first] }) => first?.key ?? []);
  const nameOf = useRecordNames(keys ?? []);
  const describe = ({ account_id: id, resources }: Change) => {
    const [first] = resources;
    const others = resources.length > 1 ? ` and ${resources.length - 1} more` : "";
    return (
      <>
        <b>{nameAccount(id) || "Marquee"}</b>{" "}
        {first &&
          `${verbOf(first)} ${nameOf(first.key).replace(/^./, (it) => it.toLowerCase())}${others}`}
      </>
    );
  };
  return { page, describe };
}

function verbOf({ verb }: ChangedResource): string {
  return printEnum(verb, "CHANGE_VERB_");
}

/** The values before and after a change, and the way back. */
function Details({ change, onRevert }: { change: Change; onRevert: () => void }) {
  const { route } = useApp();
  const acts = useActs(onRevert);
  const path = `/cms/changes/v1/${encodeURIComponent(change.id)}`;
  const loaded = useLoad(
    async (signal) => (await call({ path, signal })).body.change as unknown as Change,
    [path],
  );
  const { release = "" } = route.query;
  const { length = 0 } = loaded.value?.resources ?? [];
  const count = length === 1 ? "one resource" : `${length} resources`;
  const revert = async () => {
    const { body } = await call({
      path: `${path}:revert`,
      body: release === "" ? {} : { release_id: release },
    });
    const { length } = body.resources as readonly string[];
    if (length === 0) return "Everything had its earlier values already.";
    return release === "" ? "Taken back." : "The earlier values are drafts of the release.";
  };
  return (
    <>
      {change.release_id !== "" && (
        <p class="note">
          By applying <a href={linkTo(route, "releases", change.release_id)}>{change.release_id}</a>
        </p>
      )}
      {loaded.value?.resources.map((it) => {
        const [before, after] = [resourceOf(it.before), resourceOf(it.after)];
        return (
          <section key={it.key}>
            <h2>
              <KeyLink of={it.key} text={nameRecord(it.key, after ?? before)} />{" "}
              <span class="mark">{verbOf(it)}</span>
            </h2>
            {it.is_hidden && <p class="note">You may not see its values.</p>}
            {!it.is_hidden && (before ?? after) === undefined && (
              <p class="note">Its values are not kept any more.</p>
            )}
            <Differences of={it.key} paths={it.paths} {...{ before, after }} />
          </section>
        );
      })}
      {loaded.state}
      {acts.failure}
      <ConfirmButton
        permission="cms.changes.revert"
        disabled={acts.isBusy || loaded.value === undefined}
        question="Take this change back?"
        consequence={
          release === ""
            ? `Viewers see the earlier values at once. The change has ${count}.`
            : `The release gets the earlier values as drafts. The change has ${count}.`
        }
        onConfirm={() => acts.run(revert)}
      >
        {release === "" ? "Take it back" : "Take it back in the release"}
      </ConfirmButton>
    </>
  );
}
