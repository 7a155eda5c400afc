import type { JsonObject } from "@bufbuild/protobuf";
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Page } from "../../../packages/client/src/delivery.ts";
import { useApp } from "../app.ts";
import { type Choices, ChoicesBar, parseChoices, printChoices } from "../composer/choices.tsx";
import { usePageDrawing } from "../composer/drawing.tsx";
import { readAs, readShown, type Shown, type Version } from "../composer/page.ts";
import { DifferenceSummary } from "../drawing/differences.tsx";
import { DrawingContext } from "../drawing/drawing.ts";
import { Dropped } from "../drawing/dropped.tsx";
import type { JsonOf } from "../drawing/json-of.ts";
import { Anchor, Jump } from "../drawing/parts.tsx";
import { listProposals } from "../drawing/proposals.ts";
import { contentOf, idOf } from "../drawing/resolved.ts";
import { Section } from "../drawing/section.tsx";
import { parseObject, pick, printTime } from "../drawing/text.ts";
import { Fold } from "../fold.tsx";
import { LAST_TIME } from "../form/times.tsx";
import { useLoad, useRefresh, useReloadOnFocus } from "../load.tsx";
import { VisibilityMark } from "../marks.tsx";
import { changeChoices, linkTo } from "../router.ts";
import { Select } from "../select.tsx";
import { Empty, Failed } from "../states.tsx";
import { TextChoice } from "../text-choice.tsx";
import { ConflictList, listConflicts } from "./conflicts.tsx";
import { Inspection, ResponseTerms, type Viewer } from "./inspect.tsx";
import { findPage, listPages } from "./pages.ts";
import { listShown, nameOfRelease, ReleaseChoices } from "./releases.tsx";

function open(page: string, parameters: Record<string, string>): void {
  changeChoices({ page, ...printChoices({ parameters }) });
  document.querySelector<HTMLElement>("#view")?.focus();
  scrollTo(0, 0);
}

/** Shows the pages of a project as viewers see them, and explains each component. */
export function PreviewView() {
  const { route, releases, isPreviewKey } = useApp();
  const { page: slug = "", release = "" } = route.query;
  const choices = parseChoices(route);
  const viewer: Viewer = parseObject(route.query.viewer ?? "") ?? {};
  const [rejected, setRejected] = useState("");
  const seen = choices.time === rejected ? { ...choices, time: "" } : choices;
  const version: Version = { projectId: route.projectId, release };
  const loaded = useLoad(
    async (signal) => {
      const pages = await listPages(version, seen, signal);
      const page = findPage(pages, slug);
      if (page === undefined) return { pages };
      const shown = await readShown(page.id ?? "", version, seen, signal);
      return { pages, opened: { page, shown, version, choices: seen, slug } };
    },
    [JSON.stringify([slug, version, seen])],
  );
  useRefresh(loaded);
  useEffect(() => {
    if (loaded.error?.reason === "PREVIEW_TIME_INVALID") setRejected(choices.time);
  }, [loaded.error]);
  const { pages = [], opened } = loaded.value ?? {};
  const page = opened?.page;
  const proposed = useLoad(
    async (signal) => page && listProposals(page, readAs(version, seen, signal), seen.language),
    [page?.id, release],
  );
  const proposals = (proposed.isLoading ? undefined : proposed.value) ?? [];
  const shownReleases = opened === undefined ? [] : listShown(releases, opened);
  const conflicts = useLoad(
    async (signal) => (isPreviewKey ? [] : listConflicts(shownReleases, signal)),
    [shownReleases.join(), JSON.stringify(opened?.shown.components)],
  );
  useReloadOnFocus(conflicts);
  if (loaded.value === undefined && loaded.error === undefined) return loaded.state;
  if (loaded.value !== undefined && page === undefined && loaded.error === undefined) {
    return (
      <Empty title="No pages yet">
        <p>
          Create the first one in the studio under <i>Pages</i>, or with the Studio API,{" "}
          <code>POST /ott/pages/v1</code>.
        </p>
      </Empty>
    );
  }
  const links = opened?.choices.parameters.id === undefined ? proposals : [];
  return (
    <div class="preview">
      {opened !== undefined && <Heading {...opened} />}
      <ChoicesBar
        page={(page ?? {}) as JsonObject}
        languages={["en", ...new Set(pages.flatMap((it) => Object.keys(it.title ?? {})))]}
        proposals={proposals}
        more={<ViewerChoices viewer={viewer} />}
      >
        <label>
          <span>Page</span>
          <Select
            value={page?.slug ?? slug}
            options={pages.map((it) => [it.slug ?? "", nameOfPage(it, choices.language)])}
            onChoose={(chosen) => changeChoices({ page: chosen, parameters: "" })}
          />
        </label>
        <ReleaseChoices missing={loaded.error?.metadata.ids} />
      </ChoicesBar>
      {links.length > 0 && (
        <p class="suggestions">
          Open it for{" "}
          {links.map(({ id, title }) => (
            <Anchor key={id} link={`/${page?.slug}?id=${encodeURIComponent(id)}`} open={open}>
              {title}
            </Anchor>
          ))}
        </p>
      )}
      {rejected !== "" && rejected === choices.time && (
        <p class="warning" role="alert">
          <b>
            {printTime(rejected, choices.language)} is{" "}
            {new Date(rejected) < new Date() ? "past" : "more than five years ahead"}.
          </b>{" "}
          This is the page as of now.
        </p>
      )}
      {opened !== undefined && opened.slug !== "" && opened.slug !== page?.slug && (
        <p class="warning" role="alert">
          <b>No page has the slug {opened.slug}.</b> This is another one.
        </p>
      )}
      {loaded.error?.reason !== "PREVIEW_TIME_INVALID" && loaded.state}
      {opened !== undefined && loaded.error === undefined && (
        <PreviewedPage
          {...{ pages, viewer, ...opened }}
          releases={shownReleases.map((id) => nameOfRelease(releases, id))}
          isBusy={loaded.isLoading}
          inConflict={new Set(conflicts.value?.map(({ key }) => key))}
        >
          {conflicts.error !== undefined && (
            <Failed title="Conflicts are not shown" error={conflicts.error} />
          )}
          <ConflictList conflicts={conflicts.value ?? []} />
        </PreviewedPage>
      )}
    </div>
  );
}

