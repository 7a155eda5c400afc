import { afterAll, describe, expect, test } from "vitest";
import { metadataOf, reasonOf } from "../harness/http.ts";
import { startMarquee } from "../harness/marquee.ts";
import { startFaultyService } from "./faulty-service.ts";

const marquee = await startMarquee();
const faulty = await startFaultyService(marquee);
afterAll(async () => {
  await faulty.close();
  await marquee.close();
});

test("the deadline that a caller sets is kept over Connect", async () => {
  faulty.fail(
    "get",
    () => new Promise((_, reject) => setTimeout(() => reject(new Error("late")), 500)),
  );
  const got = await faulty.calls({ "connect-timeout-ms": "50" }).connect();
  expect([got.status, got.json.code]).toEqual([504, "deadline_exceeded"]);
});

describe("an unforeseen error says nothing to the caller and everything to the log", () => {
  const cause = new Error("SQLITE: select SECRET from /var/lib", { cause: new Error("SECRET 2") });
  const thrown: readonly (readonly [what: string, value: unknown])[] = [
    ["an error with a cause", cause],
    ["a text", "SECRET text"],
    ["nothing", undefined],
    ["an object", { message: "SECRET", code: 3, status: 400 }],
    ["a type error", new TypeError("SECRET of undefined")],
  ];
  for (const where of ["get", "findAccount", "listBindings"] as const) {
    for (const [what, value] of thrown) {
      test(`${what}, thrown in ${where}`, async () => {
        faulty.fail(where, () => Promise.reject(value));
        for (const call of Object.values(faulty.calls({ "x-request-id": "leak.1" }))) {
          faulty.takeLog();
          let log = "";
          const got = await call();
          expect([got.status, got.json.message]).toEqual([500, "internal error"]);
          expect([reasonOf(got), metadataOf(got) ?? {}]).toEqual(["INTERNAL", {}]);
          expect(`${got.text}${JSON.stringify([...got.headers])}`).not.toContain("SECRET");
          await expect.poll(() => (log += faulty.takeLog())).toContain("leak.1");
          if (value instanceof Error) expect(log).toContain(value.message);
        }
      });
    }
  }
});
