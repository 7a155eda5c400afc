import { setImmediate } from "node:timers/promises";
import { expect } from "vitest";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { ALPHA, BETA, createSmallDataset } from "../small-dataset.ts";
import type { Scenario } from "./scenario.ts";

/** Holds that known revisions are those of what is read. */
export function snapshotContract(scenario: Scenario): void {
  const data = createSmallDataset();
  const rename = (store: Store, name: string) =>
    store.in("acme").documents.video.update("video-1", ({ value }) => ({ ...value, name }));

  scenario("own changes are known at once, each project's alone", data, async (store) => {
    const before = [store.knownRevision(ALPHA), store.knownRevision(BETA)];
    const { revision } = await rename(store, "new");
    expect([store.knownRevision(ALPHA), store.knownRevision(BETA)]).toEqual([revision, before[1]]);
    expect(revision).not.toBe(before[0]);
    expect(store.knownRevision("none")).toBeUndefined();
    const undone = store.transaction({ projectIds: [ALPHA] }, async (unit) => {
      await rename(unit, "undone");
      throw new Error("no");
    });
    await expect(undone).rejects.toThrow("no");
    expect(store.knownRevision(ALPHA)).toBe(revision);
    await store.in("acme").documents.project.delete(BETA, () => {});
    expect(store.knownRevision(BETA)).toBeUndefined();
  });

  scenario("others' changes are known within a second", data, async (store, fresh) => {
    const second = await fresh.openAnother();
    const [other, access] = [second.knownRevision(BETA), second.accessVersion()];
    const { revision } = await rename(store, "new");
    await expect
      .poll(() => second.knownRevision(ALPHA), { timeout: 1_000, interval: 10 })
      .toBe(revision);
    expect(second.knownRevision(BETA)).toBe(other);
    await store
      .in("acme")
      .documents.binding.delete(
        (await store.access.listOwners("acme"))[0]?.bindingId ?? "",
        () => {},
      );
    await expect
      .poll(() => second.accessVersion(), { timeout: 1_000, interval: 10 })
      .not.toBe(access);
  });

  scenario("others' changes are known at once after catching up", data, async (store, fresh) => {
    const second = await fresh.openAnother();
    for (let number = 0; number < 3; number += 1) {
      const { revision } = await rename(store, `${number}`);
      await Promise.all([second.catchUp(), second.catchUp()]);
      expect(second.knownRevision(ALPHA)).toBe(revision);
    }
    const access = second.accessVersion();
    const [owner] = await store.access.listOwners("acme");
    await store.in("acme").documents.binding.delete(owner?.bindingId ?? "", () => {});
    await second.catchUp();
    expect(second.accessVersion()).not.toBe(access);
  });

  scenario("no read is older than what is known", data, async (store, fresh) => {
    const second = await fresh.openAnother();
    const { revision: start } = await rename(store, "0");
    let isWriting = true;
    const writing = (async () => {
      const end = Date.now() + 600;
      for (let number = 1; Date.now() < end; number += 1) await rename(store, `${number}`);
      isWriting = false;
    })();
    const seen = new Set<number>();
    const key = { projectId: ALPHA, id: "video-1", visibilities: [Visibility.PUBLISHED] };
    while (isWriting) {
      await setImmediate();
      const known = second.knownRevision(ALPHA) ?? 0;
      seen.add(known);
      const { name } = await second.videos.get(key);
      expect(Number(name)).toBeGreaterThanOrEqual(known - start);
    }
    await writing;
    expect(seen.size).toBeGreaterThan(1);
  });

  scenario("readiness reports the schema and that writes are taken", undefined, async (store) => {
    const { schema, ...rest } = await store.readiness();
    expect(schema).toBeGreaterThan(0);
    expect(rest).toEqual({ primary: true, writable: true });
  });

  scenario("the size of every table is measured, with its indexes", undefined, async (store) => {
    await expect.poll(async () => (await store.measureTables()).size).toBeGreaterThan(0);
    const sizes = await store.measureTables();
    for (const table of ["action_run", "audit_entry", "content", "history"]) {
      expect([table, sizes.get(table)]).toEqual([table, expect.any(Number)]);
      // A page of the table and of an index at least.
      expect(sizes.get(table)).toBeGreaterThanOrEqual(2 * 4_096);
    }
    expect([...sizes.keys()].filter((name) => name.startsWith("sqlite_"))).toEqual([]);
  });
}
