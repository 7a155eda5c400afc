import { describe, expect, test } from "vitest";
import { captureLog } from "../harness/captured-log.ts";
import { send } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";

const { log, lines } = captureLog();
const marquee = await useMarquee({ log });

const EVENTS = "/svc.cda.cms.event.v1.EventService/ListEvents?encoding=json&message=%7B%7D";
const requests: readonly (readonly [what: string, path: string, status: number])[] = [
  ["a response of the Studio API", "/monetization/transactions/v1?page_size=1", 200],
  ["an error of the Studio API", "/monetization/transactions/v1?nope=1", 400],
  ["an unknown path", "/nothing", 404],
  ["a delivery response that is nobody else's", `${EVENTS}&preview`, 200],
  ["a delivery error", EVENTS.replace("%7B%7D", "%7B"), 400],
  ["an unknown procedure", "/svc.cda.cms.event.v1.EventService/Nothing", 404],
  ["the service's own paths", "/healthz", 200],
];
const tokenOf = (path: string) => {
  if (!path.startsWith("/svc")) return marquee.tokens.owner;
  return path.endsWith("preview") ? marquee.keys.preview : marquee.keys.public;
};
const get = (path: string, headers = {}) =>
  send("GET", marquee.url + path, { token: tokenOf(path), headers });

for (const [what, path, status] of requests) {
  describe(`X-Request-Id on ${what}`, () => {
    test("is made where the request has none, another one each time", async () => {
      const [a, b] = [await get(path), await get(path)];
      expect([a.status, b.status]).toEqual([status, status]);
      const ids = [a, b].map((it) => it.headers.get("x-request-id"));
      expect(ids[0]).toMatch(/^[\w.:~/+=-]{8,128}$/);
      expect(ids[0]).not.toBe(ids[1]);
    });

    test("is taken over from the request, also into the log", async () => {
      const id = `test-${what.replaceAll(" ", ".").replaceAll("'", "")}:~/+=1`;
      const got = await get(path, { "x-request-id": id });
      expect(got.headers.get("x-request-id")).toBe(id);
      await expect.poll(() => lines.find((it) => it.request_id === id)?.status).toBe(status);
    });
  });
}

test("an id that is too long or holds other characters is replaced", async () => {
  for (const id of ["x".repeat(129), "a b", 'a"b', "<script>", "é"]) {
    const got = await get("/healthz", { "x-request-id": id });
    expect(got.headers.get("x-request-id")).not.toBe(id);
  }
  const long = "x".repeat(128);
  const got = await get("/healthz", { "x-request-id": long });
  expect(got.headers.get("x-request-id")).toBe(long);
});

test("every line of the log that belongs to a request has its id", async () => {
  await expect.poll(() => lines.length).toBeGreaterThan(10);
  for (const line of lines) expect(line.request_id).toMatch(/.+/);
});
