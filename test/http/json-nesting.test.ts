import { describe, expect, test } from "vitest";
import { connectHeaders, getUrl, PROCEDURES } from "../harness/calls.ts";
import { reasonOf, send } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";

const marquee = await useMarquee();

const nest = (depth: number): unknown =>
  JSON.parse(`{"unknown":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`);

describe("JSON of a delivery request, also in fields that nobody knows,", () => {
  const ways = {
    GET: (message: unknown) =>
      send("GET", `${marquee.url}${getUrl(PROCEDURES.listEvents, message)}`, {
        token: marquee.keys.public,
      }),
    POST: (message: unknown) =>
      send("POST", `${marquee.url}${PROCEDURES.listEvents}`, {
        headers: connectHeaders(marquee.keys.public),
        body: message,
      }),
  };
  for (const [way, call] of Object.entries(ways)) {
    test(`nests 100 deep and no deeper by ${way}`, async () => {
      expect((await call(nest(100))).status).toBe(200);
      const got = await call(nest(101));
      expect([got.status, reasonOf(got)]).toEqual([400, "JSON_TOO_DEEP"]);
      expect((await call(nest(1_000))).status).toBe(400);
    });

    test(`may hold brackets in texts by ${way}`, async () => {
      const text = `${"[".repeat(200)}\\"${"{".repeat(200)}`;
      expect((await call({ unknown: text, "[[[": '"[[' })).status).toBe(200);
    });
  }

  // An address has no room for so many.
  test("holds 20,000 values and no more", async () => {
    // The root, the array and its items; empty ones inside, and texts with commas.
    const fill = (count: number) => ({
      unknown: Array.from({ length: count - 2 }, (_, index) => ["a,[", [], {}, 1][index % 4]),
    });
    expect((await ways.POST(fill(20_000))).status).toBe(200);
    const got = await ways.POST(fill(20_001));
    expect([got.status, reasonOf(got)]).toEqual([400, "JSON_TOO_LARGE"]);
  });
});
