import { create } from "@bufbuild/protobuf";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { AnnotationSchema } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { KIND_NAMES } from "../../../src/domain/kinds.ts";
import { parseKql } from "../../../src/domain/kql/index.ts";
import type { DatabaseLocation } from "../../../src/storage/open.ts";
import { documentKindOf, isTableKind } from "../../../src/storage/sql/stores/document-kinds.ts";
import { OPEN_FRESH, pathOf } from "../../harness/fresh-store.ts";
import { ALPHA, createSmallDataset } from "../small-dataset.ts";
import { recordStatements } from "../statements/recorded-statements.ts";

/** Three slices: the first has an end, the second a start and an end, the last a start. */
const COUNT = 12_000;

const statements = recordStatements();

test("a look-up whose order no index has is sorted in slices of its own index", async () => {
  const annotations = Array.from({ length: COUNT }, (_, number) =>
    create(AnnotationSchema, {
      ...{ id: `annotation-${number}`, projectId: ALPHA, videoId: "video" },
      offset: { seconds: BigInt((number * 7_919) % COUNT) },
    }),
  );
  const { store, address, close } = await OPEN_FRESH.sqlite(createSmallDataset({ annotations }));
  onTestFinished(close);
  const { values } = await store.in("acme").documents.annotation.list({
    ...{ parentIds: [ALPHA], filter: parseKql("video_id: video"), limit: 3, now: new Date(0) },
    order: { field: "offset", direction: "desc" },
  });
  const want = [1, 2, 3].map((it) => COUNT - it);
  expect(values.map(({ offset }) => Number(offset?.seconds))).toEqual(want);

  const sorts = [...statements.values()]
    .flatMap((own) => [...own])
    .filter((text) => /"video_id" = .* order by .*moment/.test(text));
  expect(sorts.filter((text) => !/"id" (<=|>|in|between) /.test(text))).toEqual([]);
  for (const text of sorts) expect(explain(address, text)).toContain("annotation_by_video_id");
  expect(sorts).toHaveLength(4);
});

const LOOK_UPS = KIND_NAMES.filter(isTableKind).flatMap((kind) =>
  (documentKindOf(kind).lookups ?? []).map((path) => ({ kind, path })),
);

test.each(LOOK_UPS)("$kind.$path is looked up in an index", async ({ kind, path }) => {
  const { store, address, close } = await OPEN_FRESH.sqlite();
  onTestFinished(close);
  const documents = store.in("acme").documents[kind as "annotation"];
  for (const field of ["id", "create_time"]) {
    await documents.list({
      ...{ parentIds: [ALPHA], filter: parseKql(`${path}: "some"`), limit: 3, now: new Date(0) },
      order: { field, direction: "asc" },
    });
  }
  const texts = [...statements.values()]
    .flatMap((own) => [...own])
    .filter((text) => text.includes(`"${kind}"."${path}" = `));
  expect(texts.length).toBeGreaterThan(2);
  for (const text of texts) expect(explain(address, text)).toContain(`${path}=?`);
});

/** Explains a statement without its values. */
function explain(address: DatabaseLocation, text: string): string {
  const database = new Database(pathOf(address), { readonly: true });
  const values = Array.from(text.matchAll(/\?/g), () => null);
  const plan = database
    .prepare<unknown[], { detail: string }>(`explain query plan ${text}`)
    .all(...values);
  database.close();
  return plan.map(({ detail }) => detail).join("\n");
}
