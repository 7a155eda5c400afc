import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect } from "vitest";
import { AnnotationSchema } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { parseKql } from "../../../src/domain/kql/index.ts";
import type {
  AnnotationPlace,
  AnnotationQuery,
} from "../../../src/storage/contract/annotations.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { ALPHA, BETA, createSmallDataset } from "../small-dataset.ts";
import { expectPages, type ListIds, readAll } from "./paging.ts";
import type { Scenario } from "./scenario.ts";

const { UNSPECIFIED, PUBLISHED, UNLISTED, HIDDEN } = Visibility;
const ALL: readonly Visibility[] = [HIDDEN, PUBLISHED, UNSPECIFIED, UNLISTED];
const MAX = 2n ** 63n - 1n;
const MIN = -(2n ** 63n);

/** Holds the list of annotations: parents, order, paging, visibility, and that changes move them. */
export function annotationContract(scenario: Scenario): void {
  scenario("annotations come by offset, unset last, then order, then id", MANY, async (store) => {
    await expectPages(listIds(store, { visibilities: ALL }), ORDERED);
  });

  scenario("pages of every visibility hold everything once", MANY, async (store) => {
    for (let bits = 0; bits < 16; bits += 1) {
      const visibilities = ALL.filter((_, index) => (bits & (1 << index)) !== 0);
      const want = ORDERED.filter((id) => visibilities.includes(visibilityOf(id)));
      for (const limit of [1, 3, 50]) {
        expect(await readAll(listIds(store, { visibilities }), limit)).toEqual(want);
      }
    }
  });

  scenario("those of a video or an event are found in every order", PARENTS, async (store) => {
    const cases = {
      "video_id: v": ["both", "video"],
      "event_id: e": ["both", "event", "other video"],
      "video_id: v and event_id: e": ["both"],
    };
    for (const [filter, want] of Object.entries(cases)) {
      for (const field of ["id", "offset", "create_time"]) {
        const { values } = await store.in("acme").documents.annotation.list({
          ...{ parentIds: [ALPHA], filter: parseKql(filter), order: { field, direction: "asc" } },
          ...{ limit: 50, now: new Date(0) },
        });
        const got = values.map(({ id }) => id);
        expect([filter, field, got.toSorted()]).toEqual([filter, field, want]);
      }
    }
  });

  scenario("a place carries a 64-bit order exactly, and an unset offset", MANY, async (store) => {
    for (const [id, want] of [
      ["least", { offset: 0, order: MIN, id: "least" }],
      ["above 2^53", { offset: 5_000_000, order: 2n ** 53n + 1n, id: "above 2^53" }],
      ["unset-1", { order: 0n, id: "unset-1" }],
    ] as const) {
      const limit = ORDERED.indexOf(id) + 1;
      const { next } = await store.annotations.list(toQuery({ visibilities: ALL, limit }));
      expect(next).toEqual(want);
    }
  });

  scenario("a place that is gone is continued behind", MANY, async (store) => {
    const cases: readonly (readonly [AnnotationPlace, string | undefined])[] = [
      [{ offset: 0, order: MIN, id: "" }, "least"],
      [{ offset: 0, order: MIN, id: "least!" }, "most"],
      [{ offset: 5_000_000, order: 0n, id: "a!" }, "é"],
      [{ offset: 5_000_000, order: 2n ** 53n, id: "\u{10ffff}" }, "above 2^53"],
      [{ offset: 5_000_001, order: MIN, id: "" }, "one microsecond on"],
      [{ offset: 8e18, order: MAX, id: "" }, "unset-0"],
      [{ order: MIN, id: "" }, "unset-0"],
      [{ order: 0n, id: "unset-1" }, "unset-2"],
      [{ order: MAX, id: "" }, undefined],
    ];
    for (const [after, want] of cases) {
      const page = await store.annotations.list(toQuery({ visibilities: ALL, after }));
      expect(page.annotations[0]?.id).toBe(want);
    }
  });

  scenario("a video, an event, or both narrow the list, byte for byte", PARENTS, async (store) => {
    const cases: readonly (readonly [Partial<AnnotationQuery>, readonly string[]])[] = [
      [{ videoId: "v" }, ["both", "video"]],
      [{ eventId: "e" }, ["both", "event", "other video"]],
      [{ videoId: "v", eventId: "e" }, ["both"]],
      [{ videoId: "V" }, []],
      [{ eventId: "E" }, []],
      [{ videoId: "e" }, []],
      [{ videoId: "v", eventId: "x" }, []],
      [{ projectId: BETA, videoId: "v", eventId: "e" }, ["beta"]],
      [{ projectId: "Beta", videoId: "v" }, []],
    ];
    for (const [parents, want] of cases) {
      await expectPages(listIds(store, {}, parents), want);
    }
  });

  scenario("annotations are given back whole", MANY, async (store) => {
    const { annotations } = await store.annotations.list(toQuery({ limit: 1 }));
    expect(annotations[0]).toEqual(MANY.annotations.find((it) => it.id === ORDERED[0]));
  });

  moveContract(scenario);
}

