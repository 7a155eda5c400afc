import type { DescMethod } from "@bufbuild/protobuf";
import { beforeAll, describe, expect, test } from "vitest";
import { isManagement } from "../../../src/domain/descriptors.ts";
import { connectHeaders, PROCEDURES } from "../../harness/calls.ts";
import { reasonOf, refusal, send } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { methodSamples } from "../method-samples.ts";
import { findMethods, type JsonMessage, procedureOf } from "../methods.ts";

const marquee = await useMarquee();

const paged = (await findMethods()).filter(({ input }) => input.field.pageToken !== undefined);
const lists = paged.filter(
  ({ parent, input }) => isManagement(parent) && input.field.filter !== undefined,
);

const sampleOf = async (method: DescMethod): Promise<JsonMessage> => {
  const { message } = methodSamples[procedureOf(method)] ?? {};
  return typeof message === "function" ? message(marquee) : { ...message };
};

/** The lists of which the demo holds two things or more. */
let walked = 0;

describe("a page token of a management list holds for the same question only", () => {
  for (const method of lists) {
    const procedure = procedureOf(method);
    test(procedure, async () => {
      const sample = await sampleOf(method);
      const list = (more: JsonMessage, token = marquee.tokens.owner) =>
        send("POST", `${marquee.url}/${procedure}`, {
          headers: connectHeaders(token),
          body: { ...sample, pageSize: 1, ...more },
        });
      const first = await list({});
      expect(first.status, first.text).toBe(200);
      const pageToken = first.json.nextPageToken;
      if (!pageToken) return;
      walked += 1;
      expect((await list({ pageToken })).status).toBe(200);
      expect((await list({ pageToken, pageSize: 2 })).status).toBe(200);
      const others: JsonMessage[] = [
        { filter: isTransactions(procedure) ? 'billing_transaction_id: "x"' : "not id: nothing" },
        ...(method.input.field.order === undefined ? [] : [{ order: "id desc" }]),
      ];
      for (const other of others) {
        expect((await list(other)).status).toBe(200);
        const got = await list({ pageToken, ...other });
        expect([got.status, reasonOf(got)], JSON.stringify(other)).toEqual([
          400,
          "PAGE_TOKEN_INVALID",
        ]);
      }
    });
  }

  test("enough of them have a second page", () => {
    expect(lists.length).toBeGreaterThan(15);
    expect(walked).toBeGreaterThan(10);
  });
});

describe("a page token of a delivery list holds for every public key and viewer of its project", () => {
  let others: Readonly<Record<"second" | "viewer", string>>;
  beforeAll(async () => {
    const made = await send("POST", `${marquee.url}/iam/project_keys/v1`, {
      token: marquee.tokens.owner,
      body: { project_id: "worldcup", name: "second", kind: "PROJECT_KEY_KIND_PUBLIC" },
    });
    const { message } = methodSamples[PROCEDURES.exchangeToken.slice(1)] ?? {};
    const { json } = await send("POST", marquee.url + PROCEDURES.exchangeToken, {
      headers: connectHeaders(marquee.keys.public),
      body: typeof message === "function" ? await message(marquee) : message,
    });
    others = { second: made.json.key, viewer: json.token };
  });
  let read = 0;
  for (const method of paged.filter(({ parent }) => !isManagement(parent))) {
    const procedure = procedureOf(method);
    // Its list is a viewer's own.
    if (procedure.endsWith("/ListEntitlements")) continue;
    test(procedure, async () => {
      const {
        filter: _filter,
        search: _search,
        pageSize: _size,
        ...sample
      } = await sampleOf(method);
      const size = method.input.field.pageSize === undefined ? {} : { pageSize: 1 };
      const list = (token: string, more: JsonMessage = {}) =>
        send("POST", `${marquee.url}/${procedure}`, {
          headers: connectHeaders(token),
          body: { ...sample, ...size, ...more },
        });
      const { public: key, preview, sandbox } = marquee.keys;
      const first = await list(key);
      expect(first.status, first.text).toBe(200);
      const pageToken = first.json.nextPageToken;
      if (!pageToken) return;
      read += 1;
      const want = await list(key, { pageToken });
      expect(want.status).toBe(200);
      for (const token of [others.second, others.viewer]) {
        expect((await list(token, { pageToken })).text).toBe(want.text);
      }
      expect(refusal(await list(preview, { pageToken }))).toEqual([400, "PAGE_TOKEN_INVALID"]);
      expect((await list(sandbox, { pageToken })).status).toBeGreaterThanOrEqual(400);
    });
  }
  test("enough of them have a second page", () => expect(read).toBeGreaterThan(5));
});

