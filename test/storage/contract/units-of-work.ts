import { create } from "@bufbuild/protobuf";
import { expect } from "vitest";
import { CreativeWorkSchema } from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import { EntitySchema } from "../../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import { EntrySchema } from "../../../gen/svc/studio/iam/audit/v1/entry_pb.ts";
import { Code } from "../../../src/domain/base/errors.ts";
import { ALL_VISIBILITIES } from "../../../src/domain/content/visibility.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { revisionOf } from "../../harness/revision.ts";
import { ALPHA, BETA, createComponent, createSmallDataset } from "../small-dataset.ts";
import { DOCUMENT_SAMPLES, documentsOf, EMPTY } from "./document-samples.ts";
import type { Scenario } from "./scenario.ts";

const ANN = { id: "ann", organizationId: "acme" };
const NOW = new Date(0);
const ERROR = new Error("no");

/** Holds that what is written in one transaction is kept together or not at all. */
export function unitOfWorkContract(scenario: Scenario): void {
  const hold = scenario.share(EMPTY);
  for (const sample of DOCUMENT_SAMPLES) {
    const { kind } = sample;
    const make = (id: string) => sample.make(id, sample.parents[0]);
    const write = async (store: Store) => {
      const documents = documentsOf(store, sample);
      await documents.create(make("b"), ...sample.extras("b"));
      await documents.update("a", ({ value }) => ({ ...value, [sample.label.local]: "changed" }));
      await documents.delete("c", () => undefined);
    };
    const fill = async (store: Store) => {
      for (const id of ["a", "c"]) {
        await documentsOf(store, sample).create(make(id), ...sample.extras(id));
      }
    };
    const read = async (store: Store) => {
      const found = await documentsOf(store, sample).getMany(["a", "b", "c"]);
      return found
        .map(({ value }) => `${value.id} ${Reflect.get(value, sample.label.local)}`)
        .sort();
    };

    hold(`${kind}: all writes are kept and seen then, or none`, async (store) => {
      await fill(store);
      const before = await documentsOf(store, sample).getMany(["a", "b", "c"]);
      const failing = store.transaction("installation", async (unit) => {
        await write(unit);
        throw ERROR;
      });
      await expect(failing).rejects.toBe(ERROR);
      expect(await documentsOf(store, sample).getMany(["a", "b", "c"])).toEqual(before);
      await store.transaction("installation", async (unit) => {
        await write(unit);
        expect(await read(unit)).toEqual(["a changed", "b b"]);
        expect(await read(store)).toEqual(["a a", "c c"]);
      });
      expect(await read(store)).toEqual(["a changed", "b b"]);
    });
  }

  const data = createSmallDataset();

  scenario("what is returned reaches the caller", data, async (store) => {
    expect(await store.transaction("installation", async () => 7)).toBe(7);
  });

  scenario("transactions inside one another are one", data, async (store) => {
    const failing = store.transaction("installation", async (outer) => {
      await outer.transaction("installation", async (inner) => {
        await inner.in("acme").pageComponents.delete("page_component-1", () => undefined);
        expect((await inner.in("acme").pageComponents.locate("page_component-2")).position).toBe(0);
      });
      expect((await outer.in("acme").pageComponents.locate("page_component-2")).position).toBe(0);
      throw ERROR;
    });
    await expect(failing).rejects.toBe(ERROR);
    expect((await store.in("acme").pageComponents.locate("page_component-2")).position).toBe(1);
  });

  scenario("writes of every store take part", data, async (store) => {
    const before = await revisionOf(store, ALPHA);
    const entry = create(EntrySchema, { id: "e", organizationId: "acme", time: { seconds: 1n } });
    const now = new Date(0);
    const stored = {
      ...{ account: ANN, requestId: "r", requestHash: Uint8Array.of(1) },
      ...{ response: Uint8Array.of(2), expireTime: new Date(1_000) },
    };
    const run = (error?: Error) =>
      store.transaction("installation", async (unit) => {
        const place = { pageId: "page-1", position: 0 };
        await unit
          .in("acme")
          .pageComponents.create(createComponent("new", {}), place, () => undefined);
        await unit.signInIntegrations.put(ALPHA, (current) => {
          if (current === undefined) throw new Error("it was loaded");
          return { ...current.value, audiences: ["changed"] };
        });
        await unit.audit.add(entry);
        await unit.storedResponses.keep(stored, now);
        await unit.secrets.getOrCreate("key", () => Uint8Array.of(3));
        if (error !== undefined) throw error;
      });
    const read = async () => ({
      components: (await store.in("acme").pageComponents.getMany(["new"])).length,
      audiences: (await store.signInIntegrations.find(ALPHA))?.value.audiences,
      entries: (await store.audit.list({ organizationId: "acme", limit: 9, now })).values.length,
      stored: (await store.storedResponses.find(ANN, "r", now)) !== undefined,
    });
    await expect(run(ERROR)).rejects.toBe(ERROR);
    expect(await read()).toEqual({
      ...{ components: 0, audiences: ["web"], entries: 0, stored: false },
    });
    expect(await revisionOf(store, ALPHA)).toBe(before);
    await run();
    expect(await read()).toEqual({
      ...{ components: 1, audiences: ["changed"], entries: 1, stored: true },
    });
    expect(await revisionOf(store, ALPHA)).toBe(before + 2);
  });

  for (const [later, want] of [
    ["entity", 1],
    ["creative_work", 0],
  ] as const) {
    const title = `content that was rolled back is not in a list, with the first ${later} after it`;
    scenario(title, data, async (store) => {
      const fields = { id: "new", organizationId: "acme", projectId: BETA };
      const query = { projectId: BETA, at: undefined, visibilities: ALL_VISIBILITIES, now: NOW };
      const order = { field: "id", direction: "asc" } as const;
      const count = async ({ entities }: Store) =>
        (await entities.list({ ...query, order, limit: 9, words: [] })).entries.length;
      const write = ({ documents }: ReturnType<Store["in"]>, kind: "creative_work" | "entity") =>
        kind === "entity"
          ? documents.entity.create(create(EntitySchema, fields))
          : documents.creative_work.create(create(CreativeWorkSchema, fields));
      const failing = store.transaction("installation", async (unit) => {
        await write(unit.in("acme"), "entity");
        expect(await count(unit)).toBe(1);
        throw ERROR;
      });
      await expect(failing).rejects.toBe(ERROR);
      // The project has the revision again that was rolled back.
      await write(store.in("acme"), later);
      expect(await count(store)).toBe(want);
    });
  }

  scenario("a part that fails need not undo the writes before it", data, async (store) => {
    const video = (await store.in("acme").documents.video.get("video-1")).value;
    await store.transaction("installation", async (unit) => {
      await unit
        .in("acme")
        .documents.video.update("video-1", (it) => ({ ...it.value, name: "changed" }));
      const part = unit.transaction("installation", (it) =>
        it.in("acme").documents.video.create(video),
      );
      await expect(part).rejects.toMatchObject({ code: Code.ALREADY_EXISTS });
    });
    expect((await store.in("acme").documents.video.get("video-1")).value.name).toBe("changed");
  });
}
