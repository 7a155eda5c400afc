import { expect } from "vitest";
import type { NewViewerTokenKey } from "../../../src/storage/contract/sign-in.ts";
import type { Scenario } from "./scenario.ts";

const at = (hours: number) => new Date(Date.UTC(2026, 0, 1, hours));
const LONG_AGO = new Date(0);

const bytes = (text: string) => Uint8Array.from(Buffer.from(text));
const key = (id: string, createTime = at(0)): NewViewerTokenKey => ({
  id,
  publicKey: bytes(`public ${id}`),
  privateKey: bytes(`private ${id}`),
  createTime,
});
const retired = (id: string, createTime: Date, retireTime: Date) => ({
  id,
  publicKey: bytes(`public ${id}`),
  createTime,
  retireTime,
});

/** Holds the store of the keys of viewer tokens. */
export function viewerTokenKeyContract(scenario: Scenario): void {
  scenario("there is no key to begin with", undefined, async (store) => {
    expect(await store.viewerTokenKeys.get()).toEqual({ retired: [] });
  });

  scenario("a first key is kept, and a second one is not made", undefined, async (store) => {
    await store.viewerTokenKeys.begin(() => key("one"));
    await store.viewerTokenKeys.begin(() => {
      throw new Error("there is one");
    });
    const got = await store.viewerTokenKeys.get();
    expect(toPlain(got.signing)).toEqual(key("one"));
    expect(got.retired).toEqual([]);
  });

  scenario("a key that cannot be made leaves none", undefined, async (store) => {
    const error = new Error("no");
    await expect(
      store.viewerTokenKeys.begin(() => {
        throw error;
      }),
    ).rejects.toBe(error);
    expect(await store.viewerTokenKeys.get()).toEqual({ retired: [] });
  });

  scenario("two stores that begin at once get the same key", undefined, async (store, fresh) => {
    const second = await fresh.openAnother();
    let made = 0;
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? store : second).viewerTokenKeys.begin(() => {
          made += 1;
          return key(`key-${made}`);
        }),
      ),
    );
    expect(made).toBe(1);
    expect((await second.viewerTokenKeys.get()).signing?.id).toBe("key-1");
  });

  scenario("a rotation retires the key without its private half", undefined, async (store) => {
    await store.viewerTokenKeys.begin(() => key("one"));
    for (const [index, id] of ["two", "three"].entries()) {
      const now = at(index + 1);
      await store.viewerTokenKeys.rotate({ key: key(id, now), now, dropBefore: LONG_AGO });
    }
    const got = await store.viewerTokenKeys.get();
    expect(toPlain(got.signing)).toEqual(key("three", at(2)));
    expect(got.retired.map(toPlain)).toEqual([
      retired("two", at(1), at(2)),
      retired("one", at(0), at(1)),
    ]);
  });

  scenario("a rotation begins where there is no key yet", undefined, async (store) => {
    await store.viewerTokenKeys.rotate({ key: key("one"), now: at(0), dropBefore: LONG_AGO });
    expect((await store.viewerTokenKeys.get()).signing?.id).toBe("one");
  });

  scenario("a rotation drops what was retired before a time", undefined, async (store) => {
    await store.viewerTokenKeys.begin(() => key("one"));
    const rotate = (id: string, hours: number, dropBefore: Date) =>
      store.viewerTokenKeys.rotate({ key: key(id, at(hours)), now: at(hours), dropBefore });
    await rotate("two", 1, LONG_AGO);
    await rotate("three", 2, at(1));
    const ids = async () => (await store.viewerTokenKeys.get()).retired.map(({ id }) => id);
    expect(await ids()).toEqual(["two", "one"]);
    await rotate("four", 3, new Date(at(1).getTime() + 1));
    expect(await ids()).toEqual(["three", "two"]);
    await rotate("five", 4, new Date(at(4).getTime() + 1));
    expect(await ids()).toEqual([]);
  });

  scenario("a rotation to a key that is there changes nothing", undefined, async (store) => {
    await store.viewerTokenKeys.begin(() => key("one"));
    const rotation = { key: key("one"), now: at(1), dropBefore: LONG_AGO };
    await expect(store.viewerTokenKeys.rotate(rotation)).rejects.toMatchObject({
      reason: "ALREADY_EXISTS",
    });
    expect(toPlain((await store.viewerTokenKeys.get()).signing)).toEqual(key("one"));
  });

  scenario("a rotation is a change that other stores see", undefined, async (store, fresh) => {
    const second = await fresh.openAnother();
    const before = second.accessVersion();
    await store.viewerTokenKeys.rotate({ key: key("one"), now: at(0), dropBefore: LONG_AGO });
    await expect.poll(() => second.accessVersion(), { timeout: 1_000 }).not.toBe(before);
    expect((await second.viewerTokenKeys.get()).signing?.id).toBe("one");
  });
}

/** Engines give bytes in types of their own. */
function toPlain<T extends { readonly publicKey: Uint8Array; readonly privateKey?: Uint8Array }>(
  stored: T | undefined,
) {
  return (
    stored && {
      ...stored,
      publicKey: Uint8Array.from(stored.publicKey),
      ...(stored.privateKey && { privateKey: Uint8Array.from(stored.privateKey) }),
    }
  );
}
