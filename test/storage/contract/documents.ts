import { create } from "@bufbuild/protobuf";
import { expect } from "vitest";
import { AnnotationSchema } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { AnnotationTypeSchema } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_pb.ts";
import { Code } from "../../../src/domain/errors.ts";
import { ALPHA, BETA, createSmallDataset } from "../small-dataset.ts";
import type { Scenario } from "./scenario.ts";

const NOT_FOUND = { code: Code.NOT_FOUND, reason: "RESOURCE_NOT_FOUND" };
const MAX = 2n ** 63n - 1n;
const INT64S = [MAX, -(2n ** 63n), 2n ** 53n + 1n, -(2n ** 53n) - 1n, 0n];

/** Holds the stores of annotations and annotation types, and what all documents have in common. */
export function documentContract(scenario: Scenario): void {
  const data = createSmallDataset({
    annotations: ["a", "A", "a ", "ä", "a\u0308"].map((id) =>
      create(AnnotationSchema, { id, projectId: ALPHA, sourceId: `source of ${id}` }),
    ),
  });

  scenario("ids are compared byte for byte", data, async (store) => {
    for (const { id } of data.annotations) {
      const { value } = await store.in("acme").documents.annotation.get(id);
      expect([value.id, value.sourceId]).toEqual([id, `source of ${id}`]);
    }
  });

  scenario("what does not exist is NOT_FOUND", data, async (store) => {
    const unknown: readonly (() => Promise<unknown>)[] = [
      () => store.in("acme").documents.annotation.get("B"),
      () => store.in("acme").documents.annotation.get(""),
      () => store.in("acme").documents.annotation.get("a%"),
      () => store.in("acme").documents.annotation.touch("B", ({ value }) => value),
      () => store.in("acme").documents.annotation_type.get("annotation-1"),
      () => store.in("acme").documents.ruleset.get("Ruleset-1"),
    ];
    for (const ask of unknown) await expect(ask()).rejects.toMatchObject(NOT_FOUND);
  });

  scenario("an unknown id does not ask for a change", data, async (store) => {
    let asked = 0;
    const change = ({ value }: { value: (typeof data.annotations)[number] }) => {
      asked += 1;
      return value;
    };
    await expect(store.in("acme").documents.annotation.update("B", change)).rejects.toMatchObject(
      NOT_FOUND,
    );
    expect(asked).toBe(0);
  });

  scenario("an update is answered as it is then read", data, async (store) => {
    const want = create(AnnotationSchema, { id: "a", projectId: ALPHA, timerLabel: "45+2" });
    const answered = await store.in("acme").documents.annotation.update("a", () => want);
    expect(answered.value).toEqual(want);
    expect(await store.in("acme").documents.annotation.get("a")).toEqual(answered);
    expect((await store.in("acme").documents.annotation.get("A")).value.sourceId).toBe(
      "source of A",
    );
  });

  scenario("64-bit integers survive exactly", data, async (store) => {
    for (const order of INT64S) {
      await store.in("acme").documents.annotation.update("a", ({ value }) => ({ ...value, order }));
      expect((await store.in("acme").documents.annotation.get("a")).value.order).toBe(order);
    }
  });

  scenario("objects of any JSON survive key for key", data, async (store) => {
    const actionOverrides = { "": null, a_b: [1, { aB: "😀" }], n: -0.5, t: true, "x.y": {} };
    await store
      .in("acme")
      .documents.annotation.update("a", ({ value }) => ({ ...value, actionOverrides }));
    expect((await store.in("acme").documents.annotation.get("a")).value.actionOverrides).toEqual(
      actionOverrides,
    );
  });

  scenario("objects as deep as a request may be survive", data, async (store) => {
    const deep = JSON.parse(`${'{"a":'.repeat(99)}[1]${"}".repeat(99)}`);
    await store.in("acme").documents.annotation.update("a", ({ value }) => ({
      ...value,
      actionOverrides: deep,
    }));
    expect((await store.in("acme").documents.annotation.get("a")).value.actionOverrides).toEqual(
      deep,
    );
  });

  scenario("revisions differ after every change and never come back", data, async (store) => {
    const seen = new Set([(await store.in("acme").documents.annotation.get("a")).revision]);
    for (let round = 0; round < 5; round += 1) {
      const before = await store.in("acme").documents.annotation.get("a");
      const same = await store.in("acme").documents.annotation.touch("a", ({ value }) => value);
      expect(seen.has(same.revision)).toBe(false);
      expect(same.value).toEqual(before.value);
      seen.add(same.revision);
      await store.in("acme").documents.annotation.touch("A", ({ value }) => value);
    }
    expect((await store.in("acme").documents.annotation.get("ä")).revision).toBe(1);
  });

  scenario("a read changes no revision", data, async (store) => {
    const first = await store.in("acme").documents.annotation.get("a");
    expect(await store.in("acme").documents.annotation.get("a")).toEqual(first);
  });

  scenario("what a change throws reaches the caller and undoes it", data, async (store) => {
    const before = await store.in("acme").documents.annotation.get("a");
    const fault = new Error("no");
    await expect(
      store.in("acme").documents.annotation.update("a", () => {
        throw fault;
      }),
    ).rejects.toBe(fault);
    expect(await store.in("acme").documents.annotation.get("a")).toEqual(before);
    const next = await store.in("acme").documents.annotation.touch("a", ({ value }) => value);
    expect(next.revision).not.toBe(before.revision);
  });

  scenario("a type with and without a configuration is given back", TYPES, async (store) => {
    for (const want of TYPES.annotationTypes) {
      expect((await store.in("acme").documents.annotation_type.get(want.id)).value).toEqual(want);
    }
  });
}

const TYPES = createSmallDataset({
  annotationTypes: [
    create(AnnotationTypeSchema, { id: "plain", projectId: ALPHA, name: "plain" }),
    create(AnnotationTypeSchema, {
      id: "full",
      projectId: BETA,
      actionConfiguration: {
        configuration: { clip: { enabled: true } },
        conditions: [{ confidenceThreshold: 0.8, sourceTypes: { types: ["X"] } }, {}],
      },
    }),
  ],
});
