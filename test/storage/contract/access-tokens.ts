import { expect } from "vitest";
import { Code } from "../../../src/domain/errors.ts";
import type { NewAccessToken, Store } from "../../../src/storage/store.ts";
import { ALPHA, createSmallDataset, GAMMA } from "../small-dataset.ts";
import type { Scenario } from "./scenario.ts";

const NOT_FOUND = { code: Code.NOT_FOUND, reason: "RESOURCE_NOT_FOUND" };
const ALREADY_EXISTS = { code: Code.ALREADY_EXISTS, reason: "ALREADY_EXISTS" };
const NOON = Date.UTC(2026, 0, 1, 12);
const at = (offset: number) => new Date(NOON + offset);

/** Holds access tokens and the keys of projects. */
export function accessTokenContract(scenario: Scenario): void {
  const data = createSmallDataset();

  scenario("a token stands for its account until it expires", data, async (store) => {
    await store.access.createAccessToken(newToken("t", { expireTime: at(1_000) }));
    const cases: readonly (readonly [number, boolean])[] = [
      [-1, true],
      [0, true],
      [999, true],
      [1_000, false],
      [1_001, false],
    ];
    for (const [offset, lives] of cases) {
      const found = await store.access.findAccount(hashOf("t"), at(offset));
      expect(found).toEqual(lives ? { id: "ann", organizationId: "acme" } : undefined);
    }
  });

  scenario("a token without an end does not expire", data, async (store) => {
    await store.access.createAccessToken(newToken("t", { accountId: "eve" }));
    const found = await store.access.findAccount(hashOf("t"), new Date(8.64e15));
    expect(found).toEqual({ id: "eve", organizationId: "other" });
  });

  scenario("only the very hash finds a token", data, async (store) => {
    await store.access.createAccessToken(newToken("t", {}));
    const wrong = [
      hashOf("u"),
      new Uint8Array(),
      hashOf("t").subarray(1),
      Uint8Array.of(...hashOf("t"), 0),
    ];
    for (const hash of wrong) {
      expect(await store.access.findAccount(hash, at(0))).toBeUndefined();
    }
  });

  scenario("a token of no account is NOT_FOUND", data, async (store) => {
    const token = newToken("t", { accountId: "Ann" });
    await expect(store.access.createAccessToken(token)).rejects.toMatchObject(NOT_FOUND);
    expect(await store.access.listAccessTokens()).toEqual([]);
  });

  scenario("an id or a hash that is taken is ALREADY_EXISTS", data, async (store) => {
    await store.access.createAccessToken(newToken("t", {}));
    for (const taken of [
      newToken("t", { hash: hashOf("u") }),
      newToken("u", { hash: hashOf("t") }),
    ]) {
      await expect(store.access.createAccessToken(taken)).rejects.toMatchObject(ALREADY_EXISTS);
    }
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
      (await store.access.listAccessTokens(accountId)).map((it) => it.id);
    expect(await list()).toEqual(["z", "B", "a", "\uff61", "\u{1f600}", "c"]);
    expect(await list("ann")).toEqual(["z", "B", "\uff61", "\u{1f600}"]);
    expect(await list("bob")).toEqual(["a", "c"]);
    expect(await list("eve")).toEqual([]);
    expect(await list("nobody")).toEqual([]);
  });

  scenario("a token is listed as it was made, without its hash", data, async (store) => {
    await store.access.createAccessToken(newToken("t", { name: "CI", expireTime: at(5) }));
    expect(await store.access.listAccessTokens("ann")).toEqual([
      { id: "t", accountId: "ann", name: "CI", createTime: at(0), expireTime: at(5) },
    ]);
  });

  scenario("a revoked token finds nobody, also before that moment", data, async (store) => {
    await addTokens(store, [
      ["t", "ann", 0],
      ["u", "ann", 0],
    ]);
    await store.access.revokeAccessToken("t", at(10));
    for (const offset of [0, 10, 20]) {
      expect(await store.access.findAccount(hashOf("t"), at(offset))).toBeUndefined();
    }
    expect(await store.access.findAccount(hashOf("u"), at(20))).toBeDefined();
  });

  scenario("a second revocation changes nothing", data, async (store) => {
    await addTokens(store, [["t", "ann", 0]]);
    await store.access.revokeAccessToken("t", at(10));
    await store.access.revokeAccessToken("t", at(20));
    const [token] = await store.access.listAccessTokens();
    expect(token?.revokeTime).toEqual(at(10));
  });

  scenario("the revocation of no token is NOT_FOUND", data, async (store) => {
    await addTokens(store, [["t", "ann", 0]]);
    await expect(store.access.revokeAccessToken("T", at(0))).rejects.toMatchObject(NOT_FOUND);
    expect(await store.access.findAccount(hashOf("t"), at(0))).toBeDefined();
  });

  scenario("a key stands for its project", data, async (store) => {
    await store.access.createProjectKey(ALPHA, "public", hashOf("p"));
    await store.access.createProjectKey(GAMMA, "preview", hashOf("v"));
    expect(await store.access.findProjectKey(hashOf("p"))).toEqual({
      projectId: ALPHA,
      organizationId: "acme",
      kind: "public",
    });
    expect(await store.access.findProjectKey(hashOf("v"))).toEqual({
      projectId: GAMMA,
      organizationId: "other",
      kind: "preview",
    });
    expect(await store.access.findProjectKey(hashOf("x"))).toBeUndefined();
    expect(await store.access.findAccount(hashOf("p"), at(0))).toBeUndefined();
  });

  scenario("a key of no project is NOT_FOUND, a taken one ALREADY_EXISTS", data, async (store) => {
    const { createProjectKey } = store.access;
    await expect(createProjectKey("Alpha", "public", hashOf("p"))).rejects.toMatchObject(NOT_FOUND);
    await createProjectKey(ALPHA, "public", hashOf("p"));
    for (const projectId of [ALPHA, GAMMA]) {
      await expect(createProjectKey(projectId, "preview", hashOf("p"))).rejects.toMatchObject(
        ALREADY_EXISTS,
      );
    }
    expect((await store.access.findProjectKey(hashOf("p")))?.kind).toBe("public");
  });
}

function hashOf(name: string): Uint8Array {
  return new TextEncoder().encode(name.padEnd(32, "-"));
}

function newToken(id: string, changes: Partial<NewAccessToken>): NewAccessToken {
  return { id, accountId: "ann", name: "", hash: hashOf(id), createTime: at(0), ...changes };
}

async function addTokens(
  store: Store,
  tokens: readonly (readonly [id: string, accountId: string, offset: number])[],
): Promise<void> {
  for (const [id, accountId, offset] of tokens) {
    await store.access.createAccessToken(
      newToken(id, {
        accountId,
        createTime: at(offset),
      }),
    );
  }
}