/** A page with the choices that it is shown for. */
interface Opened {
  readonly page: JsonOf<Page>;
  readonly shown: Shown;
  readonly version: Version;
  readonly choices: Choices;
  /** The slug that is asked for; empty: any. */
  readonly slug: string;
}

/** The title of the page and of the item that it is about, and how much it shows. */
function Heading({ shown, choices }: Opened) {
  const { route, permissions } = useApp();
  const { page = {}, components = [], dropped = [], object } = shown.response.message;
  const title = nameOfPage(page, choices.language);
  const about = object && pick(contentOf(object).title, choices.language);
  const count = components.length === 1 ? "1 component" : `${components.length} components`;
  return (
    <div class="heading">
      <h1>{about ? `${title}: ${about}` : title}</h1>
      {page.visibility !== "VISIBILITY_PUBLISHED" && <VisibilityMark of={page as JsonObject} />}
      <p class="note" role="status">
        {title}: {count}
        {dropped.length > 0 && `, ${dropped.length} dropped`}
      </p>
      {permissions.has("ott.pages.get") && (
        <a class="button end" href={linkTo(route, "pages", page.id, printChoices(choices))}>
          Edit
        </a>
      )}
    </div>
  );
}

/** The page with its differences from the current version, what it drops, and a panel for each component. */
function PreviewedPage({
  pages,
  releases,
  viewer,
  inConflict,
  isBusy,
  children,
  ...opened
}: Opened & {
  pages: readonly JsonOf<Page>[];
  /** The names of those that are shown. */
  releases: readonly string[];
  viewer: Viewer;
  /** The keys of records. */
  inConflict: ReadonlySet<string>;
  isBusy: boolean;
  children: ComponentChildren;
}) {
  const { isPreviewKey } = useApp();
  const { shown, version, choices } = opened;
  const { response, components, differences } = shown;
  const { page = {}, dropped = [] } = response.message;
  const { language } = choices;
  const time = choices.time === "" ? "" : printTime(choices.time, language);
  const described = [releases.join(" and "), time].filter(Boolean).join(" at ");
  const drawing = usePageDrawing(shown, version, choices, pages, open);
  const inspected = { choices, version, pageId: page.id ?? "", viewer, maySimulate: !isPreviewKey };
  return (
    <DrawingContext.Provider value={drawing}>
      <div class="drawing" aria-busy={isBusy || undefined}>
        {differences !== undefined && (
          <DifferenceSummary shown={described} compared={components} ofPage={differences} />
        )}
        {children}
        <Fold class="panel" summary="Inspect the page">
          {() => (
            <div class="inspect">
              <ResponseTerms transfer={response.transfer} />
            </div>
          )}
        </Fold>
        {dropped.length > 0 && <Dropped components={dropped} />}
        {components.map((compared) => {
          const { resolved, changes } = compared;
          const id = idOf(resolved);
          const isInConflict = inConflict.has(`page_component:${id}`);
          return (
            <Section
              key={id}
              {...{ id, compared }}
              tabIndex={-1}
              header={
                isInConflict && <Jump to="conflicts" class="change conflict" text="in conflict" />
              }
              panel={!changes.includes("removed") && <Inspection {...{ resolved, inspected }} />}
            />
          );
        })}
      </div>
    </DrawingContext.Provider>
  );
}

/** Chooses the viewer of playback decisions. */
function ViewerChoices({ viewer }: { viewer: Viewer }) {
  const change = (changes: Viewer) =>
    changeChoices(printChoices({ viewer: { ...viewer, ...changes } }));
  return (
    <fieldset>
      <legend>Viewer, for playback</legend>
      <TextChoice
        label="User ID"
        value={viewer.userId ?? ""}
        placeholder="Not signed in"
        onChoose={(userId) => change({ userId })}
      />
      <TextChoice
        label="Referrer"
        value={viewer.referrer ?? ""}
        placeholder="None"
        onChoose={(referrer) => change({ referrer })}
      />
      <TextChoice
        label="Time of playback"
        type="datetime-local"
        max={LAST_TIME}
        value={viewer.time ?? ""}
        onChoose={(time) => change({ time })}
      />
      <label class="option">
        <input
          type="checkbox"
          checked={viewer.vpn ?? false}
          onChange={({ currentTarget: { checked: vpn } }) => change({ vpn })}
        />
        <span>Uses a VPN</span>
      </label>
    </fieldset>
  );
}

function nameOfPage({ title, slug = "" }: JsonOf<Page>, language: string): string {
  return pick(title, language) || slug;
}
