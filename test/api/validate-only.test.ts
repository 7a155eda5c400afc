import { afterAll, describe, expect, test } from "vitest";
import { refusal, send } from "../harness/http.ts";
import { startMarquee } from "../harness/marquee.ts";
import { watchDatabase } from "./database.ts";
import { callIam, ok } from "./iam/iam.ts";
import { methodSamples } from "./method-samples.ts";
import { findMethods, procedureOf } from "./methods.ts";

const marquee = await startMarquee();
const call = callIam(marquee);
const database = await watchDatabase(marquee);
afterAll(async () => {
  await database.close();
  await marquee.close();
});

const REHEARSED = (await findMethods()).filter(
  (method) =>
    method.input.fields.some((field) => field.name === "validate_only") &&
    methodSamples[procedureOf(method)] !== undefined,
);

test("there are methods that can be rehearsed", () => {
  expect(REHEARSED.length).toBeGreaterThanOrEqual(15);
});

describe("validate_only answers as the call would, and commits nothing", () => {
  for (const method of REHEARSED) {
    test(procedureOf(method), async () => {
      const sample = methodSamples[procedureOf(method)];
      const post = async (extra: object) => {
        const message =
          typeof sample?.message === "function" ? await sample.message(marquee) : sample?.message;
        const before = await database.version();
        const got = await send("POST", `${marquee.url}/${procedureOf(method)}`, {
          token: marquee.tokens.owner,
          headers: { "connect-protocol-version": "1" },
          body: { ...message, ...extra },
        });
        return { keys: shapeOf(ok(got)), changed: (await database.version()) !== before };
      };
      const rehearsed = await post({ validateOnly: true });
      expect(rehearsed.changed).toBe(false);
      // The same for real, so that the test can fail.
      const real = await post({});
      expect(real.changed).toBe(true);
      expect(rehearsed.keys).toEqual(real.keys);
    });
  }
});

/** Every path of an answer, without what differs from call to call. */
function shapeOf(value: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null) return [path];
  return Object.entries(value).flatMap(([name, each]) => shapeOf(each, `${path}.${name}`));
}

const CALLS: readonly (readonly [string, object, Record<string, string>])[] = [
  ["POST /iam/organizations/v1", { name: "Rehearsed" }, { organization_id: "org-rehearsed" }],
  ["POST /iam/access_tokens/v1", { account_id: "account-viewer" }, { access_token_id: "t-1" }],
  [
    "POST /cms/events/v1",
    { project_id: "worldcup", title: { en: "Rehearsed" } },
    { event_id: "event-rehearsed" },
  ],
];

/** Everything as the last call left it: to read it takes most of a test's time. */
let dumped: string | undefined;

for (const [index, [line, body, query]] of CALLS.entries()) {
  test(`${line} leaves every table as it was, also with a request_id`, async () => {
    const request_id = `rehearsal-${index}`;
    const before = dumped ?? (await database.dump());
    expect(before.length).toBeGreaterThan(100_000);
    for (const extra of [{}, { request_id }]) {
      ok(await call(line, { body, query: { ...query, ...extra, validate_only: true } }));
    }
    expect((await database.dump()) === before).toBe(true);
    // The request id is still free, for another request too.
    ok(await call(line, { body, query: { request_id } }));
    dumped = await database.dump();
    expect(dumped === before).toBe(false);
  });
}

test("a call that would be refused is refused the same way", async () => {
  for (const validate_only of [true, false]) {
    const taken = await call("POST /iam/organizations/v1", {
      body: { name: "Taken" },
      query: { organization_id: "org-worldcup", validate_only },
    });
    expect(refusal(taken)).toEqual([409, "ALREADY_EXISTS"]);
    const referred = await call("DELETE /iam/projects/v1/worldcup", { query: { validate_only } });
    expect(refusal(referred)).toEqual([400, "STILL_REFERRED_TO"]);
  }
});

test("the secret that a rehearsal shows opens nothing", async () => {
  const { token } = ok(
    await call("POST /iam/access_tokens/v1", {
      body: { account_id: "account-owner" },
      query: { validate_only: true },
    }),
  );
  expect((await call("GET /iam/organizations/v1", { token })).status).toBe(401);
});
