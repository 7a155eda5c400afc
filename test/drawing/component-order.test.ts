import { expect, test } from "vitest";
import { moveByStep, moveTo, type Placed } from "../../web/studio/composer/order.ts";

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
  ["abc", "a", "up", undefined],
  ["abc", "c", "down", undefined],
  // Past a whole group.
  ["a[bc]d", "a", "down", "bcad"],
  ["a[bc]d", "d", "up", "adbc"],
  // Inside of the group.
  ["a[bc]d", "b", "down", "acbd"],
  // The group goes along.
  ["a[bc]d", "b", "up", "bcad"],
  ["a[bc]d", "c", "down", "adbc"],
  ["[bc]d", "b", "up", undefined],
] as const)("in %s, %s moves %s: %s", (page, id, step, want) => {
  expect(moveByStep(toRows(page), id, step)?.join("")).toBe(want);
});

test.each([
  ["abcd", "a", "c", "bcad"],
  ["abcd", "d", "b", "adbc"],
])("in %s, %s dropped on %s: %s", (page, id, target, want) => {
  expect(moveTo(toRows(page), id, target).join("")).toBe(want);
});
