import { describe, expect, test } from "vitest";
import { askHttp2 } from "../harness/ask.ts";
import { getUrl, PROCEDURES } from "../harness/calls.ts";
import { reasonOf, send } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";

const marquee = await useMarquee();

const LIST = getUrl(PROCEDURES.listEvents, { pageSize: 2 });

const get = (query: string, token?: string) =>
  send("GET", `${marquee.url}${LIST}${query}`, { token });

describe("a public key in the URL of a GET", () => {
  test("stands for the header, and the response varies by its encoding only, also from memory", async () => {
    const byHeader = await get("", marquee.keys.public);
    for (let time = 0; time < 3; time += 1) {
      const byUrl = await get(`&key=${marquee.keys.public}`);
      expect(byUrl.status).toBe(200);
      expect(byUrl.text).toBe(byHeader.text);
      expect(byUrl.headers.get("vary")).toBe("Accept-Encoding");
      for (const name of ["etag", "cache-control", "surrogate-key", "content-type"]) {
        expect(byUrl.headers.get(name)).toBe(byHeader.headers.get(name));
      }
    }
    expect((await get("", marquee.keys.public)).headers.get("vary")).toBe(
      "Authorization, Accept-Encoding",
    );
  });

  test("returns 304, with the same headers", async () => {
    const { headers } = await get(`&key=${marquee.keys.public}`);
    for (let time = 0; time < 2; time += 1) {
      const again = await send("GET", `${marquee.url}${LIST}&key=${marquee.keys.public}`, {
        headers: { "if-none-match": headers.get("etag") ?? "" },
      });
      expect(again.status).toBe(304);
      expect(again.headers.get("vary")).toBe("Accept-Encoding");
    }
  });

  test("works over HTTP/2 and in compressed responses", async () => {
    for (let time = 0; time < 2; time += 1) {
      const { headers } = await askHttp2(marquee.url, {
        ...{ ":method": "GET", ":path": `${LIST}&key=${marquee.keys.public}` },
        "accept-encoding": "br",
      });
      expect(headers).toMatchObject({
        ...{ ":status": 200, vary: "Accept-Encoding", "content-encoding": "br" },
      });
    }
  });

  test("may stand there twice", async () => {
    const { keys } = marquee;
    expect((await get(`&key=${keys.public}&key=${keys.public}`)).status).toBe(200);
  });

  test("ends with the key", async () => {
    const { url, tokens } = marquee;
    const keys = `${url}/iam/project_keys/v1`;
    const body = { project_id: "worldcup", kind: "PROJECT_KEY_KIND_PUBLIC" };
    const { json } = await send("POST", keys, { token: tokens.owner, body });
    for (let time = 0; time < 2; time += 1) {
      expect((await get(`&key=${json.key}`)).status).toBe(200);
    }
    expect(
      (await send("DELETE", `${keys}/${json.project_key.id}`, { token: tokens.owner })).status,
    ).toBe(200);
    expect((await get(`&key=${json.key}`)).status).toBe(401);
  });
});

describe("in a URL is rejected with 401", () => {
  const cases: [string, () => string, string, (() => string)?][] = [
    ["a preview key", () => marquee.keys.preview, "CREDENTIALS_WRONG_KIND"],
    ["an access token", () => marquee.tokens.owner, "CREDENTIALS_WRONG_KIND"],
    ["a viewer token", () => "a.b.c", "CREDENTIALS_WRONG_KIND"],
    ["no known form", () => "x", "CREDENTIALS_INVALID"],
    ["nothing", () => "", "CREDENTIALS_INVALID"],
    ["an unknown public key", () => "mqp_unknown", "CREDENTIALS_INVALID"],
    [
      "a key beside a header",
      () => marquee.keys.public,
      "CREDENTIALS_MALFORMED",
      () => marquee.keys.public,
    ],
  ];
  test.each(cases)("%s", async (_name, key, reason, token) => {
    const got = await get(`&key=${key()}`, token?.());
    expect(got.status).toBe(401);
    expect(reasonOf(got)).toBe(reason);
    expect(got.headers.get("cache-control")).toBe("no-store");
  });

  test("two different keys, in either order, also after one of them was served from memory", async () => {
    const { keys } = marquee;
    for (const key of [keys.public, keys.sandbox]) {
      for (let time = 0; time < 2; time += 1) expect((await get(`&key=${key}`)).status).toBe(200);
    }
    for (const query of [
      `&key=${keys.public}&key=${keys.sandbox}`,
      `&key=${keys.sandbox}&key=${keys.public}`,
      `&key=${keys.public}&key=${keys.public}&key=`,
      `&key=&k%65y=${keys.public}`,
    ]) {
      const got = await get(query);
      expect([query, got.status, reasonOf(got)]).toEqual([query, 401, "CREDENTIALS_MALFORMED"]);
    }
  });

  test("and is nothing in the URL of a POST, nor for the Studio API", async () => {
    const post = await send(
      "POST",
      `${marquee.url}${PROCEDURES.listEvents}?key=${marquee.keys.public}`,
      {
        headers: { "content-type": "application/json", "connect-protocol-version": "1" },
        body: {},
      },
    );
    expect([post.status, reasonOf(post)]).toEqual([401, "CREDENTIALS_MISSING"]);
    const path = "/ott/page_components/v1/batch?page_component_ids=banner-home";
    const rest = await send("GET", `${marquee.url}${path}&key=${marquee.keys.public}`);
    expect(rest.status).toBe(401);
  });
});
