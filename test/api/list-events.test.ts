import { describe, expect, test } from "vitest";
import { createDemoDataset } from "../../demo/dataset.ts";
import { Visibility } from "../../gen/svc/type/v1/visibility_pb.ts";
import { type HttpAnswer, metadataOf, reasonOf, send } from "../harness/http.ts";
import type { Marquee } from "../harness/marquee.ts";
import { useMarquee } from "../harness/use-marquee.ts";

const marquee = await useMarquee();

type Key = keyof Marquee["keys"];

const PATH = "svc.cda.cms.event.v1.EventService/ListEvents";
const EVENTS = createDemoDataset().events;

/** Sends the GET of the contract (contract: delivery 1): `encoding=json` and the message, nothing else. */
const get = (message: unknown, key: Key = "public", headers = {}): Promise<HttpAnswer> => {
  const text = typeof message === "string" ? message : JSON.stringify(message);
  const query = `encoding=json&message=${encodeURIComponent(text)}`;
  return send("GET", `${marquee.url}/${PATH}?${query}`, { token: marquee.keys[key], headers });
};
const post = (body: unknown, key: Key = "public", headers = {}): Promise<HttpAnswer> =>
  send("POST", `${marquee.url}/${PATH}`, {
    token: marquee.keys[key],
    headers: { "connect-protocol-version": "1", ...headers },
    body,
  });
const ids = (got: HttpAnswer): string[] =>
  (got.json.events ?? []).map((it: { id: string }) => it.id);

/** By start time, ties by id. */
const inOrder = (projectId: string, isVisible: (visibility: Visibility) => boolean) =>
  EVENTS.filter((it) => it.projectId === projectId && isVisible(it.visibility))
    .map((it) => ({ id: it.id, at: it.startTime?.seconds ?? 2n ** 63n }))
    .sort((a, b) => (a.at === b.at ? (a.id < b.id ? -1 : 1) : a.at < b.at ? -1 : 1))
    .map(({ id }) => id);
const PUBLISHED = inOrder("worldcup", (it) => it === Visibility.PUBLISHED);
const ALL = inOrder("worldcup", () => true);

async function readAll(call: typeof get, key: Key, sizes: readonly number[]) {
  const all: string[] = [];
  let pageToken = "";
  for (let turn = 0; turn === 0 || pageToken !== ""; turn += 1) {
    const got = await call({ pageSize: sizes[turn % sizes.length], pageToken }, key);
    expect(got.status).toBe(200);
    all.push(...ids(got));
    pageToken = got.json.nextPageToken ?? "";
  }
  return all;
}

for (const [method, call] of [
  ["GET", get],
  ["POST", post],
] as const) {
  describe(`by ${method}`, () => {
    test("the pages hold every published event once, by start time", async () => {
      expect(await readAll(call, "public", [37, 100, 1])).toEqual(PUBLISHED);
    });

    test("the preview key sees the events of every visibility", async () => {
      expect(ALL.length).toBe(PUBLISHED.length + 3);
      expect(await readAll(call, "preview", [100])).toEqual(ALL);
    });

    test("the key of the sandbox sees only its own events", async () => {
      expect(await readAll(call, "sandbox", [2])).toEqual(inOrder("sandbox", () => true));
    });
  });
}

test("an event shows its fields in Connect's spelling", async () => {
  const got = await get({ pageSize: 100 });
  const event = got.json.events.find((it: { id: string }) => it.id === PUBLISHED[0]);
  const want = EVENTS.find((it) => it.id === PUBLISHED[0]);
  expect(event).toMatchObject({
    projectId: "worldcup",
    title: want?.title,
    description: want?.description,
    contentType: want?.contentType,
    visibility: "VISIBILITY_PUBLISHED",
    startTime: new Date(Number(want?.startTime?.seconds) * 1000).toISOString().replace(".000", ""),
    entityIds: want?.entityIds,
    videoIds: want?.videoIds,
    posterImageUrl: want?.posterImageUrl,
    fields: want?.fields,
  });
  for (const name of ["endTime", "createTime", "updateTime"]) {
    expect(event[name]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  }
});

test("no text of an event that is not published reaches the public key", async () => {
  const texts = await Promise.all(
    [0, 100, 200].map(async () => (await get({ pageSize: 100 })).text),
  );
  expect(texts.join()).not.toContain("press");
});

describe("the GET of the specification", () => {
  test("needs neither connect=v1 nor the protocol header, and takes both", async () => {
    const url = `${marquee.url}/${PATH}?encoding=json&message=%7B%22pageSize%22%3A%222%22%7D`;
    const headers = { "connect-protocol-version": "1" };
    for (const [more, extra] of [
      ["", {}],
      ["&connect=v1", {}],
      ["", headers],
    ] as const) {
      const got = await send("GET", url + more, { token: marquee.keys.public, headers: extra });
      expect([got.status, ids(got).length]).toEqual([200, 2]);
    }
  });

  test("takes its parameters in any order, base64, and parameters that nobody knows", async () => {
    const message = Buffer.from('{"pageSize":2}').toString("base64url");
    for (const query of [
      "message=%7B%22pageSize%22%3A2%7D&encoding=json",
      `base64=1&message=${message}&encoding=json`,
      "utm=1&encoding=json&message=%7B%22pageSize%22%3A2%7D",
    ]) {
      const got = await send("GET", `${marquee.url}/${PATH}?${query}`, {
        token: marquee.keys.public,
      });
      expect([got.status, ids(got).length]).toEqual([200, 2]);
    }
  });

  for (const query of [
    ...["", "message=%7B%7D", "encoding=json&message=%7B"],
    ...["encoding=json&message=%5B%5D", "encoding=json&message=7", "encoding=json&message=%zz"],
    ...["encoding=json&base64=1&message=%7B%7D", "encoding=proto&message=%FF%FF"],
  ]) {
    test(`?${query} cannot be read`, async () => {
      const got = await send("GET", `${marquee.url}/${PATH}?${query}`, {
        token: marquee.keys.public,
      });
      expect([got.status, got.json.code]).toEqual([400, "invalid_argument"]);
      expect(reasonOf(got)).toMatch(/^[A-Z][A-Z_]+$/);
    });
  }

  test("an encoding that is not known is 415", async () => {
    const got = await send("GET", `${marquee.url}/${PATH}?encoding=xml&message=%7B%7D`, {
      token: marquee.keys.public,
    });
    expect([got.status, got.json.code]).toEqual([415, "invalid_argument"]);
  });
});

describe("the POST", () => {
  test("without connect-protocol-version: 1 is refused", async () => {
    for (const version of ["", "2", "v1"]) {
      const got = await post({ pageSize: 1 }, "public", { "connect-protocol-version": version });
      expect([got.status, got.json.code]).toEqual([400, "invalid_argument"]);
      expect(reasonOf(got)).toBe("CONNECT_PROTOCOL_VERSION_REQUIRED");
      expect(metadataOf(got) ?? {}).toEqual({});
    }
  });

  test("takes the header authorization in lower case and in any case of its scheme", async () => {
    for (const scheme of ["Bearer", "bearer", "BEARER"]) {
      const got = await send("POST", `${marquee.url}/${PATH}`, {
        headers: {
          authorization: `${scheme} ${marquee.keys.public}`,
          "connect-protocol-version": "1",
        },
        body: {},
      });
      expect(got.status).toBe(200);
    }
  });
});
