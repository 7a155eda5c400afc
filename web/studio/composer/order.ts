/** A component in the order of a page. */
export interface Placed {
  readonly id: string;
  /** Its own id: it is alone. */
  readonly groupId: string;
}

/**
 * Moves a component by a step: past its neighbor, or past all components of the neighbor's group. At the edge of its own
 * group it takes the group along. Without a neighbor, the order stays.
 */
export function moveByStep<T extends Placed>(rows: readonly T[], index: number, by: -1 | 1): T[] {
  if (by > 0) {
    // Down is up in the reverse order.
    return moveByStep(rows.toReversed(), rows.length - 1 - index, -1).reverse();
  }
  const [moved, neighbor] = [rows[index], rows[index - 1]];
  if (moved === undefined || neighbor === undefined) return [...rows];
  if (neighbor.groupId === moved.groupId)
    return [...rows].with(index - 1, moved).with(index, neighbor);
  const group = rows.filter((it) => it.groupId === moved.groupId);
  const others = rows.filter((it) => it.groupId !== moved.groupId);
  return others.toSpliced(
    others.findIndex((it) => it.groupId === neighbor.groupId),
    0,
    ...group,
  );
}
