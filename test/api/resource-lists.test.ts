import { describe, expect, test } from "vitest";
import { type HttpResponse, reasonOf, rejection } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { listResources } from "./resources.ts";

const marquee = await useMarquee();
const RESOURCES = listResources(marquee);

/** Lists the orders that an error of a list names; one that is empty if the list has none. */
function ordersOf({ got }: { readonly got: HttpResponse }): readonly string[] {
  const [, fields] = /with one of the fields (.*)$/.exec(got.json.message) ?? [];
  if (fields === undefined) return [""];
  const orders = fields.split(", ").flatMap((it) => [`${it} asc`, `${it} desc`]);
  return orders.filter((it) => !it.includes("<"));
}

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
      for (const order of ordersOf(rejected)) {
        const whole = await walk(order, 1000);
        expect(whole.toSorted(), order).toEqual(want.toSorted());
        if (order === "id asc") expect(whole).toEqual(want.toSorted());
        if (order === "id desc") expect(whole).toEqual(want.toSorted().reverse());
        expect(await walk(order, 1), order).toEqual(whole);
      }
      if (hasOrder)
        expect([rejected.got.status, reasonOf(rejected.got)]).toEqual([400, "ORDER_INVALID"]);
    });

    test(`of ${name} has once what is there all along, while others come, change and go`, async () => {
      const kept: string[] = [];
      const others: string[] = [];
      const add = async (ids: string[]) => {
        const { id, got } = await resource.create();
        expect(got.status, got.text).toBe(200);
        ids.push(id);
      };
      for (let count = 0; count < 8; count += 1) await add(count % 2 === 0 ? kept : others);
      const rejected = await resource.list({ order: "no_such_field asc" });
      for (const order of ordersOf(rejected)) {
        const seen: string[] = [];
        let pageToken = "";
        for (let turn = 0; turn === 0 || pageToken !== ""; turn += 1) {
          const message = { filter: "id: made-*", pageSize: 3, pageToken, ...(order && { order }) };
          const { got, ids, next } = await resource.list(message);
          expect(got.status, got.text).toBe(200);
          seen.push(...ids);
          pageToken = next;
          if (turn > 5) continue;
          await add(others);
          const [first = "", second = ""] = others;
          if (resource.body.change !== undefined) await resource.update(second);
          if (resource.method("Delete") === undefined) continue;
          const deleted = await resource.delete(first);
          expect(deleted.status, deleted.text).toBe(200);
          others.shift();
        }
        expect([order, seen.filter((id) => kept.includes(id)).sort()]).toEqual([
          ...[order, kept.toSorted()],
        ]);
      }
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
