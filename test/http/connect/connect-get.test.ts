import { describe, expect, test, vi } from "vitest";
import { getUrl, PROCEDURES } from "../../harness/calls.ts";
import { holdEvents } from "../../harness/held-events.ts";
import { type HttpResponse, reasonOf, send } from "../../harness/http.ts";
import { startOver } from "../../harness/marquee.ts";
import { useMarquee } from "../../harness/use-marquee.ts";

const { listEvents, listTransactions } = PROCEDURES;

const marquee = await useMarquee();

const get = (path: string, token = marquee.keys.public, headers = {}): Promise<HttpResponse> =>
  send("GET", marquee.url + path, { token, headers });

const query = (message: string, extra = "") =>
  `${listEvents}?encoding=json&message=${encodeURIComponent(message)}${extra}`;

test("in the Studio API an unknown field is rejected", async () => {
  const good = await get(getUrl(listTransactions, { pageSize: 1 }), marquee.tokens.owner);
  expect(good.status).toBe(200);
  const unknown = await get(getUrl(listTransactions, { unknown: 1 }), marquee.tokens.owner);
  expect([unknown.status, reasonOf(unknown)]).toEqual([400, "FIELD_UNKNOWN"]);
});

test.each([
  ["an unknown field, which is ignored", '{"pageSize":1,"unknown":{"x":[1]}}', undefined],
  ["a repeated key", '{"pageSize":1,"pageSize":1}', "JSON_DUPLICATE_KEY"],
  ["a repeated key of an unknown field", '{"unknown":{"x":1,"x":2}}', "JSON_DUPLICATE_KEY"],
  ["a field in both spellings", '{"pageSize":1,"page_size":1}', "FIELD_DUPLICATE"],
  ["a value of another type", '{"pageSize":"one"}', "VALUE_INVALID"],
  ["no object", "[]", "VALUE_INVALID"],
])("a message of the Delivery API with %s", async (_, message, reason) => {
  const got = await get(query(message));
  expect([got.status, reason && reasonOf(got)]).toEqual([reason ? 400 : 200, reason]);
});

describe("unknown fields of the Delivery API", () => {
  const warningsOf = ({ headers }: Pick<HttpResponse, "headers">) =>
    JSON.parse(String(headers.get("marquee-warnings") ?? "[]"));

  test("are named in a header, with the near name, also from a cache", async () => {
    const message = '{"filtr":"content_type: match","session":{"x":"1"},"pageSize":1}';
    for (const _ of [1, 2]) {
      const got = await get(query(message));
      expect(warningsOf(got)).toEqual([
        {
          code: "FIELD_UNKNOWN",
          fields: ["filtr"],
          message: 'filtr: no field "filtr"; did you mean "filter"?',
        },
        {
          code: "FIELD_UNKNOWN",
          fields: ["session"],
          message: expect.stringContaining("known: pageSize"),
        },
      ]);
    }
    expect((await get(query('{"pageSize":1}'))).headers.get("marquee-warnings")).toBeNull();
  });

  test("are named in a header of at most 2,048 bytes", async () => {
    const names = Array.from({ length: 9 }, (_, at) => "ü".repeat(200) + at);
    const long = await get(query(JSON.stringify(Object.fromEntries(names.map((it) => [it, 1])))));
    expect(long.headers.get("marquee-warnings")?.length).toBeLessThanOrEqual(2_048);
    expect(warningsOf(long).length).toBeGreaterThan(0);
  });

  test("are named by errors, and by every protocol that carries JSON", async () => {
    const failed = await get(query('{"pageTokn":"x","pageToken":"y"}'));
    expect([failed.status, warningsOf(failed)]).toMatchObject([400, [{ fields: ["pageTokn"] }]]);
    const json = Buffer.from('{"pageTokn":"x","pageSize":1}');
    const envelope = Buffer.concat([Buffer.from([0, 0, 0, 0, json.length]), json]);
    for (const type of ["application/json", "application/grpc-web+json"]) {
      const { status, headers } = await fetch(marquee.url + listEvents, {
        method: "POST",
        headers: {
          ...{ authorization: `Bearer ${marquee.keys.public}`, "content-type": type },
          "connect-protocol-version": "1",
        },
        body: type === "application/json" ? json : envelope,
      });
      expect([type, status, warningsOf({ headers })]).toMatchObject([
        type,
        200,
        [{ fields: ["pageTokn"] }],
      ]);
    }
  });
});

test("credentials come before deadline and message", async () => {
  const got = await get(query("{"), "mqp_unknown", { "connect-timeout-ms": "x" });
  expect([got.status, reasonOf(got)]).toEqual([401, "CREDENTIALS_INVALID"]);
});

test.each(["json", "proto"])(
  "a content type on a GET in %s, which has no content, is no matter",
  async (encoding) => {
    for (const type of ["text/plain", "application/grpc", "application/json", "x"]) {
      const path = `${listEvents}?encoding=${encoding}&message=${encoding === "json" ? "{}" : ""}`;
      const { status } = await get(path, marquee.keys.preview, { "content-type": type });
      expect([type, status]).toEqual([type, 200]);
    }
  },
);

describe("who joins a read that is under way", () => {
  test("waits no longer than its own deadline, and who asked first still gets the response", async () => {
    const held = holdEvents(marquee.store);
    const server = await startOver(held.store, { limits: { cacheMib: 8 } });
    const url = server.deliveryUrl + getUrl(listEvents, { pageSize: 3 });
    const token = marquee.keys.public;
    const first = send("GET", url, { token });
    await held.arrived(1);
    const late = await send("GET", url, { token, headers: { "connect-timeout-ms": "50" } });
    expect([late.status, reasonOf(late)]).toEqual([504, "DEADLINE_PASSED"]);
    held.release();
    expect((await first).status).toBe(200);
    await server.close(1_000);
  });

  test("gets what the first had no time to wait for", async () => {
    const held = holdEvents(marquee.store);
    const list = vi.spyOn(held.store.events, "list");
    const server = await startOver(held.store, { limits: { cacheMib: 8 } });
    const url = server.deliveryUrl + getUrl(listEvents, { pageSize: 3 });
    const token = marquee.keys.public;
    const first = send("GET", url, { token, headers: { "connect-timeout-ms": "1000" } });
    await held.arrived(1);
    const second = send("GET", url, { token });
    expect((await first).status).toBe(504);
    held.release();
    expect((await second).status).toBe(200);
    expect(list).toHaveBeenCalledTimes(1);
    await server.close(1_000);
  });
});
