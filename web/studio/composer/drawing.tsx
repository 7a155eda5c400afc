import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Page } from "../../../packages/client/src/delivery.ts";
import { useApp } from "../app.ts";
import type { Compared } from "../drawing/compare.ts";
import { type Drawing, DrawingContext, type OpenPage } from "../drawing/drawing.ts";
import type { JsonOf } from "../drawing/json-of.ts";
import { idOf } from "../drawing/resolved.ts";
import { Section } from "../drawing/section.tsx";
import { setAt } from "../resource.ts";
import { changeChoices } from "../router.ts";
import { type Choices, choose } from "./choices.tsx";
import { readAs, type Shown, type Version } from "./page.ts";
import type { Unsaved } from "./unsaved.ts";

/** Shows a page as viewers see it. A click on a component selects it. */
export function PageDrawing({
  shown,
  unsaved,
  predecessors,
  version,
  choices,
}: {
  shown: Shown;
  unsaved: Unsaved | undefined;
  /** The components before the one that is not saved. */
  predecessors: readonly string[];
  version: Version;
  choices: Choices;
}) {
  const { component: selected = "" } = useApp().route.query;
  const place = useRef<HTMLDivElement>(null);
  const drawing = usePageDrawing(shown, version, choices, [], () => {});
  const components = withUnsaved(shown.components, unsaved, predecessors);
  const isDrawn = components.some((it) => idOf(it.resolved) === selected);
  useEffect(() => {
    const section = [...(place.current?.children ?? [])].find(
      (it) => it.getAttribute("data-component") === selected,
    );
    if (section instanceof HTMLElement) {
      place.current?.parentElement?.scrollTo({ top: section.offsetTop - SPACE });
    }
  }, [selected, isDrawn]);
  return (
    <DrawingContext.Provider value={drawing}>
      <div class="drawing" ref={place} onClickCapture={selectClicked}>
        {components.map((compared) => {
          const id = idOf(compared.resolved);
          const isRemoved = compared.changes.includes("removed");
          const edit = (
            <button
              type="button"
              class="edit"
              aria-label={`Edit ${compared.resolved.component?.name || id}`}
              onClick={() => select(id)}
            >
              Edit
            </button>
          );
          return (
            <div
              key={id}
              class="drawn"
              data-component={isRemoved ? undefined : id}
              data-selected={id === selected || undefined}
            >
              {id === unsaved?.id && unsaved.problem !== "" && (
                <pre class="warning" role="status">
                  {unsaved.problem}
                </pre>
              )}
              <Section compared={compared} header={!isRemoved && id !== "" && edit} />
            </div>
          );
        })}
        {shown.components.length === 0 && unsaved?.resolved === undefined && (
          <p class="state">This page shows nothing to this viewer. Add a component on the left.</p>
        )}
      </div>
    </DrawingContext.Provider>
  );
}

/** Returns how a page is seen. Its chips and seasons change the session in the URL. */
export function usePageDrawing(
  { response }: Shown,
  version: Version,
  choices: Choices,
  pages: readonly JsonOf<Page>[],
  open: OpenPage,
): Drawing {
  const { id: pageId = "" } = response.message.page ?? {};
  return useMemo(() => {
    const { language, session, parameters, time } = choices;
    return {
      ...{ pageId, language, session, parameters, pages, open },
      now: time === "" ? Date.now() : Date.parse(time),
      read: readAs(version, choices),
      setSession: (key, value) => choose({ session: setAt(session, [key], value) }),
    };
  }, [JSON.stringify([pageId, version, choices, pages])]);
}

/** Selects the component of a click. Links belong to the viewer; controls of the page stay usable. */
function selectClicked(event: MouseEvent): void {
  const target = event.target as Element;
  if (target.closest("a") !== null) {
    event.preventDefault();
    event.stopPropagation();
  } else if (target.closest("button, input, select, summary, label") !== null) return;
  const id = target.closest("[data-component]")?.getAttribute("data-component");
  if (id) select(id);
}

/** Opens the form of a component. */
function select(id: string): void {
  changeChoices({ component: id, form: "" });
}

/** The space above a component that is scrolled to, in pixels. */
const SPACE = 16;

/** Replaces or inserts the component that is not saved. */
function withUnsaved(
  components: readonly Compared[],
  unsaved: Unsaved | undefined,
  predecessors: readonly string[],
): readonly Compared[] {
  const { id, resolved } = unsaved ?? {};
  if (resolved === undefined) return components;
  const at = components.findIndex((it) => idOf(it.resolved) === id);
  if (at >= 0) return components.with(at, { ...(components[at] as Compared), resolved });
  const added: Compared = { resolved, changes: [], differences: [] };
  // Not all of them are drawn.
  const after = components.findLastIndex((it) => predecessors.includes(idOf(it.resolved)));
  return components.toSpliced(after + 1, 0, added);
}
