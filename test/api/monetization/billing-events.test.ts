import { describe, expect, test } from "vitest";
import { ORGANIZATION } from "../../../demo/ids.ts";
import { metadataOf, rejection } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { createEndlessBudget } from "../../storage/slow-budget.ts";
import { blamedField } from "../studio.ts";
import { eventOf, rotateSecret, sendEvent } from "./billing-events.ts";
import { callStudio, createOffer, eur, type Json, listEntitlementIds } from "./monetization.ts";

const marquee = await useMarquee();
const secret = await rotateSecret(marquee);
await createOffer(marquee, "billed");

const report = (type: string, id: string, transaction?: Json) =>
  sendEvent(marquee, secret, eventOf(type, id, transaction));
const purchase = (user_id: string, changes: Json = {}): Json => ({
  ...{ user_id, offer_id: "billed", ...changes },
});
const findBilled = async (id: string): Promise<Json[]> => {
  const filter = encodeURIComponent(`billing_transaction_id: "${id}"`);
  const path = `transactions/v1?project_id=worldcup&filter=${filter}`;
  return (await callStudio(marquee, "GET", path)).json.transactions;
};
const CAPTURED = "TRANSACTION_STATUS_CAPTURED";
const listAudit = async (id: string) => {
  const budget = createEndlessBudget();
  const query = { organizationId: ORGANIZATION, limit: 1_000, now: new Date(), budget };
  const page = await marquee.store.audit.list(query);
  return page.values.filter(({ resourceId }) => resourceId === id);
};

test("a purchase goes its way by events alone", async () => {
  const created = await report("created", "way", purchase("u-way", { vat_amount: eur(19) }));
  expect(created.status).toBe(200);
  expect(created.json).toMatchObject({ status: "TRANSACTION_STATUS_PENDING", ignored: false });
  const id = created.json.transaction_id;
  const [pending] = await findBilled("way");
  const want = { id, project_id: "worldcup", offer_title: "The pass", total_amount: eur(119) };
  expect(pending).toMatchObject(want);
  expect(await listEntitlementIds(marquee, "u-way")).toEqual([]);

  const event = { ...eventOf("captured", "way"), timestamp: "2026-01-02T03:04:05Z" };
  const captured = await sendEvent(marquee, secret, event);
  expect(captured.json).toMatchObject({ transaction_id: id, status: CAPTURED });
  expect((await findBilled("way"))[0]).toMatchObject({ capture_time: "2026-01-02T03:04:05Z" });
  expect(await listEntitlementIds(marquee, "u-way")).toEqual([id]);

  const refunded = await report("refunded", "way");
  expect(refunded.json).toMatchObject({
    transaction_id: id,
    status: "TRANSACTION_STATUS_REFUNDED",
  });
  expect(await listEntitlementIds(marquee, "u-way")).toEqual([]);
});

describe("an event of an unknown purchase creates it and brings it into the state", () => {
  const cases = [
    ["created", "PENDING", false],
    ["captured", "CAPTURED", true],
    ["refunded", "REFUNDED", false],
    ["cancelled", "CANCELLED", false],
    ["failed", "FAILED", false],
  ] as const;
  test.each(cases)("%s: %s", async (type, status, gives) => {
    const user = `u-new-${type}`;
    const got = await report(type, `new-${type}`, purchase(user));
    expect(got.json.status).toBe(`TRANSACTION_STATUS_${status}`);
    const id = got.json.transaction_id;
    expect(await findBilled(`new-${type}`)).toMatchObject([
      { id, status: `TRANSACTION_STATUS_${status}` },
    ]);
    expect(await listEntitlementIds(marquee, user)).toEqual(gives ? [id] : []);
    const [entry, ...more] = await listAudit(id);
    const want = { method: `transaction.${type}`, accountId: "", projectId: "worldcup" };
    expect([entry, more]).toMatchObject([want, []]);
  });

  test("refunded first: it never entitles, also where the capture comes late", async () => {
    const got = await report("refunded", "late", purchase("u-late"));
    expect(got.json.status).toBe("TRANSACTION_STATUS_REFUNDED");
    const late = await report("captured", "late", purchase("u-late"));
    expect([late.status, late.json]).toEqual([200, got.json]);
    expect(await findBilled("late")).toHaveLength(1);
    expect(await listEntitlementIds(marquee, "u-late")).toEqual([]);
  });

  test("one that was captured in the future is captured now", async () => {
    const timestamp = new Date(Date.now() + 3_600_000).toISOString();
    const event = { ...eventOf("captured", "ahead", purchase("u-ahead")), timestamp };
    await sendEvent(marquee, secret, event);
    const [got] = await findBilled("ahead");
    expect(Date.parse(String(got?.capture_time))).toBeLessThanOrEqual(Date.now());
  });
});