/** What an update changes is where the next list looks for it. */
function moveContract(scenario: Scenario): void {
  const moves: readonly (readonly [string, AnnotationInit, readonly string[]])[] = [
    ["a later offset", { offset: { seconds: 30n } }, ["2", "3", "1"]],
    ["no offset", { offset: undefined }, ["2", "3", "1"]],
    ["a larger order", { offset: { seconds: 20n }, order: MAX }, ["2", "1", "3"]],
    ["a smaller order", { offset: { seconds: 20n }, order: MIN }, ["1", "2", "3"]],
    ["another video", { videoId: "w" }, ["2", "3"]],
    ["no video", { videoId: "" }, ["2", "3"]],
    ["another event", { eventId: "x" }, ["2", "3"]],
    ["no event", { eventId: "" }, ["2", "3"]],
    ["another visibility", { visibility: HIDDEN }, ["2", "3"]],
    ["nothing", {}, ["1", "2", "3"]],
  ];
  for (const [what, change, want] of moves) {
    scenario(`an update to ${what} moves an annotation in the list`, MOVED, async (store) => {
      await store.in("acme").documents.annotation.update("1", () => createFirst(change));
      expect(await readAll(listIds(store, { eventId: "e" }))).toEqual(want);
      await store.in("acme").documents.annotation.update("1", () => createFirst({}));
      expect(await readAll(listIds(store, { eventId: "e" }))).toEqual(["1", "2", "3"]);
    });
  }

  scenario("a moved annotation is found at its new place", MOVED, async (store) => {
    const first = createFirst({ videoId: "w", eventId: "x", visibility: UNLISTED });
    await store.in("acme").documents.annotation.update("1", () => first);
    expect(await readAll(listIds(store, { videoId: "w" }))).toEqual([]);
    for (const parents of [{ videoId: "w" }, { eventId: "x" }]) {
      const moved = listIds(store, { visibilities: [UNLISTED] }, parents);
      expect(await readAll(moved)).toEqual(["1"]);
    }
  });
}

const SCOPE = { projectId: ALPHA, visibilities: [PUBLISHED] };

function toQuery(changes: Partial<AnnotationQuery>): AnnotationQuery {
  return { ...SCOPE, videoId: "v", limit: 50, ...changes };
}

function listIds(
  store: Store,
  changes: Partial<AnnotationQuery>,
  parents: Partial<AnnotationQuery> = { videoId: "v" },
): ListIds<AnnotationPlace> {
  return async (page) => {
    const query = { ...SCOPE, ...parents, ...changes, ...page };
    const { annotations, next } = await store.annotations.list(query);
    return { ids: annotations.map(({ id }) => id), next };
  };
}

function visibilityOf(id: string): Visibility {
  return MANY.annotations.find((it) => it.id === id)?.visibility ?? UNSPECIFIED;
}

type AnnotationInit = MessageInitShape<typeof AnnotationSchema>;

function createAnnotation(id: string, init: AnnotationInit) {
  return create(AnnotationSchema, {
    id,
    projectId: ALPHA,
    videoId: "v",
    visibility: PUBLISHED,
    ...init,
  } as AnnotationInit);
}

/** The first annotation of the dataset that is changed. */
function createFirst(change: AnnotationInit) {
  const init = { eventId: "e", offset: { seconds: 10n }, ...change };
  return createAnnotation("1", init as AnnotationInit);
}

const ORDERED = [
  ...["least", "most", "before", "A", "a", "é", "\uff61", "\u{1f600}", "at 2^53", "above 2^53"],
  ...["one microsecond on", "ten thousand years", "unset-0", "unset-1", "unset-2"],
];

const FIVE = { seconds: 5n };
const MANY = createSmallDataset({
  annotations: [
    createAnnotation("unset-2", { order: 1n, visibility: HIDDEN }),
    createAnnotation("unset-0", { order: MIN }),
    createAnnotation("unset-1", {}),
    createAnnotation("ten thousand years", { offset: { seconds: 315_576_000_000n } }),
    createAnnotation("one microsecond on", { offset: { seconds: 5n, nanos: 1_999 }, order: MIN }),
    createAnnotation("above 2^53", { offset: FIVE, order: 2n ** 53n + 1n, visibility: UNLISTED }),
    createAnnotation("at 2^53", { offset: FIVE, order: 2n ** 53n }),
    createAnnotation("\u{1f600}", { offset: FIVE, visibility: HIDDEN }),
    createAnnotation("\uff61", { offset: FIVE }),
    createAnnotation("é", { offset: FIVE }),
    createAnnotation("a", { offset: FIVE, visibility: UNSPECIFIED }),
    createAnnotation("A", { offset: FIVE }),
    createAnnotation("before", { offset: FIVE, order: -1n, visibility: UNSPECIFIED }),
    createAnnotation("most", { offset: { seconds: 0n }, order: MAX }),
    createAnnotation("least", { offset: {}, order: MIN, timerLabel: "0", entityIds: ["x", "x"] }),
    createAnnotation("elsewhere", { videoId: "w" }),
  ],
});

const PARENTS = createSmallDataset({
  annotations: [
    createAnnotation("video", { offset: FIVE }),
    createAnnotation("event", { videoId: "", eventId: "e", offset: { seconds: 2n } }),
    createAnnotation("other video", { videoId: "w", eventId: "e", offset: { seconds: 3n } }),
    createAnnotation("both", { eventId: "e", offset: { seconds: 1n } }),
    createAnnotation("neither", { videoId: "" }),
    createAnnotation("beta", { projectId: BETA, eventId: "e" }),
  ],
});

const MOVED = createSmallDataset({
  annotations: [
    createFirst({}),
    createAnnotation("2", { eventId: "e", offset: { seconds: 20n }, order: 1n }),
    createAnnotation("3", { eventId: "e", offset: { seconds: 20n }, order: MAX }),
  ],
});
