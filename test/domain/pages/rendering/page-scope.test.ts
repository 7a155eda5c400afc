import { create, type JsonObject, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { PageObject, PageSchema } from "../../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import {
  createPageScope,
  findObjectKey,
} from "../../../../src/domain/pages/rendering/page-scope.ts";

const page = (init: MessageInitShape<typeof PageSchema>) => create(PageSchema, init);
const EVENT: JsonObject = { id: "e1", fields: { season: { id: "s9" } } };

test.each<[PageObject, string[], Record<string, string>, unknown]>([
  [PageObject.EVENT, ["id"], { id: "a" }, { kind: "event", id: "a" }],
  [PageObject.ENTITY, ["id", "x"], { id: "a" }, { kind: "entity", id: "a" }],
  [PageObject.CREATIVE_WORK, ["id"], { id: "a" }, { kind: "creative_work", id: "a" }],
  [PageObject.UNSPECIFIED, ["id"], { id: "a" }, undefined],
  [PageObject.EVENT, [], { id: "a" }, undefined],
  [PageObject.EVENT, ["id"], {}, undefined],
  [PageObject.EVENT, ["id"], { id: "" }, undefined],
  [PageObject.EVENT, ["ID"], { id: "a", ID: "b" }, undefined],
])(
  "a page is about what its parameter id names: object %s [%s] %j",
  (object, parameters, sent, want) => {
    expect(findObjectKey(page({ object, parameters }), sent)).toEqual(want);
  },
);

describe("variables", () => {
  const match = page({ object: PageObject.EVENT, parameters: ["id", "constructor"] });
  const sent = { id: "e1", lang: "de", q: "goal", "event.id": "mine" };
  const scope = createPageScope(match, sent, EVENT);

  test("are the declared parameters, q and the object", () => {
    const paths = ["id", "q", "event.id", "event.fields.season.id"];
    expect(paths.map(scope)).toEqual(["e1", "goal", "e1", "s9"]);
  });

  test("are not what is undeclared, not sent, or not the page's own object", () => {
    const paths = ["lang", "constructor", "toString", "entity.id", "event.fields.none", "event"];
    expect(paths.map(scope)).toEqual(paths.map(() => undefined));
  });

  test("of an object that is not there have no value", () => {
    expect(createPageScope(match, sent, undefined)("event.id")).toBeUndefined();
    expect(createPageScope(page({ parameters: ["id"] }), sent, EVENT)("event.id")).toBeUndefined();
  });

  test("hold no q that was not sent", () => {
    expect(createPageScope(match, {}, EVENT)("q")).toBeUndefined();
    expect(createPageScope(match, { q: "" }, EVENT)("q")).toBeUndefined();
  });
});