describe("what comes again changes nothing", () => {
  const history = ["created", "captured", "refunded"] as const;
  test.each(history)("%s, after all of its successors", async (again) => {
    const id = `again-${again}`;
    for (const type of history) await report(type, id, purchase(`u-${again}`));
    const [before] = await findBilled(id);
    const entries = await listAudit(String(before?.id));
    const got = await report(again, id, purchase(`u-${again}`));
    expect([got.status, got.json.status]).toEqual([200, "TRANSACTION_STATUS_REFUNDED"]);
    expect(await findBilled(id)).toEqual([before]);
    expect(await listAudit(String(before?.id))).toEqual(entries);
    expect(entries.map(({ method }) => method).sort()).toEqual(
      history.map((type) => `transaction.${type}`).sort(),
    );
  });

  test("ten of the same at the same moment are one", async () => {
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => report("captured", "ten", purchase("u-ten"))),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    const [got, ...others] = await findBilled("ten");
    expect(others).toEqual([]);
    expect(await listEntitlementIds(marquee, "u-ten")).toEqual([got?.id]);
    expect(await listAudit(String(got?.id))).toHaveLength(1);
  });
});

describe("what the state forbids is to be tried again", () => {
  test.each([
    [["created"], "refunded"],
    [["created", "cancelled"], "captured"],
    [["created", "captured"], "cancelled"],
  ] as const)("after %j comes %s", async (before, type) => {
    const id = `forbidden-${before.join("-")}-${type}`;
    for (const step of before) await report(step, id, purchase("u-f"));
    const [known] = await findBilled(id);
    const got = await report(type, id);
    expect([...rejection(got), got.json.code]).toEqual([409, "TRANSACTION_STATE_FORBIDS", 10]);
    expect(metadataOf(got)).toMatchObject({ from: known?.status, transaction_id: known?.id });
    expect(await findBilled(id)).toEqual([known]);
  });
});

test("events and calls move the same transactions", async () => {
  const body = { project_id: "worldcup", user_id: "u-both", offer_id: "billed" };
  const query = "transaction_id=both&billing_transaction_id=both-b";
  await callStudio(marquee, "POST", `transactions/v1?${query}`, body);
  expect((await report("captured", "both-b")).json.transaction_id).toBe("both");
  const refunded = await callStudio(marquee, "POST", "transactions/v1/both:refund", {});
  expect(refunded.json.transaction.status).toBe("TRANSACTION_STATUS_REFUNDED");
  expect((await report("refunded", "both-b")).status).toBe(200);
});

test("where one billing id stands for two purchases, both move", async () => {
  const { transaction } = marquee.store.in("org-worldcup").documents;
  await report("created", "pair", purchase("u-pair"));
  const [first] = await findBilled("pair");
  const { value } = await transaction.get(String(first?.id));
  await transaction.create({ ...value, id: "pair-2" }, { billingTransactionId: "pair" });
  expect((await report("captured", "pair")).status).toBe(200);
  const states = (await findBilled("pair")).map(({ status }) => status);
  expect(states).toEqual([CAPTURED, CAPTURED]);
  expect(await listEntitlementIds(marquee, "u-pair")).toHaveLength(2);
});

test("an event of an unknown type is ignored, whatever it holds", async () => {
  const got = await sendEvent(marquee, secret, { type: "invoice.sent", anything: [{ more: 1 }] });
  expect([got.status, got.json]).toEqual([
    200,
    { transaction_id: "", status: "TRANSACTION_STATUS_UNSPECIFIED", ignored: true },
  ]);
});

describe("a broken body is rejected with the field", () => {
  const captured = eventOf("captured", "broken", purchase("u-broken"));
  const withPurchase = (changes: Json) => eventOf("captured", "broken", purchase("u", changes));
  test.each<[Json | string, reason: string, field?: string]>([
    ["{", "JSON_SYNTAX"],
    ["[]", "VALUE_INVALID"],
    [{ ...captured, type: undefined }, "FIELD_REQUIRED", "type"],
    [{ ...captured, timestamp: "today" }, "VALUE_INVALID", "timestamp"],
    [{ ...captured, data: undefined }, "FIELD_REQUIRED", "data"],
    [{ ...captured, data: {} }, "FIELD_REQUIRED", "data.billing_transaction_id"],
    [{ ...captured, extra: 1 }, "FIELD_UNKNOWN", "extra"],
    [eventOf("captured", "broken"), "FIELD_REQUIRED", "data.transaction"],
    [withPurchase({ user_id: "" }), "FIELD_REQUIRED", "data.transaction.user_id"],
    [withPurchase({ status: CAPTURED }), "FIELD_OUTPUT_ONLY", "data.transaction.status"],
    [withPurchase({ offer_id: "gone" }), "OFFER_NOT_FOUND", "data.transaction.offer_id"],
    [
      withPurchase({ offer_price_id: "gone" }),
      "PRICE_NOT_FOUND",
      "data.transaction.offer_price_id",
    ],
    [withPurchase({ msrp: eur(1) }), "AMOUNT_INVALID", "data.transaction.msrp"],
    [withPurchase({ project_id: "sandbox" }), "PATH_BODY_MISMATCH", "data.transaction.project_id"],
  ])("%j: %s %s", async (event, reason, field) => {
    const got = await sendEvent(marquee, secret, event);
    expect(rejection(got)).toEqual([400, reason]);
    if (field !== undefined) expect(blamedField(got)).toBe(field);
    expect(await findBilled("broken")).toEqual([]);
  });
});
