import { describe, expect, test } from "vitest";
import { openViewerTokens } from "../../src/auth/viewer-token.ts";
import { type HttpAnswer, metadataOf, reasonOf, send } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { callStudio, createOffer, listEntitlementIds } from "./monetization.ts";

const marquee = await useMarquee();
await createOffer(marquee, "states");

async function buy(id: string): Promise<void> {
  const body = { project_id: "worldcup", user_id: `user-${id}`, offer_id: "states" };
  const got = await callStudio(marquee, "POST", `transactions/v1?transaction_id=${id}`, body);
  expect(got.status).toBe(200);
}
const move = (id: string, verb: string, headers = {}, body = {}): Promise<HttpAnswer> =>
  callStudio(marquee, "POST", `transactions/v1/${id}:${verb}`, body, headers);
const statusOf = async (id: string): Promise<string> =>
  (await callStudio(marquee, "GET", `transactions/v1/${id}`)).json.transaction.status;

const CASES: readonly (readonly [readonly string[], string, string])[] = [
  [["capture"], "capture", "CAPTURED"],
  [["cancel"], "cancel", "CANCELLED"],
  [["capture", "refund"], "refund", "REFUNDED"],
  [[], "refund", "is forbidden"],
  [["capture"], "cancel", "is forbidden"],
  [["cancel"], "capture", "is forbidden"],
  [["cancel"], "refund", "is forbidden"],
  [["capture", "refund"], "capture", "is forbidden"],
  [["capture", "refund"], "cancel", "is forbidden"],
];

describe("a state leads to some others", () => {
  test.each(CASES)("after %j comes %s: %s", async (before, verb, want) => {
    const id = ["s", ...before, verb].join("-");
    await buy(id);
    for (const step of before) expect((await move(id, step)).status).toBe(200);
    const current = await callStudio(marquee, "GET", `transactions/v1/${id}`);
    const got = await move(id, verb);
    if (want === "is forbidden") {
      expect([got.status, reasonOf(got)]).toEqual([400, "TRANSACTION_STATE_FORBIDS"]);
      expect(metadataOf(got)?.from).toBe(current.json.transaction.status);
      expect(metadataOf(got)?.to).toMatch(/^TRANSACTION_STATUS_/);
      expect(await statusOf(id)).toBe(current.json.transaction.status);
    } else {
      // It was in the state already, and nothing about it has changed.
      expect(current.json.transaction.status).toBe(`TRANSACTION_STATUS_${want}`);
      expect(got.json).toEqual(current.json);
      expect(got.headers.get("etag")).toBe(current.headers.get("etag"));
    }
  });
});

test("a capture gives an entitlement, and a refund takes it, for playback and viewer at once", async () => {
  await buy("seen");
  const viewerTokens = await openViewerTokens(marquee.store, new Date());
  const viewer = { projectId: "worldcup", userId: "user-seen" };
  const token = await viewerTokens.sign(viewer, new Date(), new Date(Date.now() + 60_000));
  const call = (method: string, body: object) =>
    send("POST", `${marquee.url}/svc.cda.${method}`, {
      token: marquee.keys.public,
      headers: { "connect-protocol-version": "1", cookie: `viewer_token=${token}` },
      body,
    });
  const see = async () => {
    const video = { videoId: "video-match-2022-63", sessionKey: "s" };
    const playback = await call("streaming.playback.v1.PlaybackService/AuthorizePlayback", video);
    const list = await call("monetization.entitlement.v1.EntitlementService/ListEntitlements", {});
    const ids = (list.json.entitlements ?? []).map(({ id }: { id: string }) => id);
    return [playback.status === 200 ? "plays" : reasonOf(playback), ids];
  };
  expect(await see()).toEqual(["ENTITLEMENT_REQUIRED", []]);
  const captured = await move("seen", "capture");
  expect(captured.json.transaction.capture_time).toBeDefined();
  expect(await see()).toEqual(["plays", ["seen"]]);
  const refunded = await move("seen", "refund");
  expect(refunded.json.transaction.capture_time).toBe(captured.json.transaction.capture_time);
  expect(await see()).toEqual(["ENTITLEMENT_REQUIRED", []]);
});

test("If-Match is honoured, and validate_only changes nothing", async () => {
  await buy("guarded");
  const tag = (await callStudio(marquee, "GET", "transactions/v1/guarded")).headers.get("etag");
  const tried = await move("guarded", "capture", {}, { validate_only: true });
  expect(tried.json.transaction.status).toBe("TRANSACTION_STATUS_CAPTURED");
  expect(await statusOf("guarded")).toBe("TRANSACTION_STATUS_PENDING");
  expect(await listEntitlementIds(marquee, "user-guarded")).toEqual([]);
  const wrong = await move("guarded", "capture", { "if-match": '"wrong"' });
  expect([wrong.status, reasonOf(wrong)]).toEqual([409, "ETAG_MISMATCH"]);
  const right = await move("guarded", "capture", { "if-match": tag });
  expect(right.status).toBe(200);
  expect(right.headers.get("etag")).not.toBe(tag);
  const late = await move("guarded", "capture", { "if-match": tag });
  expect(reasonOf(late)).toBe("ETAG_MISMATCH");
});

test("ten captures at once give one entitlement", async () => {
  await buy("ten");
  const answers = await Promise.all(Array.from({ length: 10 }, () => move("ten", "capture")));
  const times = new Set(answers.map(({ json }) => json.transaction.capture_time));
  const tags = new Set(answers.map(({ headers }) => headers.get("etag")));
  expect([times.size, tags.size]).toEqual([1, 1]);
  expect(await listEntitlementIds(marquee, "user-ten")).toEqual(["ten"]);
});

test("of capture and cancel at once exactly one wins", async () => {
  for (let round = 0; round < 5; round += 1) {
    const id = `race-${round}`;
    await buy(id);
    const verbs = round % 2 === 0 ? ["capture", "cancel"] : ["cancel", "capture"];
    const answers = await Promise.all(verbs.map((verb) => move(id, verb)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    const [won] = answers.filter(({ status }) => status === 200);
    const status = await statusOf(id);
    expect(won?.json.transaction.status).toBe(status);
    const given = await listEntitlementIds(marquee, `user-${id}`);
    expect(given).toEqual(status === "TRANSACTION_STATUS_CAPTURED" ? [id] : []);
  }
});

test("the revenue of the list follows", async () => {
  const sum = async () => {
    const path = "transactions/v1?project_id=worldcup&include_summary=true&page_size=1";
    const { json } = await callStudio(marquee, "GET", path);
    return Number(json.summary.total_revenue_by_currency.EUR.units);
  };
  await buy("revenue");
  const before = await sum();
  await move("revenue", "capture");
  expect(await sum()).toBe(before + 100);
  await move("revenue", "refund");
  expect(await sum()).toBe(before);
});
