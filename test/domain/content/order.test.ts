import { describe, expect, test } from "vitest";
import { type ContentKind, parseOrder } from "../../../src/domain/content/order.ts";
import { rejection } from "../../harness/rejection.ts";

const COMMON = ["create_time", "update_time", "id", "title.en", "title.zh-Hant-TW", "title.de"];
const KINDS: readonly (readonly [ContentKind | undefined, readonly string[], readonly string[]])[] =
  [
    ["event", [...COMMON, "start_time"], ["release_time"]],
    ["creative_work", [...COMMON, "release_time"], ["start_time"]],
    ["entity", COMMON, ["start_time", "release_time"]],
    [undefined, [...COMMON, "start_time", "release_time"], []],
  ];

for (const [kind, allowed, rejected] of KINDS) {
  describe(`an order of ${kind ?? "any kind"}`, () => {
    for (const field of allowed) {
      test.each([`${field} asc`, `${field} desc`, `  ${field}\t desc `])(
        "%j is allowed",
        (order) => {
          expect(() => parseOrder(order, kind, "rail.order")).not.toThrow();
        },
      );
    }
    test.each([...rejected, "end_time", "title", "fields", "rating", "name", "ID"])(
      "%s is rejected with the fields that are allowed",
      (field) => {
        expect(() => parseOrder(`${field} asc`, kind, "rail.order")).toThrow(
          rejection("ORDER_INVALID", "rail.order", {
            message: expect.stringMatching(
              /by a path such as 'fields\.rating', or with one of the fields .*create_time, update_time, id, /,
            ),
          }),
        );
      },
    );
  });
}

test.each([
  ...["", " ", "id", "asc", "id ASC", "id up", "id asc desc", "id asc, create_time desc"],
  ...["id,asc", "id:asc", "desc id", "title. asc", "title.en_US asc", "title.en.x asc"],
  ...[`title.${"a".repeat(36)} asc`, "constructor asc", "fields. asc", 'fields."x" asc'],
  ...[
    "fields.x",
    "fields.* asc",
    "fields.<a> asc",
    "fields.a: asc",
    "fields.a b asc",
    "fields.a asc fields.b asc",
  ],
  ...[",", "id asc,", ",id asc", "fields.x asc,", "fields.x asc, ", "fields.x, id asc"],
])("the form of an order: %j is rejected", (order) => {
  expect(() => parseOrder(order, "event", "order")).toThrow(rejection("ORDER_INVALID"));
});

describe("an order by a field of one's own", () => {
  test("is by its path, and then by another field of the kind", () => {
    expect(parseOrder("fields.rating desc", "event", "order")).toEqual({
      ...{ field: "fields.rating", direction: "desc" },
    });
    expect(parseOrder(" fields.x.é-1\tasc ,title.en  desc", "event", "order")).toEqual({
      ...{ field: "fields.x.é-1", direction: "asc" },
      second: { field: "title.en", direction: "desc" },
    });
  });

  const second =
    "with one of the fields start_time, create_time, update_time, id, title.<language>";
  const rule = "must be one field, or a field below 'fields', a comma and one other field";
  test.each([
    [
      "fields.a asc, fields.b asc",
      `'fields.b asc' must be '<field> asc' or '<field> desc' ${second}`,
    ],
    ["fields.a asc, release_time asc", second],
    ["fields.a asc, id", second],
    ["fields.a asc, start_time asc, id asc", rule],
    ["start_time asc, id asc", rule],
    ["start_time asc, fields.a asc", rule],
    ["title.en asc, start_time asc", rule],
  ])("%j is rejected with the reason", (order, message) => {
    expect(() => parseOrder(order, "event", "rail.order")).toThrow(
      rejection("ORDER_INVALID", "rail.order", { message: expect.stringContaining(message) }),
    );
  });
});
