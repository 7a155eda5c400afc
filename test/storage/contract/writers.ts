import { create } from "@bufbuild/protobuf";
import { expect } from "vitest";
import type { Annotation } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { AccessTokenSchema } from "../../../gen/svc/studio/iam/access_token/v1/access_token_pb.ts";
import type { Stored } from "../../../src/storage/contract/document-store.ts";
import { keepProjectKey } from "../project-key.ts";
import { ALPHA, createComponent, createSmallDataset } from "../small-dataset.ts";
import type { Scenario } from "./scenario.ts";

/** Holds that writers at once behave as one after the other. */
export function writerContract(scenario: Scenario): void {
  const data = createSmallDataset();
  const increment = ({ value }: Stored<Annotation>) => ({ ...value, order: value.order + 1n });
  const times = <T>(count: number, run: (index: number) => Promise<T>) =>
    Promise.all(Array.from({ length: count }, (_, index) => run(index)));

  scenario("100 changes at once through one store all count", data, async (store) => {
    const changed = await times(100, () =>
      store.in("acme").documents.annotation.update("annotation-1", increment),
    );
    expect((await store.in("acme").documents.annotation.get("annotation-1")).value.order).toBe(
      101n,
    );
    expect(new Set(changed.map((it) => it.revision)).size).toBe(100);
    expect(new Set(changed.map((it) => it.value.order)).size).toBe(100);
  });

  scenario("changes at once through two stores all count", data, async (store, fresh) => {
    const second = await fresh.openAnother();
    const changed = await times(60, (index) =>
      (index % 2 === 0 ? store : second)
        .in("acme")
        .documents.annotation.update("annotation-1", increment),
    );
    const wanted = Array.from({ length: 60 }, (_, index) => BigInt(index + 2));
    const orders = changed.map((it) => it.value.order).sort((a, b) => Number(a - b));
    expect(orders).toEqual(wanted);
    for (const each of [store, second]) {
      expect((await each.in("acme").documents.annotation.get("annotation-1")).value.order).toBe(
        61n,
      );
    }
  });

  scenario("every store reads at once what another has written", data, async (store, fresh) => {
    const second = await fresh.openAnother();
    for (let round = 1n; round < 20n; round += 1n) {
      const [writer, reader] = round % 2n === 0n ? [store, second] : [second, store];
      const written = await writer
        .in("acme")
        .documents.annotation.update("annotation-1", increment);
      expect(await reader.in("acme").documents.annotation.get("annotation-1")).toEqual(written);
    }
  });

  scenario("reads go on while another store is writing", data, async (store, fresh) => {
    const second = await fresh.openAnother();
    const [, read] = await Promise.all([
      times(50, () => store.in("acme").documents.annotation.update("annotation-1", increment)),
      times(50, () => second.in("acme").documents.annotation.get("annotation-1")),
    ]);
    for (const { value, revision } of read) expect(value.order).toBe(BigInt(revision));
  });

  scenario("writers of different kinds do not disturb each other", data, async (store, fresh) => {
    const second = await fresh.openAnother();
    await times(20, async (index) => {
      await Promise.all([
        store.in("acme").documents.annotation.update("annotation-1", increment),
        second
          .in("acme")
          .pageComponents.update("page_component-1", () =>
            createComponent("page_component-1", { name: `${index}` }),
          ),
        store
          .in("acme")
          .pageComponents.update("page_component-2", () =>
            createComponent("page_component-2", { name: `${index}` }),
          ),
        second.signInIntegrations.put(ALPHA, (current) => {
          if (current === undefined) throw new Error("it was loaded");
          const audiences = [...current.value.audiences, `${index}`];
          return { ...current.value, audiences };
        }),
        store
          .in("acme")
          .documents.access_token.create(
            create(AccessTokenSchema, { id: `token-${index}`, accountId: "ann" }),
            { hash: Uint8Array.of(index) },
          ),
      ]);
    });
    expect((await second.in("acme").documents.annotation.get("annotation-1")).value.order).toBe(
      21n,
    );
    expect((await store.signInIntegrations.find(ALPHA))?.value.audiences.length).toBe(21);
    expect(
      (await second.access.listAccessTokens({ id: "ann", organizationId: "acme" })).length,
    ).toBe(20);
  });

  scenario("a change that throws leaves the writers behind it alone", data, async (store) => {
    const results = await Promise.allSettled(
      Array.from({ length: 30 }, (_, index) =>
        store.in("acme").documents.annotation.update("annotation-1", (current) => {
          if (index % 3 === 0) throw new Error("no");
          return increment(current);
        }),
      ),
    );
    expect(results.filter((it) => it.status === "rejected").length).toBe(10);
    expect((await store.in("acme").documents.annotation.get("annotation-1")).value.order).toBe(21n);
  });

  scenario("a write beside one that is undone is kept", data, async (store) => {
    const undone = times(20, () =>
      store
        .in("acme")
        .documents.annotation.update("annotation-1", () => {
          throw new Error("no");
        })
        .catch(() => undefined),
    );
    const kept = times(20, (index) => keepProjectKey(store, ALPHA, "public", Uint8Array.of(index)));
    await Promise.all([undone, kept]);
    for (let index = 0; index < 20; index += 1) {
      expect(await store.access.findProjectKey(Uint8Array.of(index))).toBeDefined();
    }
  });
}
