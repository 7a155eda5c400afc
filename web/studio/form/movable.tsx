import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { RemoveButton } from "./adding.tsx";

const ARROWS = { up: "↑", down: "↓", left: "←", right: "→" } as const;

/** Rows that move by drag, and by ↑ and ↓. */
export function MovableRows<T>({
  rows,
  nameOf,
  onChange,
  isDisabled = false,
  isInline = false,
  children,
}: {
  rows: readonly T[];
  /** The name of a row for its buttons. */
  nameOf: (row: T, index: number) => string;
  onChange: (rows: T[]) => void;
  isDisabled?: boolean;
  /** True if the rows lie side by side. */
  isInline?: boolean;
  children: (row: T, index: number) => ComponentChildren;
}) {
  const keys = useKeys(rows.length);
  const list = useRef<HTMLOListElement>(null);
  const from = useRef(-1);
  const [over, setOver] = useState(-1);
  const [said, setSaid] = useState("");
  const move = (at: number, to: number) => {
    const row = rows[at];
    if (row === undefined || to < 0 || to >= rows.length || to === at) return;
    keys.splice(to, 0, ...keys.splice(at, 1));
    onChange(rows.toSpliced(at, 1).toSpliced(to, 0, row));
    setSaid(`${nameOf(row, at)}: now ${to + 1} of ${rows.length}`);
  };
  const remove = (at: number) => {
    keys.splice(at, 1);
    onChange(rows.toSpliced(at, 1));
    list.current?.focus();
  };
  const step = (index: number, by: -1 | 1, direction: keyof typeof ARROWS) => (
    <button
      type="button"
      class="plain"
      aria-label={`Move ${nameOf(rows[index] as T, index)} ${direction}`}
      aria-disabled={rows[index + by] === undefined || undefined}
      onClick={() => move(index, index + by)}
    >
      {ARROWS[direction]}
    </button>
  );
  return (
    <>
      <ol ref={list} class={isInline ? "movable inline" : "movable"} tabIndex={-1}>
        {rows.map((row, index) => {
          const name = nameOf(row, index);
          return (
            <li
              key={keys[index]}
              data-over={over === index || undefined}
              onDragOver={(event) => {
                if (from.current < 0) return;
                event.preventDefault();
                setOver(index);
              }}
              onDrop={(event) => {
                event.preventDefault();
                move(from.current, index);
              }}
            >
              {!isDisabled && (
                <span
                  class="grip"
                  aria-hidden="true"
                  title="Drag to move"
                  draggable
                  onDragStart={() => {
                    from.current = index;
                  }}
                  onDragEnd={() => {
                    from.current = -1;
                    setOver(-1);
                  }}
                >
                  ⠿
                </span>
              )}
              <div class="row">{children(row, index)}</div>
              {!isDisabled && (
                <div class="row-acts">
                  {rows.length > 1 && (
                    <>
                      {step(index, -1, isInline ? "left" : "up")}
                      {step(index, 1, isInline ? "right" : "down")}
                    </>
                  )}
                  <RemoveButton {...{ name }} onRemove={() => remove(index)} />
                </div>
              )}
            </li>
          );
        })}
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