/** What an item is ordered by; what is not set comes last, but for positions, of which none is 0. */
function sortKey(field: string, value: unknown): number | string | undefined {
  if (field === "position") return Number(value ?? 0);
  return field === "offset" && value !== undefined
    ? Number.parseFloat(String(value))
    : (value as string);
}

describe("lists are in the order of each field, ties by ascending id in both directions", () => {
  let tied = 0;
  let sorted = 0;
  const orders: Record<string, string> = {};
  for (const method of lists.filter(({ input }) => input.field.order !== undefined)) {
    const procedure = procedureOf(method);
    test(procedure, async () => {
      const { filter: _filter, ...sample } = await sampleOf(method);
      const list = (more: JsonMessage) =>
        send("POST", `${marquee.url}/${procedure}`, {
          headers: connectHeaders(marquee.tokens.owner),
          body: { ...sample, ...more },
        });
      const refused = await list({ order: "no_such_field asc" });
      const [, names = ""] = /with one of the fields (.*)$/.exec(refused.json.message) ?? [];
      orders[method.name] = names;
      const fields = names.split(", ").filter((it) => it !== "id" && /^[a-z_]+$/.test(it));
      for (const direction of ["asc", "desc"] as const) {
        for (const field of fields) {
          const items: Record<string, string>[] = [];
          let pageToken = "";
          for (let page = 0; page < 5; page += 1) {
            const got = await list({ order: `${field} ${direction}`, pageSize: 7, pageToken });
            expect(got.status, got.text).toBe(200);
            items.push(...(got.json[method.output.fields[0]?.jsonName ?? ""] ?? []));
            pageToken = got.json.nextPageToken ?? "";
            if (pageToken === "") break;
          }
          const key = field.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
          for (const [index, { id = "", [key]: value }] of items.entries()) {
            const last = items[index - 1];
            if (last === undefined) continue;
            const [a, b] = [sortKey(field, last[key]), sortKey(field, value)];
            const isTie = a === b;
            if (isTie) tied += 1;
            else sorted += 1;
            const isAscending =
              a !== undefined && b !== undefined && a < b === (direction === "asc");
            const isInOrder = isTie ? String(last.id) < id : b === undefined || isAscending;
            expect([`${procedure} ${field} ${direction}`, last.id, id, isInOrder]).toEqual([
              ...[`${procedure} ${field} ${direction}`, last.id, id, true],
            ]);
          }
        }
      }
    });
  }
  test("the fields are those that most lists have, but for these lists", () => {
    const most = "create_time, update_time, id";
    expect(Object.fromEntries(Object.entries(orders).filter(([, it]) => it !== most))).toEqual({
      ListAccessTokens: "create_time, id",
      ListActionRuns: "create_time, id",
      ListAnnotations: "offset, id",
      ListBindings: "create_time, id",
      ListCreativeWorks: `release_time, ${most}, title.<language>`,
      ListEntities: `${most}, title.<language>`,
      ListEntitlements: "start_time, id",
      ListEvents: `start_time, ${most}, title.<language>`,
      ListOffers: `position, ${most}`,
      ListRulesets: "id",
    });
  });
  test("enough are tied, and enough are not", () => {
    expect(tied).toBeGreaterThan(100);
    expect(sorted).toBeGreaterThan(100);
  });
});

function isTransactions(procedure: string): boolean {
  return procedure.endsWith("/ListTransactions");
}
