import { describe, expect, test } from "vitest";
import { reasonOf, rejection } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { listResources } from "./resources.ts";

const marquee = await useMarquee();
const RESOURCES = listResources(marquee);

describe("a list", () => {
  for (const [name, resource] of RESOURCES) {
    const hasOrder = resource.method("List")?.input.field.order !== undefined;
    const hasFilter = resource.method("List")?.input.field.filter !== undefined;
    if (!hasFilter) continue;

    test(`of ${name} goes through pages of any size without one twice or missing`, async () => {
      const want: string[] = [];
      for (let count = 0; count < 4; count += 1) want.push((await resource.create()).id);
      const filter = want.map((id) => `id: "${id}"`).join(" or ");
      const walk = async (order: string, pageSize: number) => {
        const seen: string[] = [];
        let pageToken = "";
        do {
          const message = { filter, pageSize, pageToken, ...(order !== "" && { order }) };
          const { got, ids, next } = await resource.list(message);
          expect(got.status, got.text).toBe(200);
          expect(ids.length).toBeLessThanOrEqual(pageSize);
          seen.push(...ids);
          pageToken = next;
        } while (pageToken !== "");
        return seen;
      };
      const rejected = await resource.list({ order: "no_such_field asc" });
      const [, fields = ""] = /with one of the fields (.*)$/.exec(rejected.got.json.message) ?? [];
      const orders = hasOrder
        ? fields.split(", ").flatMap((it) => [`${it} asc`, `${it} desc`])
        : [""];
      for (const order of orders.filter((it) => !it.includes("<"))) {
        const whole = await walk(order, 1000);
        expect(whole.toSorted(), order).toEqual(want.toSorted());
        if (order === "id asc") expect(whole).toEqual(want.toSorted());
        if (order === "id desc") expect(whole).toEqual(want.toSorted().reverse());
        expect(await walk(order, 1), order).toEqual(whole);
      }
      if (hasOrder)
        expect([rejected.got.status, reasonOf(rejected.got)]).toEqual([400, "ORDER_INVALID"]);
    });

    test(`of ${name} says that a page has at most 1,000`, async () => {
      for (const [pageSize, want] of [
        [1_000, undefined],
        [1_001, 1_000],
      ]) {
        const { got } = await resource.list({ pageSize });
        expect(got.status, got.text).toBe(200);
        const { page_size: capped = got.json.pageSize } = got.json;
        expect([pageSize, capped]).toEqual([pageSize, want]);
      }
    });

    test(`of ${name} rejects what is no page, filter or token`, async () => {
      for (const [message, reason] of [
        [{ pageSize: -1 }, "PAGE_SIZE_INVALID"],
        [{ pageToken: "x" }, "PAGE_TOKEN_INVALID"],
        [{ filter: "name: (" }, "KQL_SYNTAX"],
      ] as const) {
        const { got } = await resource.list(message);
        expect(rejection(got)).toEqual([400, reason]);
      }
    });
  }
});
