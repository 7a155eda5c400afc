import type { JsonObject } from "@bufbuild/protobuf";
import { useEffect, useRef, useState } from "preact/hooks";
import { useActs } from "../acts.tsx";
import { useApp } from "../app.ts";
import { explainDropped } from "../drawing/dropped.tsx";
import { listProposals } from "../drawing/proposals.ts";
import { idOf } from "../drawing/resolved.ts";
import { Editor, ItemView } from "../item.tsx";
import { COMPONENT, type Kind, titleOf } from "../kinds.ts";
import { useLoad, useRefresh } from "../load.tsx";
import { type Access, readResource, useAccess } from "../resource.ts";
import { linkToChoices } from "../router.ts";
import { Loading } from "../states.tsx";
import type { Surroundings } from "../surroundings.ts";
import { AddButton } from "./add.tsx";
import { useArrangement } from "./arrangement.ts";
import { type Choices, ChoicesBar, choose, parseChoices } from "./choices.tsx";
import { PageDrawing } from "./drawing.tsx";
import { type Arranged, listRows, readAs, readShown, type Version } from "./page.ts";
import { Rows } from "./rows.tsx";
import { Toolbar } from "./toolbar.tsx";
import { useUnsaved } from "./unsaved.ts";

/** Composes a page: its components with their forms, and the page as viewers see it. */
export function Composer({ kind, id }: { kind: Kind; id: string }) {
  const access = useAccess(kind);
  const { release } = access;
  const arranged = useLoad(
    async (signal) => {
      const since = performance.now();
      const { value, etag } = await readResource(access, id, signal);
      return { page: value, etag, since, rows: await listRows(id, access, signal), release };
    },
    [id, release],
  );
  useRefresh(arranged);
  if (arranged.value === undefined) return arranged.state;
  if (arranged.value.release !== release) return <Loading />;
  return (
    <Composed key={release} access={access} stored={arranged.value} reload={arranged.reload} />
  );
}

function Composed({
  access,
  stored,
  reload,
}: {
  /** To the page. */
  access: Access;
  stored: Arranged;
  reload: () => void;
}) {
  const { route } = useApp();
  const { projectId, release } = access;
  const version: Version = { projectId, release };
  const { component = "", form = "", position = "0" } = route.query;
  const pageId = String(stored.page.id);
  const choices = parseChoices(route);
  const [typed, setTyped] = useState<JsonObject>();
  const [hides, setHides] = useState(0);

  const proposals = useLoad(
    (signal) =>
      listProposals(stored.page as never, readAs(version, choices, signal), choices.language),
    [pageId, release],
  );
  const [proposal] = proposals.value ?? [];
  // A page about an item shows one: without it most of its components would be empty.
  const seen: Choices =
    proposal === undefined || choices.parameters.id !== undefined
      ? choices
      : { ...choices, parameters: { ...choices.parameters, id: proposal.id } };
  const shown = useLoad(
    (signal) => readShown(pageId, version, seen, signal),
    [JSON.stringify([pageId, seen]), release],
  );
  useRefresh(shown);
  const refresh = () => {
    shown.reload();
    reload();
  };
  const arrangement = useArrangement(pageId, release, stored, refresh);
  const { rows } = arrangement;
  const place =
    form === "new"
      ? Number(position)
      : Math.max(
          0,
          rows.findIndex(({ id }) => id === component),
        );
  // A new component is not the one that may have its id now.
  const drawn = form === "new" && typed ? { ...typed, id: "" } : typed;
  const unsaved = useUnsaved(drawn, pageId, version, seen);
  const marks = new Map(shown.value?.components.map((it) => [idOf(it.resolved), it.changes]));
  const dropped = new Map(
    shown.value?.response.message.dropped?.map((it) => [it.componentId ?? "", explainDropped(it)]),
  );

  const acts = useActs(() => {
    setHides((it) => it + 1);
    refresh();
  });
  const back = linkToChoices(route, { component: "", form: "" });
  const within: Surroundings = {
    back: { href: back, text: `← Components of ${titleOf(stored.page)}` },
    onEdit: setTyped,
    onSaved: ({ id }) => {
      if (form === "new")
        location.replace(linkToChoices(route, { form: "", component: String(id) }));
      refresh();
    },
    onDeleted: refresh,
  };
  const isOpen = component !== "" || form !== "";
  const view = useFocus(isOpen, component || form);
  return (
    <div class="composer" data-open={isOpen || undefined} ref={view}>
      <Toolbar page={stored.page} {...{ access, choices, acts }} />
      <div class="panes">
        <section class="pane components" aria-label="Components">
          <div class="heading">
            <h2>Components</h2>
            <AddButton rows={rows} />
          </div>
          {arrangement.problem !== "" && (
            <p class="warning" role="alert">
              {arrangement.problem}
            </p>
          )}
          {acts.failure}
          {rows.length === 0 && <p class="note">None yet: add the first one.</p>}
          <Rows {...{ rows, marks, dropped, acts }} reorder={arrangement.reorder} />
        </section>
        {isOpen && (
          <section class="pane editing" aria-label="Form" tabIndex={-1}>
            <Forms {...{ access, pageId, hides, within, refresh }} />
          </section>
        )}
        <section class="pane shown" aria-label="The page as viewers see it">
          <ChoicesBar
            page={stored.page}
            languages={Object.keys((stored.page.title ?? {}) as JsonObject)}
            proposals={proposals.value ?? []}
          />
          {shown.error?.reason === "PREVIEW_TIME_INVALID" && (
            <p class="warning" role="alert">
              Choose a time from now to five years ahead.{" "}
              <button type="button" onClick={() => choose({ time: "" })}>
                Show it as of now
              </button>
            </p>
          )}
          {shown.error?.reason !== "PREVIEW_TIME_INVALID" && shown.state}
          {shown.state === undefined && (
            <div class="screen-of-page" aria-busy={shown.isLoading || undefined}>
              <PageDrawing
                shown={shown.value}
                {...{ unsaved, version }}
                predecessors={rows.slice(0, place).map(({ id }) => id)}
                choices={seen}
              />
            </div>
          )}
        </section>
      </div>
    </div>
  );
}

/** The form of a component, of a new one or of the page itself. */
function Forms({
  access,
  pageId,
  hides,
  within,
  refresh,
}: {
  access: Access;
  pageId: string;
  /** Counts the acts of the list: each is another version of the component. */
  hides: number;
  within: Surroundings;
  refresh: () => void;
}) {
  const { component = "", form = "", type = "", position = "0" } = useApp().route.query;
  const components = useAccess(COMPONENT);
  return (
    <>
      {component !== "" && (
        <ItemView key={`${component}/${hides}`} kind={COMPONENT} id={component} within={within} />
      )}
      {form === "settings" && (
        <ItemView kind={access.kind} id={pageId} within={{ back: within.back, onSaved: refresh }} />
      )}
      {form === "new" && (
        <Editor
          key={`${type}/${position}`}
          access={components}
          loaded={{ value: { type, [type]: {} }, etag: "", pendingReleases: [] }}
          within={{ ...within, query: { page_id: pageId, position: Number(position) } }}
        />
      )}
    </>
  );
}

/** Moves the focus into the form that is opened and, when it is closed, back to its component in the list. */
function useFocus(isOpen: boolean, opened: string) {
  const view = useRef<HTMLDivElement>(null);
  const last = useRef("");
  useEffect(() => {
    if (isOpen) view.current?.querySelector<HTMLElement>(".editing")?.focus();
    else if (last.current !== "") document.getElementById(`row-${last.current}`)?.focus();
    last.current = opened;
  }, [isOpen, opened]);
  return view;
}
