import type { JsonObject } from "@bufbuild/protobuf";
import { useState } from "preact/hooks";
import { ActButton, useActs } from "./acts.tsx";
import { call } from "./api.ts";
import { useApp } from "./app.ts";
import { useLoad } from "./load.ts";
import { Pager, usePages } from "./pager.tsx";
import { useAccountNames } from "./people.ts";
import { KeyLink, nameRecord, resourceOf } from "./record.tsx";
import { Differences } from "./releases/items.tsx";
import { linkTo } from "./router.ts";
import { Empty, Failed, Loading } from "./states.tsx";
import { printDistance, printTime } from "./times.ts";
import { useRecordNames } from "./titles.ts";

/** The changes of a page of the history. */
const PAGE_SIZE = 30;

/** A change, as ListChanges returns it. */
export interface Change {
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
      <div class="heading">
        <h1>History</h1>
      </div>
      <Changes filter="" />
    </>
  );
}

/** Changes that a KQL filter selects, newest first. */
export function Changes({ filter }: { filter: string }) {
  const { route } = useApp();
  const nameAccount = useAccountNames();
  const pages = usePages();
  const page = useLoad(
    (signal) => listChanges(route.projectId, filter, PAGE_SIZE, signal, pages.token),
    [route.projectId, filter, pages.token],
  );
  const nameOf = useRecordNames(listFirstKeys(page.value?.changes));
  if (page.error !== undefined) return <Failed error={page.error} retry={page.reload} />;
  if (page.value === undefined) return <Loading />;
  if (page.value.changes.length === 0) {
    return (
      <Empty title="No changes yet">
        <p>Every save is listed here, and most of them can be taken back.</p>
      </Empty>
    );
  }
  return (
    <>
      <ul class="cards">
        {page.value.changes.map((change) => (
          <ChangeCard
            key={change.id}
            {...{ change }}
            author={nameAccount(change.account_id)}
            description={describeChange(change, nameOf)}
            onRevert={page.reload}
          />
        ))}
      </ul>
      <Pager {...{ pages }} next={page.value.next} of="the history" />
    </>
  );
}

/** Lists changes of a project, newest first. */
export async function listChanges(
  projectId: string,
  filter: string,
  pageSize: number,
  signal: AbortSignal,
  pageToken = "",
): Promise<{ readonly changes: readonly Change[]; readonly next: string }> {
  const query = { project_id: projectId, filter, page_size: pageSize, page_token: pageToken };
  const { body } = await call({ path: "/cms/changes/v1", query, signal });
  return {
    changes: body.changes as unknown as Change[],
    next: String(body.next_page_token ?? ""),
  };
}

/** Lists the keys that describe changes: the first of each. */
export function listFirstKeys(changes: readonly Change[] = []): readonly string[] {
  return changes.flatMap(({ resources: [first] }) => first?.key ?? []);
}

/** Says what a change did to its resources, in a line. */
export function describeChange({ resources }: Change, nameOf: (key: string) => string): string {
  const [first] = resources;
  if (first === undefined) return "";
  const verb = first.verb.replace("CHANGE_VERB_", "").toLowerCase();
  const others = resources.length > 1 ? ` and ${resources.length - 1} more` : "";
  return `${verb} ${nameOf(first.key).replace(/^./, (it) => it.toLowerCase())}${others}`;
}

function ChangeCard({
  change,
  author,
  description,
  onRevert,
}: {
  change: Change;
  author: string;
  description: string;
  onRevert: () => void;
}) {
  const { route } = useApp();
  const [isOpen, setOpen] = useState(false);
  const { id, time, release_id: release } = change;
  return (
    <li class="card">
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <b>{author || "Marquee"}</b> {description}{" "}
          <span class="note" title={printTime(time)}>
            {printDistance(time)}
          </span>
        </summary>
        {release !== "" && (
          <p class="note">
            By applying <a href={linkTo(route, "releases", release)}>{release}</a>
          </p>
        )}
        {isOpen && <Details {...{ id, onRevert }} />}
      </details>
    </li>
  );
}

/** The values before and after a change, and the way back. */
function Details({ id, onRevert }: { id: string; onRevert: () => void }) {
  const { route } = useApp();
  const acts = useActs(onRevert);
  const path = `/cms/changes/v1/${encodeURIComponent(id)}`;
  const loaded = useLoad(
    async (signal) => (await call({ path, signal })).body.change as unknown as Change,
    [path],
  );
  const { release = "" } = route.query;
  const revert = async () => {
    const { body } = await call({
      method: "POST",
      path: `${path}:revert`,
      body: release === "" ? {} : { release_id: release },
    });
    const { length } = body.resources as readonly string[];
    if (length === 0) return "Everything had its earlier values already.";
    return release === "" ? "Taken back." : "The earlier values are drafts of the release.";
  };
  return (
    <>
      {loaded.value === undefined && loaded.isLoading && <Loading />}
      {loaded.value?.resources.map(({ key, verb, paths, before, after, is_hidden: isHidden }) => (
        <section key={key}>
          <h3>
            <KeyLink of={key} text={nameRecord(key, resourceOf(after) ?? resourceOf(before))} />{" "}
            <span class="mark">{verb.replace("CHANGE_VERB_", "").toLowerCase()}</span>
          </h3>
          {isHidden && <p class="note">You may not see its values.</p>}
          <Differences {...{ paths }} before={resourceOf(before)} after={resourceOf(after)} />
        </section>
      ))}
      {loaded.error !== undefined && <Failed error={loaded.error} retry={loaded.reload} />}
      {acts.failure}
      <ActButton permission="cms.changes.revert" onAct={() => void acts.run(revert)}>
        {release === "" ? "Take it back" : "Take it back in the release"}
      </ActButton>
    </>
  );
}
