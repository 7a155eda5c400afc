import type { JsonValue } from "@bufbuild/protobuf";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Change } from "../../drawing/compare.ts";
import { VisibilityMark } from "../marks.tsx";
import { moveByStep, moveTo, type Step } from "./order.ts";
import { printType, type Row } from "./page.ts";

/** The properties of the list of components. */
export interface RowsProps {
  readonly rows: readonly Row[];
  /** The id of the component with the form; empty: none. */
  readonly selected: string;
  readonly marks: ReadonlyMap<string, readonly Change[]>;
  /** Why components are not shown to the viewer, by their ids. */
  readonly dropped: ReadonlyMap<string, string>;
  linkOf(id: string): string;
  /** Undefined: the account may not. */
  readonly reorder: ((ids: readonly string[], moved: Row) => void) | undefined;
  readonly setVisibility: ((row: Row, visibility: string) => void) | undefined;
  /** The permissions that both need. */
  readonly needs: { readonly reorder: string; readonly setVisibility: string };
}

/** Lists the components of a page. They move by dragging, by the arrows, and by Alt with the arrow keys. */
export function Rows(props: RowsProps) {
  const { rows, reorder } = props;
  const [dragged, setDragged] = useState("");
  const [target, setTarget] = useState("");
  const [moved, setMoved] = useState<{ id: string; step: Step }>();
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    // A moved element loses the focus, and an arrow at the end is disabled.
    if (moved === undefined) return;
    const row = [...(list.current?.children ?? [])].find(
      (it) => it.getAttribute("data-id") === moved.id,
    );
    const arrow = row?.querySelector<HTMLElement>(`[data-step=${moved.step}]:enabled`);
    (arrow ?? row?.querySelector<HTMLElement>("[data-step]:enabled"))?.focus();
    row?.scrollIntoView({ block: "nearest" });
  }, [moved]);
  const move = (row: Row, ids: readonly string[] | undefined) => {
    if (ids !== undefined) reorder?.(ids, row);
  };
  const step = (row: Row, by: Step) => {
    setMoved({ id: row.id, step: by });
    move(row, moveByStep(rows, row.id, by));
  };
  return (
    <ol class="parts" ref={list}>
      {rows.map((row, index) => (
        <li
          key={row.id}
          data-id={row.id}
          data-selected={row.id === props.selected || undefined}
          data-target={(row.id === target && target !== dragged) || undefined}
          data-grouped={row.groupId === rows[index - 1]?.groupId || undefined}
          draggable={reorder !== undefined}
          onDragStart={() => setDragged(row.id)}
          onDragOver={(event) => {
            event.preventDefault();
            setTarget(row.id);
          }}
          onDragEnd={() => {
            setDragged("");
            setTarget("");
          }}
          onDrop={(event) => {
            event.preventDefault();
            setTarget("");
            const from = rows.find((it) => it.id === dragged);
            if (from !== undefined && from !== row) move(from, moveTo(rows, from.id, row.id));
          }}
          onKeyDown={(event) => {
            const by = event.key === "ArrowUp" ? "up" : "down";
            if (!event.altKey || !event.key.startsWith("Arrow") || reorder === undefined) return;
            event.preventDefault();
            step(row, by);
          }}
        >
          <RowText {...props} row={row} />
          <span class="acts">
            {(["up", "down"] as const).map((by) => (
              <button
                key={by}
                type="button"
                class="plain"
                data-step={by}
                disabled={reorder === undefined || index === (by === "up" ? 0 : rows.length - 1)}
                title={
                  reorder === undefined
                    ? `Needs the permission ${props.needs.reorder}`
                    : `Move ${by} (Alt+${by === "up" ? "↑" : "↓"})`
                }
                aria-label={`Move ${row.title} ${by}`}
                onClick={() => step(row, by)}
              >
                {by === "up" ? "↑" : "↓"}
              </button>
            ))}
            <VisibilityButton {...props} row={row} />
          </span>
        </li>
      ))}
    </ol>
  );
}

function RowText({ row, selected, marks, dropped, linkOf }: RowsProps & { row: Row }) {
  const reason = dropped.get(row.id);
  return (
    <div>
      <a href={linkOf(row.id)} aria-current={row.id === selected ? "true" : undefined}>
        {row.title}
      </a>
      <small>
        <span title={row.type}>{printType(row.type)}</span>
        {row.name !== "" && ` · ${row.name}`}
        {row.environments.length > 0 && ` · only ${row.environments.join(", ")}`}
      </small>
      {row.visibility !== "VISIBILITY_PUBLISHED" && (
        <VisibilityMark value={row.visibility as JsonValue} />
      )}
      {marks.get(row.id)?.map((it) => (
        <span key={it} class={`mark ${it}`}>
          {it}
        </span>
      ))}
      {reason !== undefined && <small>Not shown: {reason}</small>}
    </div>
  );
}

function VisibilityButton({ row, setVisibility, needs }: RowsProps & { row: Row }) {
  const isPublished = row.visibility === "VISIBILITY_PUBLISHED";
  const verb = isPublished ? "Hide" : "Publish";
  return (
    <button
      type="button"
      class="plain"
      disabled={setVisibility === undefined}
      title={
        setVisibility === undefined ? `Needs the permission ${needs.setVisibility}` : undefined
      }
      aria-label={`${verb} ${row.title}`}
      onClick={() =>
        setVisibility?.(row, isPublished ? "VISIBILITY_HIDDEN" : "VISIBILITY_PUBLISHED")
      }
    >
      {verb}
    </button>
  );
}
