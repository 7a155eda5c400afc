import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { ActButton } from "../acts.tsx";
import { useApp } from "../app.ts";
import { RemoveButton } from "./adding.tsx";

const ARROWS = { up: "↑", down: "↓", left: "←", right: "→" } as const;

/** A step of a row: towards the first one, or towards the last one. */
type Step = -1 | 1;

/** Rows that move by drag, by arrows, and by Alt with ↑ or ↓. The moved row keeps the focus. */
export function MovableRows<T>({
  rows,
  nameOf,
  keyOf,
  onChange,
  moveByStep,
  permission,
  acts,
  isDisabled = false,
  isInline = false,
  isDraggedWhole = false,
  children,
}: {
  rows: readonly T[];
  /** The name of a row for its buttons. */
  nameOf: (row: T, index: number) => string;
  /** Absent: a row has no id, and is known by where it was moved. */
  keyOf?: (row: T) => string;
  onChange: (rows: T[]) => void;
  /** Returns the rows after a step of one that has a neighbor there. Absent: both are exchanged. */
  moveByStep?: (index: number, by: Step) => T[];
  /** The permission without which the arrows are disabled. */
  permission?: string | undefined;
  /** The buttons after the arrows. Absent: one that removes the row. */
  acts?: (row: T) => ComponentChildren;
  isDisabled?: boolean;
  /** True if the rows lie side by side. */
  isInline?: boolean;
  /** True if a row is dragged at any point of it: it has no inputs. */
  isDraggedWhole?: boolean;
  children: (row: T, index: number) => ComponentChildren;
}) {
  const { permissions } = useApp();
  const isDenied = permission !== undefined && !permissions.has(permission);
  const keys = useKeys(rows.length);
  const ids = rows.map((row, index) => keyOf?.(row) ?? keys[index]);
  const dragged = useRef<string | number>(undefined);
  const [over, setOver] = useState(-1);
  const [said, setSaid] = useState("");
  const move = (at: number, to: number, changed?: T[]) => {
    const row = rows[at];
    if (row === undefined || rows[to] === undefined || to === at) return;
    keys.splice(to, 0, ...keys.splice(at, 1));
    onChange(changed ?? rows.toSpliced(at, 1).toSpliced(to, 0, row));
    setSaid(`${nameOf(row, at)} is now ${to + 1} of ${rows.length}.`);
  };
  const step = (at: number, by: Step) => {
    if (rows[at + by] === undefined) return;
    const changed = moveByStep?.(at, by);
    move(at, changed?.indexOf(rows[at] as T) ?? at + by, changed);
  };
  const remove = (at: number) => {
    keys.splice(at, 1);
    onChange(rows.toSpliced(at, 1));
  };
  const arrow = (index: number, by: Step, direction: keyof typeof ARROWS) => (
    <ActButton
      class="plain"
      aria-label={`Move ${nameOf(rows[index] as T, index)} ${direction}`}
      permission={permission}
      disabled={rows[index + by] === undefined}
      title={`Move ${direction} (Alt+${by < 0 ? "↑" : "↓"})`}
      onClick={() => step(index, by)}
    >
      {ARROWS[direction]}
    </ActButton>
  );
  const dragOf = (index: number) => ({
    draggable: true,
    onDragStart: () => {
      dragged.current = ids[index];
    },
    onDragEnd: () => {
      dragged.current = undefined;
      setOver(-1);
    },
  });
  const isMovable = !isDisabled && !isDenied;
  return (
    <>
      <ol class={isInline ? "movable inline" : "movable"}>
        {rows.map((row, index) => (
          <li
            key={ids[index]}
            data-over={over === index || undefined}
            {...(isMovable && isDraggedWhole && dragOf(index))}
            onDragOver={(event) => {
              if (dragged.current === undefined) return;
              event.preventDefault();
              setOver(index);
            }}
            onDrop={(event) => {
              // A text that is dropped is for an input of the row.
              if (dragged.current === undefined) return;
              event.preventDefault();
              move(ids.indexOf(dragged.current), index);
            }}
            onKeyDown={(event) => {
              const by = { ArrowUp: -1, ArrowDown: 1 }[event.key] as Step | undefined;
              if (!event.altKey || by === undefined || event.defaultPrevented || !isMovable) return;
              // Inputs have a meaning of their own for these keys.
              if ((event.target as Element).matches("input, select, textarea")) return;
              event.preventDefault();
              step(index, by);
            }}
          >
            {isMovable && (
              <span
                class="grip"
                aria-hidden="true"
                title="Drag to move"
                {...(!isDraggedWhole && dragOf(index))}
              >
                ⠿
              </span>
            )}
            <div class="row">{children(row, index)}</div>
            {!isDisabled && (
              <div class="row-acts">
                {rows.length > 1 && (
                  <>
                    {arrow(index, -1, isInline ? "left" : "up")}
                    {arrow(index, 1, isInline ? "right" : "down")}
                  </>
                )}
                {acts?.(row) ?? (
                  <RemoveButton name={nameOf(row, index)} onRemove={() => remove(index)} />
                )}
              </div>
            )}
          </li>
        ))}
      </ol>
      <span class="unseen" role="status">
        {said}
      </span>
    </>
  );
}

/** Returns a key for each row, which the row keeps when it moves, so that its inputs keep their text and the focus. */
function useKeys(count: number): number[] {
  const { current } = useRef({ keys: [] as number[], next: 0 });
  while (current.keys.length < count) current.keys.push(current.next++);
  current.keys.length = count;
  return current.keys;
}
