import { describe, expect, test } from "vitest";
import { createDemoDataset } from "../../demo/dataset.ts";
import type { TransactionRecord } from "../../src/storage/dataset.ts";
import { type HttpAnswer, metadataOf, reasonOf, send } from "../harness/http.ts";
import type { Marquee } from "../harness/marquee.ts";
import { useMarquee } from "../harness/use-marquee.ts";

const marquee = await useMarquee();

type Query = Readonly<Record<string, string | number | boolean>>;

const RECORDS = createDemoDataset().transactions;
const of = (...projects: string[]) =>
  RECORDS.filter(({ transaction }) => projects.includes(transaction.projectId));
const list = (query: Query, role: keyof Marquee["tokens"] = "owner"): Promise<HttpAnswer> => {
  const text = Object.entries(query).map(([name, it]) => `${name}=${encodeURIComponent(it)}`);
  return send("GET", `${marquee.url}/monetization/transactions/v1?${text.join("&")}`, {
    token: marquee.tokens[role],
  });
};
const ids = (got: HttpAnswer): string[] => got.json.transactions.map((it: { id: string }) => it.id);

/** Walks from the first page to the last and gives all ids; the sizes of the pages take turns. */
async function walk(query: Query, sizes: readonly number[], role?: keyof Marquee["tokens"]) {
  const all: string[] = [];
  let page_token = "";
  for (let turn = 0; turn === 0 || page_token !== ""; turn += 1) {
    const page_size = sizes[turn % sizes.length] ?? 0;
    const got = await list({ ...query, page_size, ...(page_token && { page_token }) }, role);
    expect(got.status).toBe(200);
    page_token = got.json.next_page_token;
    if (page_token !== "") expect(ids(got)).toHaveLength(page_size);
    all.push(...ids(got));
  }
  return all;
}

/** Newest first, ties by id. */
const inOrder = (records: readonly TransactionRecord[]) =>
  records
    .map(({ transaction: { id, createTime } }) => ({ id, at: createTime?.seconds ?? 0n }))
    .sort((a, b) => (a.at === b.at ? (a.id < b.id ? -1 : 1) : a.at > b.at ? -1 : 1))
    .map(({ id }) => id);

