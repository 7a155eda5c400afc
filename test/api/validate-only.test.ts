import { afterAll, describe, expect, test } from "vitest";
import type { Store } from "../../src/storage/contract/store.ts";
import { rejection } from "../harness/http.ts";
import { startOver } from "../harness/marquee.ts";
import { override } from "../harness/override.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { watchDatabase } from "./database.ts";
import { callIam, ok } from "./iam/iam.ts";
import { sampleOf } from "./method-samples.ts";
import { callConnect, findMethods, procedureOf } from "./methods.ts";

const marquee = await useMarquee();
const call = callIam(marquee);
const database = await watchDatabase(marquee);
/** How many transactions have been undone. */
let undone = 0;
/** An engine may undo a transaction because of another and run it again: of this one each is. */
const undoing = await startOver(undoingOnce(marquee.store), { runsActions: false });
afterAll(async () => {
  await undoing.close(1_000);
  await database.close();
});

function undoingOnce(store: Store): Store {
  const error = new Error("undone");
  return override(store, {
    async transaction(scope, run) {
      const first = store.transaction(scope, async (unit) => {
        await run(unit);
        throw error;
      });
      await first.catch((thrown) => {
        if (thrown !== error) throw thrown;
        undone += 1;
      });
      return store.transaction(scope, run);
    },
  });
}

const REHEARSED = (await findMethods()).filter(({ input }) => "validateOnly" in input.field);

test("there are methods that can be rehearsed", () => {
  expect(REHEARSED.length).toBeGreaterThanOrEqual(15);
});

describe("validate_only responds as the call would, and commits nothing", () => {
  for (const method of REHEARSED) {
    test(`${procedureOf(method)}, also where its transaction runs twice`, async () => {
      const post = async (extra: object, url = marquee.url) => {
        const message = { ...(await sampleOf(marquee, method)), ...extra };
        const before = await database.version();
        const got = await callConnect(url, method, message, marquee.tokens.owner);
        const headers = ["marquee-warnings", "cache-control"].map((it) => got.headers.get(it));
        const shown = [...headers, ...shapeOf(ok(got))];
        return { shown, changed: (await database.version()) !== before };
      };
      const rehearsed = await post({ validateOnly: true });
      expect(rehearsed.changed).toBe(false);
      // The same for real, so that the test can fail.
      const before = undone;
      const real = await post({}, undoing.studioUrl);
      expect([real.changed, undone]).toEqual([true, before + 1]);
      expect(rehearsed.shown).toEqual(real.shown);
    });
  }
});

describe("If-Match holds for the current state alone", () => {
  for (const method of REHEARSED) {
    test(procedureOf(method), async () => {
      const message = { ...(await sampleOf(marquee, method)), validateOnly: true };
      const { owner } = marquee.tokens;
      const send = (headers = {}) => callConnect(marquee.url, method, message, owner, headers);
      ok(await send());
      expect(rejection(await send({ "if-match": '"bogus"' }))).toEqual([409, "ETAG_MISMATCH"]);
    });
  }
});

/** Every path of a response, without what differs from call to call. */
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

const toRequestId = (line: string) => line.replaceAll(" ", ":");

test("rehearsals leave every table as it was, also with a request_id", async () => {
  const before = await database.dump();
  expect(before.length).toBeGreaterThan(100_000);
  for (const [line, body, query] of CALLS) {
    for (const extra of [{}, { request_id: toRequestId(line) }]) {
      ok(await call(line, { body, query: { ...query, ...extra, validate_only: true } }));
    }
  }
  expect((await database.dump()) === before).toBe(true);
  // The request ids are still free, for other requests too.
  for (const [line, body] of CALLS) {
    ok(await call(line, { body, query: { request_id: toRequestId(line) } }));
  }
  expect((await database.dump()) === before).toBe(false);
});

test("a call that would be rejected is rejected the same way", async () => {
  for (const validate_only of [true, false]) {
    const taken = await call("POST /iam/organizations/v1", {
      body: { name: "Taken" },
      query: { organization_id: "org-worldcup", validate_only },
    });
    expect(rejection(taken)).toEqual([409, "ALREADY_EXISTS"]);
    const referred = await call("DELETE /iam/projects/v1/worldcup", { query: { validate_only } });
    expect(rejection(referred)).toEqual([400, "STILL_REFERRED_TO"]);
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

const GOTTEN = (await findMethods()).filter(
  ({ name, parent }) => /^Get[A-Z]/.test(name) && parent.typeName.startsWith("svc.studio."),
);

test.each(GOTTEN.map((it) => [procedureOf(it), it] as const))(
  "%s has an ETag",
  async (_, method) => {
    const message = await sampleOf(marquee, method);
    const got = await callConnect(marquee.url, method, message, marquee.tokens.owner);
    ok(got);
    expect(got.headers.get("etag")).toMatch(/^"[\w-]+"$/);
  },
);
