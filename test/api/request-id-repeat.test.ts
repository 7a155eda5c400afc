import { describe, expect, test } from "vitest";
import { AccountService } from "../../gen/svc/studio/iam/account/v1/account_service_pb.ts";
import { dumpDatabase } from "../harness/database.ts";
import { type HttpResponse, rejection } from "../harness/http.ts";
import { ok, useIam } from "./iam/iam.ts";
import { callStudio } from "./studio.ts";

const ACCOUNTS = "/iam/accounts/v1";
const TOKENS = "/iam/access_tokens/v1";
const DAY = 24 * 3_600_000;

let ahead = 0;
const { marquee, call, make } = await useIam({ clock: () => new Date(Date.now() + ahead) });

let turn = 0;
const nextId = () => `request-${turn++}`;

const createAccount = (request_id: string, name: string, token = marquee.tokens.owner) =>
  call(`POST ${ACCOUNTS}`, {
    body: { organization_id: "org-worldcup", name },
    query: { request_id },
    token,
  });

const countAccounts = async (name: string) =>
  ok(
    await call(`GET ${ACCOUNTS}`, {
      query: { organization_id: "org-worldcup", filter: `name: "${name}"` },
    }),
  ).accounts.length;

/** All of a response but what is each call's own. */
const bytesOf = ({ status, text, headers }: HttpResponse) => {
  const own = new Set(["date", "x-request-id"]);
  return [status, text, Array.from(headers).filter(([name]) => !own.has(name))];
};

describe("the same request_id again", () => {
  test("gives the same bytes, and makes nothing a second time", async () => {
    const id = nextId();
    const first = await createAccount(id, "Once");
    ahead = 60_000;
    const second = await createAccount(id, "Once");
    ahead = 0;
    ok(first);
    expect(bytesOf(second)).toEqual(bytesOf(first));
    expect(await countAccounts("Once")).toBe(1);
  });

  test("at the same moment makes one thing, and all get the same bytes", async () => {
    const id = nextId();
    const got = await Promise.all(Array.from({ length: 10 }, () => createAccount(id, "At once")));
    expect(got[0]?.status).toBe(200);
    expect(new Set(got.map((it) => JSON.stringify(bytesOf(it)))).size).toBe(1);
    expect(await countAccounts("At once")).toBe(1);
  });

  test("of an account with the same id in another organization makes its own", async () => {
    const request_id = nextId();
    const homes = [
      ["org-worldcup", marquee.tokens.owner],
      ["org-elsewhere", marquee.tokens.outsider],
    ] as const;
    const made: string[] = [];
    for (const [organization_id, owner] of homes) {
      const body = { organization_id, name: "Namesake" };
      const query = { account_id: "namesake" };
      ok(await call(`POST ${ACCOUNTS}`, { body, query, token: owner }));
      const binding = { account_id: "namesake", role_id: "owner", organization_id };
      const resource_key = `${organization_id}/organization`;
      const bound = { ...binding, resource_key };
      ok(await call("POST /iam/bindings/v1", { body: bound, token: owner }));
      const tokenBody = { account_id: "namesake" };
      const { token } = ok(await call(`POST ${TOKENS}`, { body: tokenBody, token: owner }));
      const got = await call(`POST ${ACCOUNTS}`, { body, query: { request_id }, token });
      made.push(ok(got).account.organization_id);
    }
    expect(made).toEqual(homes.map(([organization_id]) => organization_id));
  });

  test("gives the first response also when the thing is gone", async () => {
    const id = nextId();
    const first = await createAccount(id, "Gone");
    ok(await call(`DELETE ${ACCOUNTS}/${ok(first).account.id}`));
    expect(bytesOf(await createAccount(id, "Gone"))).toEqual(bytesOf(first));
    expect(await countAccounts("Gone")).toBe(0);
  });

  test("gives back what is nested as deep as a request may be", async () => {
    const nested = (depth: number): object => (depth === 0 ? {} : { a: nested(depth - 1) });
    const query = { request_id: nextId(), annotation_id: "deep" };
    const body = { project_id: "worldcup", action_overrides: { hook: nested(97) } };
    const create = () => call("POST /annotations/annotations/v1", { body, query });
    const first = await create();
    ok(first);
    expect(bytesOf(await create())).toEqual(bytesOf(first));
  });

  test("over Connect gives what was made over REST", async () => {
    const id = nextId();
    const first = ok(await createAccount(id, "Both"));
    const account = { organizationId: "org-worldcup", name: "Both" };
    const callAccounts = callStudio(marquee, AccountService);
    const second = await callAccounts("CreateAccount", { account, requestId: id });
    expect(ok(second).account.id).toBe(first.account.id);
    expect(await countAccounts("Both")).toBe(1);
  });

  test("gives a dry run the first response", async () => {
    const id = nextId();
    const first = await createAccount(id, "Dry");
    const body = { organization_id: "org-worldcup", name: "Dry" };
    const query = { request_id: id, validate_only: true };
    expect(bytesOf(await call(`POST ${ACCOUNTS}`, { body, query }))).toEqual(bytesOf(first));
    ok(first);
  });

  // That the method counts by itself, test/pipeline/unit-of-work.test.ts holds: no two have one message.
  test("with another body, chosen id or resource is rejected, and makes nothing", async () => {
    const id = nextId();
    ok(await createAccount(id, "First"));
    const body = { organization_id: "org-worldcup", name: "First" };
    for (const got of [
      await createAccount(id, "Other"),
      await call(`POST ${ACCOUNTS}`, { body, query: { request_id: id, account_id: "chosen" } }),
      await call("POST /iam/projects/v1", { body, query: { request_id: id } }),
    ]) {
      expect(rejection(got)).toEqual([409, "REQUEST_ID_REUSED"]);
    }
    expect([await countAccounts("Other"), await countAccounts("First")]).toEqual([0, 1]);
  });

  test("after 24 hours is another call", async () => {
    const id = nextId();
    const start = Date.now();
    const first = ok(await createAccount(id, "Daily"));
    ahead = DAY - 60_000 - (Date.now() - start);
    expect(ok(await createAccount(id, "Daily"))).toEqual(first);
    ahead = DAY + 1_000;
    const second = ok(await createAccount(id, "Daily"));
    expect(second.account.id).not.toBe(first.account.id);
    expect(ok(await createAccount(id, "Daily"))).toEqual(second);
    ahead = 2 * DAY + 2_000;
    ok(await createAccount(id, "Another body"));
    ahead = 0;
    expect(await countAccounts("Daily")).toBe(2);
  });

  test("of another account is a call of its own", async () => {
    const id = nextId();
    const { token } = await make.caller(["iam.accounts.create"]);
    const first = ok(await createAccount(id, "Mine"));
    const second = ok(await createAccount(id, "Mine", token));
    expect(second.account.id).not.toBe(first.account.id);
    expect(await countAccounts("Mine")).toBe(2);
  });

  test("is not remembered of a call that failed", async () => {
    const id = nextId();
    const create = (account_id: string) =>
      call(`POST ${ACCOUNTS}`, {
        body: { organization_id: "org-worldcup", name: "Late" },
        query: { request_id: id, account_id },
      });
    expect(rejection(await create("account-owner"))).toEqual([409, "ALREADY_EXISTS"]);
    ok(await create("account-late"));
    // Now it is: the same that failed before is another request.
    expect(rejection(await create("account-owner"))).toEqual([409, "REQUEST_ID_REUSED"]);
  });
});

