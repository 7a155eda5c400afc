/** A component in the order of a page. */
export interface Placed {
  readonly id: string;
  /** Its own id: it is alone. */
  readonly groupId: string;
}

/** A step in the order of a page. */
export type Step = "up" | "down";

/**
 * Moves a component by a step: past its neighbor, or past all components of the neighbor's group. At the edge of its own
 * group it takes the group along. Undefined: there is nothing to pass.
 */
export function moveByStep(
  rows: readonly Placed[],
  id: string,
  step: Step,
): readonly string[] | undefined {
  // Down is up in the reverse order.
  const order = step === "up" ? rows : rows.toReversed();
  const at = order.findIndex((it) => it.id === id);
  const [moved, neighbor] = [order[at], order[at - 1]];
  if (moved === undefined || neighbor === undefined) return undefined;
  const isInside = neighbor.groupId === moved.groupId;
  const [from, to] = isInside ? [at, at + 1] : spanOf(order, moved.groupId);
  const start = isInside ? at - 1 : spanOf(order, neighbor.groupId)[0];
  const ids = order.map((it) => it.id);
  const result = [
    ...ids.slice(0, start),
    ...ids.slice(from, to),
    ...ids.slice(start, from),
    ...ids.slice(to),
  ];
  return step === "up" ? result : result.reverse();
}

function spanOf(rows: readonly Placed[], groupId: string): readonly [from: number, to: number] {
  const from = rows.findIndex((it) => it.groupId === groupId);
  return [from, rows.findLastIndex((it) => it.groupId === groupId) + 1];
}

/** Moves a component to the place of another one. */
export function moveTo(rows: readonly Placed[], id: string, targetId: string): readonly string[] {
  const ids = rows.map((it) => it.id);
  const others = ids.filter((it) => it !== id);
  return others.toSpliced(ids.indexOf(targetId), 0, id);
}
