import { expect, test } from "vitest";
import { moveByStep, type Placed } from "../../web/studio/composer/order.ts";

/** Components of a page: letters of one group are in brackets, such as `a[bc]d`. */
function toRows(page: string): readonly Placed[] {
  let group = 0;
  return [...page].flatMap((it) => {
    if (it === "[") group += 1;
    if (it === "]") group = -Math.abs(group);
    if ("[]".includes(it)) return [];
    const groupId = group > 0 ? `group ${group}` : it;
    return [{ id: it, groupId }];
  });
}

test.each([
  ["abc", "b", "up", "bac"],
  ["abc", "b", "down", "acb"],
  ["abc", "a", "up", "abc"],
  ["abc", "c", "down", "abc"],
  // Past a whole group.
  ["a[bc]d", "a", "down", "bcad"],
  ["a[bc]d", "d", "up", "adbc"],
  // Inside of the group.
  ["a[bc]d", "b", "down", "acbd"],
  // The group goes along.
  ["a[bc]d", "b", "up", "bcad"],
  ["a[bc]d", "c", "down", "adbc"],
  ["[bc]d", "b", "up", "bcd"],
] as const)("in %s, %s moves %s: %s", (page, id, step, want) => {
  const rows = toRows(page);
  const index = rows.findIndex((it) => it.id === id);
  const moved = moveByStep(rows, index, step === "up" ? -1 : 1);
  expect(moved.map((it) => it.id).join("")).toBe(want);
});
