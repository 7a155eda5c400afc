import type { DescMethodUnary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { isStudioService } from "../../src/domain/base/descriptors.ts";
import { type HttpResponse, reasonOf } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { callDelivery, type Key } from "./delivery.ts";
import { methodSamples } from "./method-samples.ts";
import { findMethods, type JsonMessage, procedureOf } from "./methods.ts";

const marquee = await useMarquee();

/** Every list of delivery; that of a viewer's entitlements has tests of its own. */
const LISTS = (await findMethods()).filter(
  ({ input, parent, name }) =>
    input.field.pageSize !== undefined && !isStudioService(parent) && name !== "ListEntitlements",
) as DescMethodUnary[];

/** What each list is asked for, so that it has as many items as may be. */
const ASKED: Readonly<Record<string, JsonMessage>> = {
  ListAnnotations: { eventId: "match-2018-64" },
  ListPageComponentItems: { id: "calendar-home" },
};

/** The ids of a response, of items of any kind. */
function idsOf({ json }: HttpResponse): string[] {
  const items = Object.values(json as object).find(Array.isArray) ?? [];
  return items.map((it) => it.id ?? Object.values<{ id: string }>(it)[0]?.id);
}

test("all lists take part", () => {
  expect(LISTS.map(({ name }) => name).sort()).toEqual([
    ...["ListAnnotations", "ListCreativeWorks", "ListEntities", "ListEvents", "ListOffers"],
    ...["ListPageComponentItems", "ListPages"],
  ]);
});

for (const method of LISTS) {
  const procedure = procedureOf(method);
  describe(method.name, () => {
    expect(methodSamples).toHaveProperty([procedure]);
    const list = (message: JsonMessage, key: Key = "public") =>
      callDelivery(marquee, procedure, { ...ASKED[method.name], ...message }, key);
    const walk = async (sizes: readonly number[], key?: Key) => {
      const ids: string[] = [];
      let pageToken = "";
      for (let turn = 0; turn === 0 || pageToken !== ""; turn += 1) {
        const pageSize = sizes[turn % sizes.length] ?? 1;
        const got = await list({ pageSize, pageToken }, key);
        expect(got.status, got.text).toBe(200);
        expect(Object.keys(got.json).length).toBeLessThanOrEqual(2);
        pageToken = got.json.nextPageToken ?? "";
        ids.push(...idsOf(got));
        if (pageToken !== "") expect(idsOf(got)).toHaveLength(pageSize);
      }
      return ids;
    };

    test("holds all on pages of any sizes, each once", async () => {
      for (const key of ["public", "preview"] as const) {
        const all = await walk([100], key);
        expect(new Set(all).size).toBe(all.length);
        expect(await walk([37, 100, 3], key)).toEqual(all);
      }
      const few = await walk([100], "sandbox").catch(() => []);
      for (const id of few) expect(id).not.toMatch(/^match-|^page-/);
    });

    test("has 20 items unless it is asked, and 100 at most", async () => {
      const all = await walk([100]);
      const sizes = [undefined, null, 0, "0", 1, "1", 7, "7", 100, "100", 101, "100000"];
      for (const pageSize of [...sizes, 2 ** 31 - 1]) {
        const want = all.slice(0, Math.min(Number(pageSize ?? 0) || 20, 100));
        const got = await list({ pageSize });
        expect([pageSize, idsOf(got)]).toEqual([pageSize, want]);
        expect([pageSize, got.json.pageSize]).toEqual([
          ...[pageSize, Number(pageSize ?? 0) > 100 ? 100 : undefined],
        ]);
      }
      for (const pageSize of [-1, "-5", "ten", 1.5, true, [1], 2 ** 31]) {
        const got = await list({ pageSize });
        expect([got.status, got.json.code]).toEqual([400, "invalid_argument"]);
        const isNegative = Number(pageSize) < 0;
        expect(reasonOf(got)).toBe(isNegative ? "PAGE_SIZE_INVALID" : "VALUE_INVALID");
      }
    });

    test("takes tokens of its own and of the same key alone", async () => {
      const token = (await list({ pageSize: 1 })).json.nextPageToken;
      const previewed = (await list({ pageSize: 1 }, "preview")).json.nextPageToken;
      const other = LISTS.find((it) => it !== method && it.name !== "ListPageComponentItems");
      const foreign = await callDelivery(marquee, procedureOf(other ?? method), {
        ...{ ...ASKED[other?.name ?? ""], pageSize: 1 },
      });
      // How a token may be broken, all of test/domain/page-token.test.ts tries.
      const wrong: readonly (readonly [string, Key])[] = [
        [previewed, "public"],
        [foreign.json.nextPageToken, "public"],
        [`${token}A`, "public"],
        [token, "preview"],
      ];
      for (const [pageToken, key] of wrong) {
        const got = await list({ pageSize: 1, pageToken }, key);
        expect([pageToken, got.status, reasonOf(got)]).toEqual([
          ...[pageToken, 400, "PAGE_TOKEN_INVALID"],
        ]);
      }
      expect((await list({ pageSize: 1, pageToken: token }, "sandbox")).status).toBeGreaterThan(
        399,
      );
    });
  });
}
