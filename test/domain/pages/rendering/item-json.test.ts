import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { ItemSchema } from "../../../../gen/svc/cda/cms/item/v1/item_pb.ts";
import { toItemJson } from "../../../../src/domain/pages/rendering/page-scope.ts";

const FREE = { fields: { homeTeam: { id: 1 } } };

test("an item of every kind is written with proto field names, free fields as they are", () => {
  const cases = [
    [{ case: "event", value: { contentType: "match", ...FREE } }, { content_type: "match" }],
    [{ case: "creativeWork", value: { releaseTime: { seconds: 0n }, ...FREE } }, RELEASED],
    [{ case: "entity", value: { posterImageUrl: "u", ...FREE } }, { poster_image_url: "u" }],
  ] as const;
  for (const [item, want] of cases) {
    expect(toItemJson(create(ItemSchema, { item }))).toEqual({ ...want, ...FREE });
  }
});

test("an empty item has no JSON", () => {
  expect(toItemJson(create(ItemSchema))).toBeUndefined();
});

const RELEASED = { release_time: "1970-01-01T00:00:00Z" };
