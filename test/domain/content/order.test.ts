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
    test.each([...rejected, "end_time", "title", "fields.x", "name", "ID"])(
      "%s is rejected with the fields that are allowed",
      (field) => {
        expect(() => parseOrder(`${field} asc`, kind, "rail.order")).toThrow(
          rejection("ORDER_INVALID", "rail.order", {
            message: expect.stringContaining("create_time, update_time, id"),
          }),
        );
      },
    );
  });
}

test.each([
  ...["", " ", "id", "asc", "id ASC", "id up", "id asc desc", "id asc, create_time desc"],
  ...["id,asc", "id:asc", "desc id", "title. asc", "title.en_US asc", "title.en.x asc"],
  ...[`title.${"a".repeat(36)} asc`, "constructor asc"],
])("the form of an order: %j is rejected", (order) => {
  expect(() => parseOrder(order, "event", "order")).toThrow(rejection("ORDER_INVALID"));
});