test("calls without a request_id all count", async () => {
  for (let time = 0; time < 2; time += 1) ok(await createAccount("", "Every"));
  expect(await countAccounts("Every")).toBe(2);
});

test.each(["~", "x".repeat(128), "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"])(
  "the request_id %s is taken",
  async (id) => {
    const first = await createAccount(id, id);
    expect(bytesOf(await createAccount(id, id))).toEqual(bytesOf(first));
    ok(first);
  },
);

test.each(["x".repeat(129), "a b", "a\n", "é"])("the request_id %j is rejected", async (id) => {
  expect(rejection(await createAccount(id, "Refused"))).toEqual([400, "REQUEST_ID_INVALID"]);
  expect(await countAccounts("Refused")).toBe(0);
});

describe("a secret in a response", () => {
  const createToken = (request_id: string, account_id: string, token: string) =>
    call(`POST ${TOKENS}`, { body: { account_id }, query: { request_id }, token });

  test("comes back for the access token that asked first, and for no other", async () => {
    const id = nextId();
    const { id: account, token } = await make.caller(["iam.access_tokens.create"]);
    const first = await createToken(id, account, token);
    const secret = ok(first).token;
    expect(bytesOf(await createToken(id, account, token))).toEqual(bytesOf(first));
    // The new token is one of the same account, and so has the same request ids.
    const other = await createToken(id, account, secret);
    expect(rejection(other)).toEqual([409, "REQUEST_ID_REUSED"]);
    expect(other.text).not.toContain(secret);
  });

  test("lies nowhere in the database", async () => {
    const account_id = await make.account();
    const { token } = ok(await createToken(nextId(), account_id, marquee.tokens.owner));
    const { key } = ok(
      await call("POST /iam/project_keys/v1", {
        body: { project_id: "worldcup", kind: "PROJECT_KEY_KIND_PREVIEW", name: "find-me" },
        query: { request_id: nextId() },
      }),
    );
    const dump = await dumpDatabase(marquee.address);
    const lies = (text: string) => dump.includes(text);
    // What is not secret is found, so that the search is one.
    expect(lies("find-me")).toBe(true);
    for (const secret of [token, key]) {
      // As it is, and in the three ways that it can lie in base64.
      const inBase64 = ["", "x", "xx"].map((start) =>
        Buffer.from(start + secret)
          .toString("base64")
          .slice(8, -8),
      );
      for (const form of [secret.slice(4), ...inBase64]) expect(lies(form)).toBe(false);
    }
  });
});
