import { describe, expect, test } from "vitest";
import { type HttpAnswer, reasonOf, refusal, send } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";

const METHOD = "/svc.cda.cms.event.v1.EventService/GetEvent";

/** An event of each visibility, by the name of the visibility. */
const ids = new Map<string, string>();
const marquee = await useMarquee();
let pageToken = "";
do {
  const list = `/svc.cda.cms.event.v1.EventService/ListEvents?encoding=json&message=`;
  const message = encodeURIComponent(JSON.stringify({ pageSize: 100, pageToken }));
  const got = await send("GET", marquee.url + list + message, { token: marquee.keys.preview });
  for (const { id, visibility } of got.json.events) {
    ids.set(visibility ?? "VISIBILITY_UNSPECIFIED", id);
  }
  pageToken = got.json.nextPageToken ?? "";
} while (pageToken !== "");

function get(id: string, token: string): Promise<HttpAnswer> {
  const message = encodeURIComponent(JSON.stringify({ id }));
  return send("GET", `${marquee.url}${METHOD}?encoding=json&message=${message}`, { token });
}

describe("an event of the visibility", () => {
  const readable: readonly (readonly [string, boolean])[] = [
    ["VISIBILITY_PUBLISHED", true],
    ["VISIBILITY_UNLISTED", true],
    ["VISIBILITY_HIDDEN", false],
    ["VISIBILITY_UNSPECIFIED", false],
  ];
  for (const [visibility, isPublic] of readable) {
    test(`${visibility} is ${isPublic ? "shown to" : "hidden from"} a public key`, async () => {
      const id = ids.get(visibility) ?? "";
      expect(id).not.toBe("");
      const got = await get(id, marquee.keys.public);
      const want = isPublic ? [200, id, undefined] : [404, undefined, "RESOURCE_NOT_FOUND"];
      expect([got.status, got.json.event?.id, reasonOf(got)]).toEqual(want);
    });

    test(`${visibility} is shown to a preview key`, async () => {
      const id = ids.get(visibility) ?? "";
      const got = await get(id, marquee.keys.preview);
      expect([got.status, got.json.event.id]).toEqual([200, id]);
    });
  }
});

test("an event of another project looks like one that does not exist", async () => {
  const [foreign, missing] = [
    await get("match-2026-104", marquee.keys.sandbox),
    await get("nothing-here", marquee.keys.sandbox),
  ];
  expect(refusal(foreign)).toEqual([404, "RESOURCE_NOT_FOUND"]);
  expect(foreign.json.message.replace("match-2026-104", "nothing-here")).toBe(missing.json.message);
});

test("an event without an id is refused", async () => {
  expect(refusal(await get("", marquee.keys.public))).toEqual([400, "FIELD_REQUIRED"]);
});

test("the whole event is there, and an answer that may be kept", async () => {
  const got = await get("match-2026-104", marquee.keys.public);
  expect(got.json.event).toMatchObject({
    projectId: "worldcup",
    contentType: "match",
    startTime: "2026-07-19T19:00:00Z",
    videoIds: ["video-match-2026-104"],
  });
  expect(got.headers.get("cache-control")).toMatch(/^public/);
});
