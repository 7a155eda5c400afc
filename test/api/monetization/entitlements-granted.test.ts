import { expect, test } from "vitest";
import { type HttpResponse, metadataOf, rejection } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { playCases, toWriteCases } from "../play-cases.ts";
import { callStudio, createOffer, type Json, listEntitlementIds } from "./monetization.ts";

const marquee = await useMarquee();
await createOffer(marquee, "gift");
await createOffer(marquee, "other", { opens: { video_ids: ["video-match-2022-63"] } });

const NOW = Date.now();
const at = (seconds: number) => new Date(NOW + seconds * 1_000).toISOString();
const call = (method: string, path: string, body?: unknown, headers = {}) =>
  callStudio(marquee, method, `entitlements/v1${path}`, body, headers);
const give = (changes: Json = {}, query = ""): Promise<HttpResponse> =>
  call("POST", `?${query}`, {
    project_id: "worldcup",
    user_id: "friend",
    offer_id: "gift",
    ...changes,
  });
const list = async (query: string): Promise<[string[], string]> => {
  const { json } = await call("GET", `?project_id=worldcup&${query}`);
  return [json.entitlements.map(({ id }: { id: string }) => id), json.next_page_token];
};
const only = (filter: string) => `filter=${encodeURIComponent(filter)}`;

/** Reports what a user may watch by entitlements, as playback checks it. */
const covers = (userId: string, videoId = "any") =>
  marquee.store.entitlements.covers({
    ...{ projectId: "worldcup", userId, videoId, now: new Date() },
    ...{ eventIds: [], creativeWorkIds: [] },
  });

test("what is given away begins at once, opens what its offer says now, and can be taken back", async () => {
  const made = await give({ user_id: "u-1" }, "entitlement_id=e-1");
  expect(made.json.entitlement).toMatchObject({
    ...{ id: "e-1", project_id: "worldcup", user_id: "u-1", offer_id: "gift" },
    opens: { everything: true },
    max_streams: 2,
  });
  expect(Date.parse(made.json.entitlement.start_time)).toBeGreaterThanOrEqual(NOW);
  expect(made.json.entitlement.end_time).toBeUndefined();
  expect(await covers("u-1")).toEqual({ maxStreams: 2 });

  const change = { offer_id: "gift", offer: { max_streams: 5 }, update_mask: "max_streams" };
  await callStudio(marquee, "PATCH", "offers/v1/gift", change);
  const tag = made.headers.get("etag");
  const got = await call("GET", "/e-1", undefined, { "if-none-match": tag });
  expect([got.status, got.json.entitlement.max_streams]).toEqual([200, 5]);
  expect(await covers("u-1")).toEqual({ maxStreams: 5 });

  expect((await call("DELETE", "/e-1")).status).toBe(200);
  expect(await covers("u-1")).toBeUndefined();
  expect((await call("GET", "/e-1")).status).toBe(404);
});

test("of what a transaction gives only the transaction can take it back", async () => {
  const bought = { project_id: "worldcup", user_id: "u-2", offer_id: "gift" };
  await callStudio(marquee, "POST", "transactions/v1?transaction_id=t-2", bought);
  await callStudio(marquee, "POST", "transactions/v1/t-2:capture", {});
  expect((await call("GET", "/t-2")).json.entitlement).toMatchObject({ ...bought, id: "t-2" });
  const rejected = await call("DELETE", "/t-2");
  expect(rejection(rejected)).toEqual([400, "ENTITLEMENT_BOUGHT"]);
  expect(metadataOf(rejected)).toEqual({ transaction_id: "t-2" });
  expect(await covers("u-2")).toBeDefined();
});

test("a transaction and what is given away never have the same id", async () => {
  const bought = { project_id: "worldcup", user_id: "u-3", offer_id: "gift" };
  const buy = (id: string) =>
    callStudio(marquee, "POST", `transactions/v1?transaction_id=${id}`, bought);
  await give({}, "entitlement_id=same-1");
  await buy("same-2");
  const responses = [await buy("same-1"), await give({}, "entitlement_id=same-2")];
  responses.push(await give({}, "entitlement_id=same-1"));
  for (const got of responses) expect(rejection(got)).toEqual([409, "ALREADY_EXISTS"]);
});

playCases(
  marquee,
  "an entitlement",
  toWriteCases(
    {
      ...{ service: "monetization.entitlement.v1.EntitlementService", noun: "entitlement" },
      resource: { projectId: "worldcup", userId: "friend", offerId: "gift" },
    },
    [
      [{ userId: "" }, "FIELD_REQUIRED user_id"],
      [{ offerId: "" }, "FIELD_REQUIRED offer_id"],
      [{ offerId: "gone" }, "OFFER_NOT_FOUND offer_id"],
      [{ offerId: "sandbox-offer-day" }, "OFFER_NOT_FOUND offer_id"],
      [{ startTime: at(10), endTime: at(10) }, "TIME_WINDOW_INVALID end_time"],
      [{ endTime: at(-10) }, "TIME_WINDOW_INVALID end_time"],
      [{ maxStreams: 9 }, "FIELD_OUTPUT_ONLY max_streams"],
      [{ opens: { everything: true } }, "FIELD_OUTPUT_ONLY opens"],
    ],
  ),
  () => listEntitlementIds(marquee, "friend"),
);

test("times are kept to the microsecond, after the year 2255 to 64 of them", async () => {
  const start_time = "2026-01-01T00:00:00.123456789Z";
  const made = await give({ start_time, end_time: "9999-12-31T23:59:59.999999999Z" });
  expect(made.json.entitlement).toMatchObject({
    start_time: "2026-01-01T00:00:00.123456Z",
    end_time: "9999-12-31T23:59:59.999936Z",
  });
  const got = await call("GET", `/${made.json.entitlement.id}`);
  expect(got.json).toEqual(made.json);
});

test("the list holds ended and coming ones too, in the order asked for", async () => {
  await give({ user_id: "u-l", start_time: at(-90), end_time: at(-10) }, "entitlement_id=l-ended");
  await give({ user_id: "u-l", start_time: at(3_600) }, "entitlement_id=l-coming");
  await give({ user_id: "u-l", start_time: at(-50) }, "entitlement_id=l-b");
  await give({ user_id: "u-l", start_time: at(-50), offer_id: "other" }, "entitlement_id=l-a");
  const mine = only('user_id: "u-l"');
  const ordered = await list(`${mine}&order=start_time%20desc`);
  expect(ordered).toEqual([["l-coming", "l-a", "l-b", "l-ended"], ""]);
  const opened = 'user_id: "u-l" and opens.video_ids: "video-match-2022-63"';
  for (const filter of ['offer_id: "other"', opened]) {
    expect(await list(only(filter))).toEqual([["l-a"], ""]);
  }
});
