import { describe, expect, test, vi } from "vitest";
import { Retention, type RetentionOptions } from "../../src/outbox/retention.ts";

const NOW = new Date("2026-07-01T12:00:00Z");
const MIB = 1_048_576;

/** A place in the history up to which changes were examined. */
const PLACE = { organizationId: "acme", projectId: "alpha", revision: 7, part: 0 };

function daysBefore(days: number): Date {
  return new Date(NOW.getTime() - days * 86_400_000);
}

/** A retention whose stores delete as many rows, and examine as far, as their next results say. */
function createRetention(options?: RetentionOptions) {
  const responses = vi.fn(async () => 0);
  const runs = vi.fn(async () => 0);
  const history = vi.fn(async (): Promise<typeof PLACE | undefined> => undefined);
  const audit = vi.fn(async (): Promise<string | undefined> => undefined);
  const paths = vi.fn(async (): Promise<number | undefined> => undefined);
  const stores = {
    ...{ storedResponses: { prune: responses }, actionRuns: { prune: runs } },
    ...{ history: { prune: history }, audit: { prune: audit } },
    contentPaths: { prune: paths },
  };
  const retention = new Retention(stores as never, { read: async () => NOW }, options);
  return { retention, responses, runs, history, audit, paths };
}

describe("the retention deletes", () => {
  test("what is as old as its settings say", async () => {
    const set = { historyDays: 400, historyMib: 5, runDays: 7, auditDays: 1 };
    const { retention, responses, runs, history, audit } = createRetention(set);
    await retention.step();
    expect(responses.mock.calls).toEqual([[NOW, 500]]);
    expect(runs.mock.calls).toEqual([[daysBefore(7), 500]]);
    const kept = { any: daysBefore(400), newest: daysBefore(400), bytes: 5 * MIB };
    expect(history.mock.calls).toEqual([[kept, undefined, 500]]);
    expect(audit.mock.calls).toEqual([[daysBefore(1), undefined, 500]]);
  });

  test("by default runs after 30 days, changes after 90, the newest of a resource after a year, and no audit entry", async () => {
    const { retention, runs, history, audit } = createRetention();
    await retention.step();
    expect(runs.mock.calls).toEqual([[daysBefore(30), 500]]);
    const kept = { any: daysBefore(90), newest: daysBefore(365), bytes: 1_024 * MIB };
    expect(history.mock.calls).toEqual([[kept, undefined, 500]]);
    expect(audit).not.toHaveBeenCalled();
  });
});

describe("the next step is after a tenth of a second", () => {
  test.each(["responses", "runs"] as const)("while there may be more %s", async (name) => {
    const made = createRetention();
    made[name].mockResolvedValueOnce(0).mockResolvedValueOnce(1);
    expect([await made.retention.step(), await made.retention.step()]).toEqual([3_600_000, 100]);
  });

  test.each([
    ["changes", "history", PLACE],
    ["audit entries", "audit", "acme"],
    ["paths", "paths", 7],
  ] as const)(
    "until all %s are examined, each from where the last has ended",
    async (_, name, place) => {
      const made = createRetention({ auditDays: 1 });
      made[name].mockResolvedValueOnce(place as never);
      const pauses = [await made.retention.step(), await made.retention.step()];
      expect(pauses).toEqual([100, 3_600_000]);
      const places = made[name].mock.calls.map((call: readonly unknown[]) => call.at(-2));
      expect(places).toEqual([undefined, place]);
    },
  );
});
