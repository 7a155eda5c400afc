import { expect, test } from "vitest";
import { getUrl, PROCEDURES } from "../harness/calls.ts";
import { send } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";

const marquee = await useMarquee();
const { owner } = marquee.tokens;
const EVENTS = getUrl(PROCEDURES.listEvents, { pageSize: 1 });

test.each([
  ["a read of the Delivery API", `${EVENTS}&key=${marquee.keys.public}`, undefined],
  ["a read with a token", EVENTS, marquee.keys.public],
  ["an error of a read", EVENTS, undefined],
  ["a get of the Studio API", "/iam/projects/v1/worldcup", owner],
  ["a resource that does not exist", "/iam/projects/v1/nothing", owner],
])("HEAD of %s returns the status and the headers of GET", async (_, path, token) => {
  const names = [
    "cache-control",
    "content-length",
    "content-type",
    "etag",
    "surrogate-key",
    "vary",
  ];
  const [got, want] = [
    await send("HEAD", marquee.url + path, { token }),
    await send("GET", marquee.url + path, { token }),
  ].map(({ status, headers }) => [status, ...names.map((name) => headers.get(name))]);
  expect(got).toEqual(want);
});

test("HEAD has no body, and is 304 for a known ETag", async () => {
  const url = `${marquee.url}${EVENTS}&key=${marquee.keys.public}`;
  const got = await send("HEAD", url);
  expect([got.status, got.text]).toEqual([200, ""]);
  const headers = { "if-none-match": got.headers.get("etag") ?? "" };
  expect((await send("HEAD", url, { headers })).status).toBe(304);
});

test.each([
  ["a call that writes", PROCEDURES.exchangeToken, "POST"],
  ["a stream", "/cms/records/v1:read?project_id=worldcup", "GET"],
])("HEAD of %s is not allowed", async (_, path, allow) => {
  const got = await send("HEAD", marquee.url + path, { token: owner });
  expect([got.status, got.headers.get("allow")]).toEqual([405, allow]);
});