describe("the list", () => {
  test("is newest first with ties by id, and the walk covers each once, whatever the page sizes", async () => {
    const want = inOrder(of("worldcup"));
    expect(await walk({ project_id: "worldcup" }, [1000])).toEqual(want);
    expect(await walk({ project_id: "worldcup" }, [37, 999, 1, 500, 250])).toEqual(want);
  });

  test("splits no tie, with pages of one around transactions of the same second", async () => {
    const records = of("sandbox");
    const times = records.map((it) => it.transaction.createTime?.seconds);
    expect(new Set(times).size).toBeLessThan(times.length);
    expect(await walk({ project_id: "sandbox" }, [1])).toEqual(inOrder(records));
  });

  test("without a project covers all projects in which the account may list", async () => {
    const all = of("worldcup", "sandbox");
    expect(await walk({}, [1000])).toEqual(inOrder(all));
    expect(await walk({}, [1000], "editor")).toEqual(inOrder(of("worldcup")));
    expect(await walk({}, [1000], "viewer")).toEqual(inOrder(of("worldcup")));
    expect(await walk({}, [1000], "outsider")).toEqual(inOrder(of("elsewhere")));
  });

  for (const [role, project] of [
    ["editor", "sandbox"],
    ["viewer", "sandbox"],
    ["outsider", "worldcup"],
    ["owner", "elsewhere"],
    ["owner", "nothing"],
  ] as const) {
    test(`of ${project} does not exist for the ${role}`, async () => {
      const got = await list({ project_id: project, include_summary: true }, role);
      expect([got.status, got.json.code, reasonOf(got)]).toEqual([404, 5, "RESOURCE_NOT_FOUND"]);
    });
  }

  test("shows every field of a transaction, its zero values too", async () => {
    const [got] = (await list({ filter: 'billing_transaction_id: "bill_000001"' })).json
      .transactions;
    const { transaction: want } = RECORDS[0] ?? {};
    const amount = { currency_code: expect.any(String), units: expect.stringMatching(/^\d+$/) };
    const money = { ...amount, nanos: expect.any(Number) };
    const time = expect.stringMatching(/^202[56]-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    const { capture_time, ...rest } = got;
    expect(capture_time).toEqual(want?.captureTime ? time : undefined);
    expect(rest).toEqual({
      id: "txn-000001",
      offer_id: want?.offerId,
      project_id: "worldcup",
      user_id: want?.userId,
      offer_title: want?.offerTitle,
      offer_description: want?.offerDescription,
      offer_name: want?.offerName,
      offer_price_id: want?.offerPriceId,
      status: "TRANSACTION_STATUS_CAPTURED",
      ...{ msrp: money, subtotal_amount: money, total_amount: money },
      ...{ vat_amount: money, discount_amount: money },
      discount_code: want?.discountCode,
      discount_percentage: want?.discountPercentage,
      billing_period: expect.stringMatching(/^BILLING_PERIOD_/),
      access_period: expect.stringMatching(/^ACCESS_PERIOD_/),
      payment_method_id: want?.paymentMethodId,
      subscription_id: want?.subscriptionId,
      create_time: time,
      is_test: want?.isTest,
    });
  });
});

describe("page_size", () => {
  for (const [page_size, want] of [
    ["", 50],
    [0, 50],
    [1, 1],
    [999, 999],
    [1000, 1000],
    [1001, 1000],
    [2_147_483_647, 1000],
  ] as const) {
    test(`${page_size === "" ? "left out" : page_size} gives ${want}`, async () => {
      const got = await list({ project_id: "worldcup", ...(page_size !== "" && { page_size }) });
      expect(ids(got)).toHaveLength(want);
      expect(got.json.next_page_token).not.toBe("");
    });
  }

  for (const page_size of [-1, -2_147_483_648]) {
    test(`${page_size} is refused`, async () => {
      const got = await list({ page_size });
      expect([got.status, reasonOf(got)]).toEqual([400, "PAGE_SIZE_INVALID"]);
    });
  }

  for (const page_size of ["ten", 1.5, 2_147_483_648, "", true]) {
    test(`"${page_size}" is no 32-bit number`, async () => {
      const got = await list({ page_size });
      expect([got.status, reasonOf(got)]).toEqual([400, "VALUE_INVALID"]);
      expect(metadataOf(got)?.field).toBe("page_size");
    });
  }

  test("that fits exactly ends the list without a token", async () => {
    const got = await list({ project_id: "sandbox", page_size: 200 });
    expect([ids(got).length, got.json.next_page_token]).toEqual([200, ""]);
  });
});

describe("a page token", () => {
  const query = { project_id: "worldcup", page_size: 3 };
  const tokenOf = async (more: Query = {}, role?: keyof Marquee["tokens"]): Promise<string> =>
    (await list({ ...query, ...more }, role)).json.next_page_token;
  const expectRefused = (got: HttpAnswer) => {
    expect([got.status, got.json.code, reasonOf(got)]).toEqual([400, 3, "PAGE_TOKEN_INVALID"]);
  };

  test("is safe in an address and can be used again", async () => {
    const page_token = await tokenOf();
    expect(page_token).toMatch(/^[A-Za-z0-9_-]+$/);
    const first = await list({ ...query, page_token });
    expect((await list({ ...query, page_token })).text).toBe(first.text);
  });

  test("with any character changed is refused", async () => {
    const characters = [...(await tokenOf())];
    const changed = characters.map((it, at) =>
      characters.with(at, it === "A" ? "B" : "A").join(""),
    );
    const got = await Promise.all(changed.map((page_token) => list({ ...query, page_token })));
    got.forEach(expectRefused);
  });

  for (const [what, more] of [
    ["another project", { project_id: "sandbox" }],
    ["another filter", { filter: "*" }],
    ["the summary asked for", { include_summary: true }],
  ] as const) {
    test(`with ${what} is refused, in both directions`, async () => {
      const other: Query = { ...query, ...more };
      expectRefused(await list({ ...other, page_token: await tokenOf() }));
      expectRefused(await list({ ...query, page_token: await tokenOf(more) }));
    });
  }

  test("without the project it was made for is refused", async () => {
    expectRefused(await list({ page_size: 3, page_token: await tokenOf() }));
  });

  test("of another account is refused", async () => {
    expectRefused(await list({ ...query, page_token: await tokenOf() }, "viewer"));
    expectRefused(await list({ ...query, page_token: await tokenOf({}, "viewer") }));
  });

  test("of the delivery interface is refused", async () => {
    const events = `${marquee.url}/svc.cda.cms.event.v1.EventService/ListEvents`;
    const got = await send("GET", `${events}?encoding=json&message=${encodeURIComponent("{}")}`, {
      token: marquee.keys.public,
    });
    expectRefused(await list({ ...query, page_token: got.json.nextPageToken }));
  });

  test("stays good when transactions before it are of a page with another size", async () => {
    const want = inOrder(of("worldcup"));
    const second = await list({ ...query, page_size: 7, page_token: await tokenOf() });
    expect(ids(second)).toEqual(want.slice(3, 10));
  });
});
