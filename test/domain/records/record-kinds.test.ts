import { expect, test } from "vitest";
import { KINDS, type Kind } from "../../../src/domain/kinds.ts";
import { checkRecordKinds, pathOf } from "../../../src/domain/records/record.ts";

/** The table of kinds with changes of some. */
function change(changes: Readonly<Record<string, Partial<Kind>>>) {
  const kinds: Record<string, Partial<Kind>> = { ...KINDS };
  for (const [name, changed] of Object.entries(changes))
    kinds[name] = { ...kinds[name], ...changed };
  return kinds;
}

test("the kinds of today have the records that they say", () => {
  expect(() => checkRecordKinds(KINDS)).not.toThrow();
  expect([pathOf("video"), pathOf("transaction")]).toEqual(["video", "transaction.transaction"]);
});

test("a kind without rules for its import does not start", () => {
  const { check: _, ...unchecked } = KINDS.video;
  const kinds = { ...KINDS, video: unchecked };
  const want = "kind video can be imported and has no check in KINDS";
  expect(() => checkRecordKinds(kinds)).toThrow(want);
});

test.each<[string, Record<string, Partial<Kind>>, string]>([
  [
    "whose record nobody defined",
    { project_key: { record: "exported" } },
    "Record has no field 'project_key'",
  ],
  ["whose record is not exported", { video: { record: "none" } }, "Record has a field 'video'"],
  [
    "with the message of another",
    { video: KINDS.page },
    "Record.video is not a svc.studio.ott.page",
  ],
])("a kind %s does not start", (_what, changes, want) => {
  expect(() => checkRecordKinds(change(changes))).toThrow(want);
});

test("a record of no kind does not start", () => {
  const { video: _, ...others } = KINDS;
  expect(() => checkRecordKinds(others)).toThrow("Record.video is not a kind with records");
});
