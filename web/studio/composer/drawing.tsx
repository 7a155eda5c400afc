import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Compared } from "../../drawing/compare.ts";
import type { Drawing } from "../../drawing/draw.ts";
import { h } from "../../drawing/element.ts";
import { createDrawing, drawSection } from "../../drawing/page-drawing.ts";
import { Drawn } from "../drawn.tsx";
import type { Choices } from "./choices.tsx";
import { readAs, type Shown, type Version } from "./page.ts";
import type { Unsaved } from "./unsaved.ts";

/** Shows a page as viewers see it. A click on a component selects it. */
export function PageDrawing({
  shown,
  unsaved,
  predecessorId,
  version,
  choices,
  choose,
  selected,
  onSelect,
}: {
  shown: Shown;
  unsaved: Unsaved | undefined;
  /** The component that a new one follows; empty: none. */
  predecessorId: string;
  version: Version;
  choices: Choices;
  choose: (changes: Partial<Choices>) => void;
  selected: string;
  onSelect: (id: string) => void;
}) {
  const place = useRef<HTMLDivElement>(null);
  const { page = {} } = shown.response.message;
  const seen = JSON.stringify([page.id, version, choices]);
  const drawing = useMemo(() => {
    const { language, session, parameters, time } = choices;
    return createDrawing(page, readAs(version, choices), {
      ...{ language, session, parameters, moment: time, pages: [], open: () => {} },
      setSession(key, value) {
        const { [key]: _, ...others } = session;
        choose({ session: value === undefined ? others : { ...others, [key]: value } });
      },
    });
  }, [seen]);
  useEffect(() => {
    const select = (event: MouseEvent) => {
      const target = event.target as Element;
      const section = target.closest("[data-component]");
      // Links belong to the viewer; controls of the page stay usable.
      if (target.closest("a") !== null) {
        event.preventDefault();
        event.stopPropagation();
      } else if (target.closest("button, input, select, summary, label") !== null) return;
      const id = section?.getAttribute("data-component") ?? "";
      if (id !== "") onSelect(id);
    };
    place.current?.addEventListener("click", select, { capture: true });
    return () => place.current?.removeEventListener("click", select, { capture: true });
  }, [onSelect]);
  const components = withUnsaved(shown.components, unsaved, predecessorId);
  const isDrawn = components.some((it) => it.resolved.component?.id === selected);
  useEffect(() => {
    const section = [...(place.current?.children ?? [])].find(
      (it) => it.getAttribute("data-component") === selected,
    );
    if (section instanceof HTMLElement) {
      place.current?.parentElement?.scrollTo({ top: section.offsetTop - SPACE });
    }
  }, [selected, isDrawn]);
  return (
    <div class="drawing" ref={place}>
      {components.map((it) => (
        <DrawnComponent
          key={it.resolved.component?.id ?? ""}
          {...{ drawing, selected, onSelect }}
          compared={it}
          problem={it.resolved.component?.id === unsaved?.id ? (unsaved?.problem ?? "") : ""}
        />
      ))}
      {shown.components.length === 0 && unsaved?.resolved === undefined && (
        <p class="state">This page shows nothing to this viewer. Add a component on the left.</p>
      )}
    </div>
  );
}

/** The space above a component that is scrolled to, in pixels. */
const SPACE = 16;

/** Replaces or inserts the component that is not saved. */
function withUnsaved(
  components: readonly Compared[],
  unsaved: Unsaved | undefined,
  predecessorId: string,
): readonly Compared[] {
  const { id, resolved } = unsaved ?? {};
  if (resolved === undefined) return components;
  const idOf = (it: Compared) => it.resolved.component?.id;
  const at = components.findIndex((it) => idOf(it) === id);
  if (at >= 0) return components.with(at, { ...(components[at] as Compared), resolved });
  const added: Compared = { resolved, changes: [], differences: [] };
  const after = components.findIndex((it) => idOf(it) === predecessorId);
  return components.toSpliced(after + 1, 0, added);
}

function DrawnComponent({
  compared,
  drawing,
  problem,
  selected,
  onSelect,
}: {
  compared: Compared;
  drawing: Drawing;
  problem: string;
  selected: string;
  onSelect: (id: string) => void;
}) {
  const id = compared.resolved.component?.id ?? "";
  const isRemoved = compared.changes.includes("removed");
  const draw = () => {
    const edit = h("button", { type: "button", className: "edit" }, "Edit");
    edit.setAttribute("aria-label", `Edit ${compared.resolved.component?.name || id}`);
    edit.addEventListener("click", () => onSelect(id));
    return drawSection(compared, drawing, { header: isRemoved || id === "" ? undefined : edit });
  };
  return (
    <div
      class="drawn"
      data-component={isRemoved ? undefined : id}
      data-selected={id === selected || undefined}
    >
      {problem !== "" && (
        <p class="warning" role="status">
          {problem}
        </p>
      )}
      <Drawn draw={draw} inputs={[JSON.stringify(compared), drawing, onSelect]} />
    </div>
  );
}
