import { create, toJson } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { expect } from "vitest";
import {
  type AccessToken,
  AccessTokenKind,
  AccessTokenSchema,
} from "../../../gen/svc/studio/iam/access_token/v1/access_token_pb.ts";
import { revokeAccessToken } from "../../../src/domain/access/access-token.ts";
import { Code } from "../../../src/domain/base/errors.ts";
import type { ProjectKeyKind } from "../../../src/storage/contract/access.ts";
import type { Stored } from "../../../src/storage/contract/document-store.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { revisionOf } from "../../harness/revision.ts";
import { keepProjectKey } from "../project-key.ts";
import { ALPHA, createSmallDataset, GAMMA } from "../small-dataset.ts";
import type { Scenario } from "./scenario.ts";

const NOT_FOUND = { code: Code.NOT_FOUND, reason: "RESOURCE_NOT_FOUND" };
const ALREADY_EXISTS = { code: Code.ALREADY_EXISTS, reason: "ALREADY_EXISTS" };
const NOON = Date.UTC(2026, 0, 1, 12);
const at = (offset: number) => new Date(NOON + offset);

/** Holds access tokens and the keys of projects. */
export function accessTokenContract(scenario: Scenario): void {
  const data = createSmallDataset();

  scenario("a token is found by its hash, with its account and its end", data, async (store) => {
    await keepToken(store, "t", { expireTime: timestampFromDate(at(1_000)) });
    expect(await store.access.findToken(hashOf("t"))).toEqual({
      ...{ id: "t", account: { id: "ann", organizationId: "acme" }, isSession: false },
      expireTime: at(1_000),
    });
  });

  scenario("a token may have no end", data, async (store) => {
    await keepToken(store, "t", { accountId: "eve" });
    const account = { id: "eve", organizationId: "other" };
    expect(await store.access.findToken(hashOf("t"))).toEqual({
      ...{ id: "t", account, isSession: false },
    });
  });

  scenario("only the very hash finds a token", data, async (store) => {
    await keepToken(store, "t", {});
    const wrong = [
      hashOf("u"),
      new Uint8Array(),
      hashOf("t").subarray(1),
      Uint8Array.of(...hashOf("t"), 0),
    ];
    for (const hash of wrong) {
      expect(await store.access.findToken(hash)).toBeUndefined();
    }
  });

  scenario("a hash that is taken is ALREADY_EXISTS", data, async (store) => {
    await keepToken(store, "t", {});
    await expect(keepToken(store, "u", {}, hashOf("t"))).rejects.toMatchObject(ALREADY_EXISTS);
    expect((await store.access.listAccessTokens()).length).toBe(1);
  });

  scenario("tokens are listed by time of creation, then id", data, async (store) => {
    await addTokens(store, [
      ["c", "bob", 2],
      ["\u{1f600}", "ann", 1],
      ["a", "bob", 1],
      ["\uff61", "ann", 1],
      ["B", "ann", 1],
      ["z", "ann", 0],
    ]);
    const list = async (accountId?: string) =>
      (
        await store.access.listAccessTokens(
          accountId === undefined ? undefined : { id: accountId, organizationId: "acme" },
        )
      ).map((it) => it.id);
    expect(await list()).toEqual(["z", "B", "a", "\uff61", "\u{1f600}", "c"]);
    expect(await list("ann")).toEqual(["z", "B", "\uff61", "\u{1f600}"]);
    expect(await list("bob")).toEqual(["a", "c"]);
    expect(await list("eve")).toEqual([]);
    expect(await list("nobody")).toEqual([]);
  });

  scenario(
    "the sessions of an account are listed without its other tokens",
    data,
    async (store) => {
      await addTokens(store, [
        ["t", "ann", 0],
        ["u", "ann", 1],
      ]);
      const session = { kind: AccessTokenKind.SESSION };
      await keepToken(store, "late", { ...session, createTime: timestampFromDate(at(3)) });
      await keepToken(store, "ended", { ...session, createTime: timestampFromDate(at(2)) });
      await keepToken(store, "other", { ...session, accountId: "bob" });
      await revoke(store, "ended", at(10));
      const sessions = await store.access.listSessions({ id: "ann", organizationId: "acme" });
      expect(sessions.map(({ id }) => id)).toEqual(["ended", "late"]);
      expect(sessions[0]?.revokeTime).toEqual(timestampFromDate(at(10)));
    },
  );

  scenario("a token is listed as it was made, without its hash", data, async (store) => {
    const made = await keepToken(store, "t", { name: "CI", expireTime: timestampFromDate(at(5)) });
    const [listed] = await store.access.listAccessTokens({ id: "ann", organizationId: "acme" });
    expect(listed).toEqual(made.value);
    expect(listed && toJson(AccessTokenSchema, listed)).toEqual({
      ...{ id: "t", accountId: "ann", name: "CI" },
      ...{ createTime: at(0).toISOString().replace(".000", "") },
      expireTime: at(5).toISOString(),
    });
  });

  scenario("a token is revoked alone", data, async (store) => {
    await addTokens(store, [
      ["t", "ann", 0],
      ["u", "ann", 0],
    ]);
    await revoke(store, "t", at(10));
    const find = async (id: string) => (await store.access.findToken(hashOf(id)))?.revokeTime;
    expect(await find("t")).toEqual(at(10));
    expect(await find("u")).toBeUndefined();
  });

  scenario("a second revocation changes nothing", data, async (store) => {
    await addTokens(store, [["t", "ann", 0]]);
    await revoke(store, "t", at(10));
    await revoke(store, "t", at(20));
    const [token] = await store.access.listAccessTokens();
    expect(token?.revokeTime).toEqual(timestampFromDate(at(10)));
  });

  scenario("a key stands for its project", data, async (store) => {
    await keepProjectKey(store, ALPHA, "public", hashOf("p"));
    await keepProjectKey(store, GAMMA, "preview", hashOf("v"));
    expect(await store.access.findProjectKey(hashOf("p"))).toEqual({
      projectId: ALPHA,
      organizationId: "acme",
      kind: "public",
      revision: await revisionOf(store, ALPHA),
    });
    expect(await store.access.findProjectKey(hashOf("v"))).toEqual({
      projectId: GAMMA,
      organizationId: "other",
      kind: "preview",
      revision: await revisionOf(store, GAMMA),
    });
    expect(await store.access.findProjectKey(hashOf("x"))).toBeUndefined();
    expect(await store.access.findToken(hashOf("p"))).toBeUndefined();
  });

  scenario("a key of no project is NOT_FOUND, a taken one ALREADY_EXISTS", data, async (store) => {
    const keep = (projectId: string, kind: ProjectKeyKind) =>
      keepProjectKey(store, projectId, kind, hashOf("p"));
    await expect(keep("Alpha", "public")).rejects.toMatchObject(NOT_FOUND);
    await keep(ALPHA, "public");
    for (const projectId of [ALPHA, GAMMA]) {
      await expect(keep(projectId, "preview")).rejects.toMatchObject(ALREADY_EXISTS);
    }
    expect((await store.access.findProjectKey(hashOf("p")))?.kind).toBe("public");
  });
}

function hashOf(name: string): Uint8Array {
  return new TextEncoder().encode(name.padEnd(32, "-"));
}

function keepToken(
  store: Store,
  id: string,
  init: Partial<Omit<AccessToken, "$typeName">>,
  hash = hashOf(id),
): Promise<Stored<AccessToken>> {
  const { documents } = store.in(init.accountId === "eve" ? "other" : "acme");
  const token = { id, accountId: "ann", createTime: timestampFromDate(at(0)), ...init };
  return documents.access_token.create(create(AccessTokenSchema, token), { hash });
}

function revoke(store: Store, id: string, now: Date): Promise<Stored<AccessToken>> {
  return store
    .in("acme")
    .documents.access_token.update(id, ({ value }) => revokeAccessToken(value, now));
}

async function addTokens(
  store: Store,
  tokens: readonly (readonly [id: string, accountId: string, offset: number])[],
): Promise<void> {
  for (const [id, accountId, offset] of tokens) {
    await keepToken(store, id, { accountId, createTime: timestampFromDate(at(offset)) });
  }
}
