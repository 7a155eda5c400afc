import { expect } from "vitest";
import { Code } from "../../../src/domain/base/errors.ts";
import type { Store, StoredResponse } from "../../../src/storage/contract/store.ts";
import { EMPTY } from "./document-samples.ts";
import type { Scenario } from "./scenario.ts";

const NOON = Date.UTC(2026, 0, 1, 12);
const at = (offset: number) => new Date(NOON + offset);

/** Tests the store of responses to calls that may be repeated. */
export function storedResponseContract(scenario: Scenario): void {
  scenario("a response is found until it expires", EMPTY, async (store) => {
    const kept = stored("ann", "r", 1_000);
    await store.storedResponses.keep(kept, at(0));
    for (const [offset, lives] of [
      [-1, true],
      [0, true],
      [999, true],
      [1_000, false],
      [1_001, false],
    ] as const) {
      expect(await find(store, "ann", "r", at(offset))).toEqual(lives ? kept : undefined);
    }
  });

  scenario("only the very account and id find it", EMPTY, async (store) => {
    await store.storedResponses.keep(stored("ann", "r", 1_000), at(0));
    const eve = stored("eve", "r", 1_000, 7);
    await store.storedResponses.keep(eve, at(0));
    for (const [account, id] of [
      ["ann", "R"],
      ["ann", ""],
      ["ann", "r "],
      ["Ann", "r"],
      ["bob", "r"],
    ] as const) {
      expect(await find(store, account, id, at(0))).toBeUndefined();
    }
    expect(await find(store, "eve", "r", at(0))).toEqual(eve);
  });

  scenario("one that lives is not replaced", EMPTY, async (store) => {
    const kept = stored("ann", "r", 1_000);
    await store.storedResponses.keep(kept, at(0));
    await expect(
      store.storedResponses.keep(stored("ann", "r", 5_000, 9), at(999)),
    ).rejects.toMatchObject({ code: Code.ALREADY_EXISTS, reason: "ALREADY_EXISTS" });
    expect(await find(store, "ann", "r", at(999))).toEqual(kept);
  });

  scenario("one that has expired is replaced, and no other is deleted", EMPTY, async (store) => {
    await store.storedResponses.keep(stored("ann", "r", 1_000), at(0));
    await store.storedResponses.keep(stored("ann", "old", 1_000), at(0));
    const again = stored("ann", "r", 9_000, 9);
    await store.storedResponses.keep(again, at(1_000));
    expect(await find(store, "ann", "r", at(1_000))).toEqual(again);
    // Asked of a time at which it lived: a write deletes nothing that grows with other writes.
    expect(await find(store, "ann", "old", at(0))).toBeDefined();
  });

  scenario("expired ones are deleted in steps, the oldest first", EMPTY, async (store) => {
    const { storedResponses } = store;
    for (const [account, id, offset] of [
      ["ann", "third", 3],
      ["eve", "first", 1],
      ["ann", "second", 2],
      ["ann", "lives", 4],
    ] as const) {
      await storedResponses.keep(stored(account, id, offset), at(0));
    }
    const isKept = async (account: string, id: string) =>
      (await find(store, account, id, at(0))) !== undefined;
    expect(await storedResponses.prune(at(0), 2)).toBe(0);
    expect(await storedResponses.prune(at(3), 2)).toBe(2);
    expect([await isKept("eve", "first"), await isKept("ann", "second")]).toEqual([false, false]);
    expect([await isKept("ann", "third"), await isKept("ann", "lives")]).toEqual([true, true]);
    expect(await storedResponses.prune(at(3), 2)).toBe(1);
    const version = store.accessVersion();
    expect(await storedResponses.prune(at(3), 2)).toBe(0);
    expect(store.accessVersion()).toBe(version);
    expect(await isKept("ann", "lives")).toBe(true);
  });

  scenario("expired ones of one organization are deleted alone", EMPTY, async (store) => {
    const { storedResponses } = store;
    for (const [account, offset] of [
      ["eve", 1],
      ["ann", 2],
      ["ann", 3],
      ["ann", 5],
    ] as const) {
      await storedResponses.keep(stored(account, `${offset}`, offset), at(0));
    }
    expect(await storedResponses.prune(at(4), 1, "acme")).toBe(1);
    expect(await find(store, "ann", "2", at(0))).toBeUndefined();
    expect(await storedResponses.prune(at(4), 9, "acme")).toBe(1);
    expect(await find(store, "ann", "3", at(0))).toBeUndefined();
    expect(await find(store, "eve", "1", at(0))).toBeDefined();
    expect(await find(store, "ann", "5", at(0))).toBeDefined();
  });

  scenario("responses are deleted with their account", EMPTY, async (store) => {
    await store.storedResponses.keep(stored("ann", "r", 1_000), at(0));
    const { value } = await store.in("acme").documents.account.get("ann");
    await store.in("acme").documents.account.delete("ann", () => undefined);
    await store.in("acme").documents.account.create(value);
    expect(await find(store, "ann", "r", at(0))).toBeUndefined();
  });
}

/** Eve is of another organization. */
const accountOf = (id: string) => ({ id, organizationId: id === "eve" ? "other" : "acme" });

function stored(accountId: string, requestId: string, offset: number, byte = 1): StoredResponse {
  return {
    ...{ account: accountOf(accountId), requestId, expireTime: at(offset) },
    ...{ requestHash: Uint8Array.of(byte, 2, 3), response: Uint8Array.of(0, byte, 255) },
  };
}

/** Engines give bytes in types of their own. */
async function find(store: Store, accountId: string, requestId: string, now: Date) {
  const found = await store.storedResponses.find(accountOf(accountId), requestId, now);
  return (
    found && {
      ...found,
      requestHash: Uint8Array.from(found.requestHash),
      response: Uint8Array.from(found.response),
    }
  );
}
