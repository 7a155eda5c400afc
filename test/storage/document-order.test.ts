import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, expect, test } from "vitest";
import { VideoSchema } from "../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import type { OrderPlace } from "../../src/domain/base/paging.ts";
import { parseKql } from "../../src/domain/kql/index.ts";
import type { DocumentQuery } from "../../src/storage/contract/document-store.ts";
import { loadDataset } from "../harness/load-dataset.ts";
import { expectWithin } from "../harness/turns.ts";
import { MeasuredBudget, MOST_MS, openMeasuredStore, takeCosts } from "./measured-store.ts";
import { ALPHA, createSmallDataset } from "./small-dataset.ts";

// No index has the order of the times of documents.

const COUNT = 80_000;

/** Sorting all rows takes several times as long. */
const MOST_SORT_MS = MOST_MS / 5;

const VIDEOS = Array.from({ length: COUNT }, (_, number) => {
  const time = number % 1_000 === 0 ? undefined : 1_000 + ((number * 7_919) % 50_021);
  return { id: `video-${String((number * 104_729) % COUNT).padStart(5, "0")}`, time };
});

let measured: Awaited<ReturnType<typeof openMeasuredStore>>;

beforeAll(async () => {
  measured = await openMeasuredStore();
  await loadDataset(measured.store, createSmallDataset({ videos: [] }));
  const records = VIDEOS.map(({ id, time }) => ({
    kind: "video" as const,
    line: 0,
    message: create(VideoSchema, {
      ...{ id, projectId: ALPHA },
      ...(time !== undefined && { createTime: timestampFromMs(time) }),
    }),
  }));
  await measured.store.importRecords([records]);
}, 120_000);
afterAll(() => measured.close());

const list = (query: Partial<DocumentQuery>, limit?: number) =>
  measured.store.in("acme").documents.video.list({
    parentIds: [ALPHA],
    order: { field: "create_time", direction: "asc" },
    limit: 8_000,
    now: new Date(0),
    budget: new MeasuredBudget({
      clock: limit === undefined ? () => 0 : () => performance.now(),
      pause: async () => {},
      ...(limit !== undefined && { limit }),
    }),
    ...query,
  });

test.each(["asc", "desc"] as const)(
  "every page in the order of times %s sorts in slices",
  async (direction) => {
    const sign = direction === "asc" ? 1 : -1;
    const rank = (time: number | undefined) => (time === undefined ? COUNT : sign * time);
    const want = VIDEOS.toSorted((a, b) => rank(a.time) - rank(b.time) || (a.id < b.id ? -1 : 1));
    const got: string[] = [];
    takeCosts();
    let after: OrderPlace | undefined;
    do {
      const order = { field: "create_time", direction };
      const page = await list({ order, ...(after && { after }) });
      got.push(...page.values.map(({ id }) => id));
      after = page.next;
    } while (after !== undefined);
    expect(got).toEqual(want.map(({ id }) => id));
    for (const { ms, what } of takeCosts()) expectWithin(ms, MOST_SORT_MS, what);
  },
);

test("a page whose sort takes all of its time has rows, and the page after it the next ones", async () => {
  const first = await list({}, 1);
  expect(first.values).not.toEqual([]);
  const next = await list(
    { ...(first.next && { after: first.next }), filter: parseKql("id: nothing") },
    1,
  );
  expect(next.values).toEqual([]);
  expect(next.next?.key).toBeGreaterThan(Number(first.next?.key));
});
