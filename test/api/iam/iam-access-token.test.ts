import { describe, expect, test } from "vitest";
import { dumpDatabase } from "../../harness/database.ts";
import { rejection } from "../../harness/http.ts";
import { playCases, toWriteCases } from "../play-cases.ts";
import { metadata, ok, useIam } from "./iam.ts";

const PATH = "/iam/access_tokens/v1";
const DAY = 24 * 3_600_000;

let ahead = 0;
const { marquee, call, make } = await useIam({ clock: () => new Date(Date.now() + ahead) });

const create = (body: object, token?: string) =>
  call(`POST ${PATH}`, { body, ...(token && { token }) });

/** A call that every account may make, and so shows only whether a token is good. */
const statusOf = async (token: string) =>
  (await call("GET /iam/organizations/v1", { token })).status;

describe("creating an access token", () => {
  test("shows it once, and it works at once", async () => {
    const account_id = await make.account();
    const got = ok(await create({ account_id, name: "for the press" }));
    expect(got.token).toMatch(/^mqa_/);
    expect(got.access_token).toMatchObject({ account_id, name: "for the press" });
    expect(await statusOf(got.token)).toBe(200);
    const { id } = got.access_token;
    for (const read of [
      await call(`GET ${PATH}/${id}`),
      await call(`GET ${PATH}`, { query: { account_id } }),
    ]) {
      expect(ok(read) && read.text).toContain(id);
      expect(read.text).not.toContain(got.token.slice(4));
    }
    expect((await dumpDatabase(marquee.address)).includes(got.token)).toBe(false);
  });

  test("ends it by itself at its time, which lies ahead", async () => {
    const account_id = await make.account();
    const past = new Date(Date.now() - 1_000).toISOString();
    const rejected = await create({ account_id, expire_time: past });
    expect(rejection(rejected)).toEqual([400, "EXPIRE_TIME_INVALID"]);
    expect(metadata(rejected).field).toBe("access_token.expire_time");
    const expire_time = new Date(Date.now() + DAY).toISOString();
    const { token } = ok(await create({ account_id, expire_time }));
    expect(await statusOf(token)).toBe(200);
    ahead = DAY + 1_000;
    expect(await statusOf(token)).toBe(401);
    ahead = 0;
  });
});

playCases(
  marquee,
  "an access token",
  toWriteCases(
    { service: "iam.access_token.v1.AccessTokenService", noun: "accessToken", resource: {} },
    [
      [{}, "FIELD_REQUIRED account_id"],
      [{ accountId: "nobody" }, "404 RESOURCE_NOT_FOUND"],
      [{ accountId: "account-outsider" }, "404 RESOURCE_NOT_FOUND"],
    ],
  ),
);

describe("a token gives nobody more than they have", () => {
  const MAKES = ["iam.access_tokens.create"];

  test("who may make tokens makes none of an owner", async () => {
    const maker = await make.caller(MAKES);
    const owner = await make.account();
    await make.binding(owner, "owner");
    const got = await create({ account_id: owner }, maker.token);
    expect(rejection(got)).toEqual([403, "PERMISSION_NOT_HELD"]);
    const { resource, permissions = "", count } = metadata(got);
    expect(resource).toBe("org-worldcup/organization");
    expect(permissions.split(",")).toHaveLength(20);
    expect(Number(count)).toBeGreaterThan(20);
    expect(permissions).not.toContain("iam.access_tokens.create");
    const tokens = await call(`GET ${PATH}`, { query: { account_id: owner } });
    expect(ok(tokens).access_tokens).toEqual([]);
  });

  const READ = "cms.events.get";
  const cases: readonly (readonly [string, string[], string[], string | undefined, number])[] = [
    ["the same permissions", MAKES, MAKES, undefined, 200],
    ["fewer", [...MAKES, READ], [READ], undefined, 200],
    ["one other", MAKES, [READ], undefined, 403],
    ["one on a project, held on all", [...MAKES, READ], [READ], "worldcup/worldcup/project", 200],
    ["one on a video", MAKES, [READ], "video-match-2026-104/worldcup/video", 403],
    ["none", MAKES, [], undefined, 200],
  ];
  for (const [name, caller, target, on, want] of cases) {
    test(`an account with ${name}: ${want}`, async () => {
      const { token } = await make.caller(caller);
      const account_id =
        target.length === 0 ? await make.account() : (await make.caller(target, on)).id;
      expect((await create({ account_id }, token)).status).toBe(want);
    });
  }

  test("every binding of the account counts", async () => {
    const maker = await make.caller(MAKES);
    await make.binding(maker.id, "viewer", "sandbox/sandbox/project");
    const resources = ["sandbox/sandbox/project", "worldcup/worldcup/project"];
    for (const order of [resources, resources.toReversed()]) {
      const account_id = await make.account();
      for (const resource of order) await make.binding(account_id, "viewer", resource);
      const got = await create({ account_id }, maker.token);
      expect(rejection(got)).toEqual([403, "PERMISSION_NOT_HELD"]);
      expect(metadata(got).resource).toBe("worldcup/worldcup/project");
    }
  });

  test("a token for oneself always passes", async () => {
    const { id, token } = await make.caller([...MAKES, "ott.pages.get"]);
    expect(await statusOf(ok(await create({ account_id: id }, token)).token)).toBe(200);
  });
});

describe("revoking", () => {
  test("ends a token at once, and a second time changes nothing", async () => {
    const { access_token, token } = ok(await create({ account_id: await make.account() }));
    const path = `POST ${PATH}/${access_token.id}:revoke`;
    const first = await call(path, { body: {} });
    expect(ok(first).access_token.revoke_time).toMatch(/Z$/);
    expect(await statusOf(token)).toBe(401);
    ahead = 60_000;
    const second = await call(path, { body: {} });
    ahead = 0;
    expect(second.json).toEqual(first.json);
    expect(second.headers.get("etag")).toBe(first.headers.get("etag"));
  });
});
