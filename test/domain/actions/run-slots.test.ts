import { expect, test } from "vitest";
import {
  countSlots,
  RUN_SLOT_LIMITS,
  type RunHolder,
  RunSlots,
} from "../../../src/domain/actions/run-slots.ts";

const holder = (changes: Partial<RunHolder> = {}): RunHolder => ({
  ...{ organizationId: "o", projectId: "p", host: "h", slots: 1 },
  ...changes,
});

test("a process sends 128 runs at once: 48 of an organization, 24 of a project, 64 to a host, 16 of both", () => {
  expect(RUN_SLOT_LIMITS).toEqual({
    ...{ total: 128, organization: 48, project: 24, host: 64, receiver: 16 },
  });
});

const NOW = new Date("2026-07-19T19:00:00Z");

/** Takes slots of one kind up to its limit, of different holders otherwise. */
function fill(count: number, toHolder: (index: string) => RunHolder) {
  const slots = new RunSlots();
  for (let n = 0; n < count; n += 1) slots.take(toHolder(String(n)));
  return slots;
}

test("an organization is full at 48, a project at 24", () => {
  const ofOne = (n: string) => holder({ projectId: n, host: n });
  expect(fill(47, ofOne).listFull("organization")).toEqual([]);
  expect(fill(48, ofOne).listFull("organization")).toEqual(["o"]);
  const ofProject = (n: string) => holder({ host: n });
  expect(fill(23, ofProject).listFull("project")).toEqual([]);
  expect(fill(24, ofProject).listFull("project")).toEqual(["p"]);
});

test("a host is full at 64, and for one project at 16", () => {
  const toHost = (n: string) => holder({ organizationId: n, projectId: n });
  expect(fill(63, toHost).hasHost(holder(), NOW)).toBe(true);
  expect(fill(64, toHost).hasHost(holder(), NOW)).toBe(false);
  expect(fill(64, toHost).hasHost(holder({ host: "other" }), NOW)).toBe(true);
  const toReceiver = () => holder();
  expect(fill(15, toReceiver).hasHost(holder(), NOW)).toBe(true);
  expect(fill(16, toReceiver).hasHost(holder(), NOW)).toBe(false);
  expect(fill(16, toReceiver).hasHost(holder({ projectId: "q" }), NOW)).toBe(true);
});

test("a run without a target takes no slot of a host", () => {
  const nowhere = holder({ host: "" });
  const slots = fill(100, () => nowhere);
  expect([slots.hasHost(nowhere, NOW), slots.listFull("project"), slots.countFree()]).toEqual([
    ...[true, ["p"], 28],
  ]);
  slots.give(nowhere);
  expect(slots.countFree()).toBe(29);
});

test("the process is full at 128", () => {
  const ofAll = (n: string) => holder({ organizationId: n, projectId: n, host: n });
  expect([fill(0, ofAll), fill(127, ofAll), fill(128, ofAll)].map((it) => it.countFree())).toEqual([
    128, 1, 0,
  ]);
});

test("a released slot is free again, but not in a copy", () => {
  const slots = fill(16, () => holder());
  const copy = slots.copy();
  slots.give(holder());
  expect([slots.hasHost(holder(), NOW), slots.countFree()]).toEqual([true, 113]);
  expect([copy.hasHost(holder(), NOW), copy.countFree()]).toEqual([false, 112]);
  copy.give(holder());
  copy.take(holder({ projectId: "q" }));
  expect(slots.countFree()).toBe(113);
});

test("a request takes a slot for each 256 Ki characters that it begins", () => {
  expect([1, 2 ** 18, 2 ** 18 + 1, 2 ** 21].map(countSlots)).toEqual([1, 1, 2, 8]);
  const slots = fill(15, () => holder());
  const large = holder({ slots: 8 });
  expect(slots.hasHost(large, NOW)).toBe(true);
  slots.take(large);
  expect([slots.hasHost(holder(), NOW), slots.countFree()]).toEqual([false, 105]);
  slots.give(large);
  expect([slots.hasHost(holder(), NOW), slots.countFree()]).toEqual([true, 113]);
});

test("what exceeds the slots of the process leaves none", () => {
  const slots = fill(17, (n) => holder({ organizationId: n, projectId: n, host: n, slots: 8 }));
  expect(slots.countFree()).toBe(0);
});

test("a host rests for 30 seconds, for every project", () => {
  const slots = new RunSlots();
  slots.rest("h", NOW);
  const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000);
  for (const it of [slots, slots.copy()]) {
    expect(it.hasHost(holder(), NOW)).toBe(false);
    expect(it.hasHost(holder({ organizationId: "x", projectId: "y" }), later(29.999))).toBe(false);
    expect(it.hasHost(holder(), later(30))).toBe(true);
    // The clock was set back.
    expect(it.hasHost(holder(), later(-3_600))).toBe(true);
    expect(it.hasHost(holder({ host: "other" }), NOW)).toBe(true);
    expect(it.hasHost(holder({ host: "" }), NOW)).toBe(true);
  }
});
