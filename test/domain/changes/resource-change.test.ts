import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { PageComponentSchema } from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { runAll } from "../../../src/domain/base/steps.ts";
import { PATH_LIMITS } from "../../../src/domain/changes/path-tree.ts";
import {
  describeChanges,
  type ResourceChange,
} from "../../../src/domain/changes/resource-change.ts";

const text = (html: string) => ({ case: "text", value: { html } }) as const;
const component = (data: object) => create(PageComponentSchema, { id: "a", ...data });
const event = (data: object) => create(EventSchema, { id: "a", ...data });

const CASES: readonly (readonly [
  name: string,
  change: Pick<ResourceChange, "after" | "before" | "kind" | "order">,
  paths: readonly string[],
])[] = [
  [
    "a member of a oneof replaces another",
    {
      kind: "page_component",
      before: component({ data: { case: "calendar", value: {} } }),
      after: component({ data: text("b") }),
    },
    ["calendar", "text"],
  ],
  [
    "a value of a member of a oneof",
    {
      kind: "page_component",
      before: component({ data: text("b"), name: "n" }),
      after: component({ data: text("c"), name: "n" }),
    },
    ["text.html"],
  ],
  [
    "a message is removed, a language is added, a struct changes",
    {
      kind: "event",
      before: event({ startTime: { seconds: 1n }, title: { en: "a" }, fields: { score: 1, n: 2 } }),
      after: event({ title: { en: "a", de: "b" }, fields: { score: 3, n: 2 } }),
    },
    ["start_time", "title.de", "fields.score"],
  ],
  [
    "the time of the update does not count",
    { kind: "event", before: event({ updateTime: { seconds: 1n } }), after: event({}) },
    [],
  ],
  [
    "the order of components",
    {
      kind: "page_component",
      before: component({}),
      after: component({}),
      order: { before: [], after: ["b"] },
    },
    ["page_component_ids"],
  ],
  ["a creation", { kind: "event", after: event({ title: { en: "a" } }) }, []],
  ["a deletion", { kind: "event", before: event({ title: { en: "a" } }) }, []],
];

test.each(CASES)("%s", (_, change, paths) => {
  const [described] = runAll(describeChanges([{ ...change, revision: 1 }]));
  expect(described?.resource.paths.toSorted()).toEqual(paths.toSorted());
});

test("the changes of a write share its bytes of paths", () => {
  const fields = (value: number) =>
    Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`key-${index}`, value]));
  const changes = Array.from({ length: 500 }, () => ({
    kind: "event" as const,
    ...{ before: event({ fields: fields(1) }), after: event({ fields: fields(2) }), revision: 1 },
  }));
  const sizeOf = (count: number) => {
    const described = runAll(describeChanges(changes.slice(0, count)));
    return described.map(({ resource }) => Buffer.byteLength(resource.paths.join("")));
  };
  expect(sizeOf(100)).toEqual(sizeOf(1).flatMap((size) => Array(100).fill(size)));
  const sizes = sizeOf(500);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(PATH_LIMITS.write);
  expect(sizes[0]).toBe("fields".length);
});
