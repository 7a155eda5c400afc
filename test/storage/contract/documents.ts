import { create } from "@bufbuild/protobuf";
import { expect } from "vitest";
import { AnnotationTypeSchema } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_pb.ts";
import { Code } from "../../../src/domain/base/errors.ts";
import { ALPHA, BETA, createSmallDataset } from "../small-dataset.ts";
import type { Scenario } from "./scenario.ts";

const MAX = 2n ** 63n - 1n;
const INT64S = [MAX, -(2n ** 63n), 2n ** 53n + 1n, -(2n ** 53n) - 1n, 0n];

/** Holds that documents keep values of every kind. */
export function documentContract(scenario: Scenario): void {
  const values: Readonly<Record<string, readonly object[]>> = {
    "64-bit integers": INT64S.map((order) => ({ order })),
    "objects of any JSON": [
      { actionOverrides: { "": null, a_b: [1, { aB: "😀" }], n: -0.5, t: true, "x.y": {} } },
    ],
    "objects as deep as a request may be": [
      { actionOverrides: JSON.parse(`${'{"a":'.repeat(99)}[1]${"}".repeat(99)}`) },
    ],
  };
  for (const [what, changes] of Object.entries(values)) {
    scenario(`${what} survive exactly`, createSmallDataset(), async (store) => {
      const { annotation } = store.in("acme").documents;
      for (const change of changes) {
        const want = { ...(await annotation.get("annotation-1")).value, ...change };
        await annotation.update("annotation-1", () => want);
        expect((await annotation.get("annotation-1")).value).toEqual(want);
      }
    });
  }

  scenario("an id of another type is NOT_FOUND", createSmallDataset(), async (store) => {
    const want = { code: Code.NOT_FOUND, reason: "RESOURCE_NOT_FOUND" };
    const { annotation_type, ruleset } = store.in("acme").documents;
    await expect(annotation_type.get("annotation-1")).rejects.toMatchObject(want);
    await expect(ruleset.get("Ruleset-1")).rejects.toMatchObject(want);
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
