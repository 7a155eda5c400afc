import { expect } from "vitest";
import type { Scenario } from "./scenario.ts";

/** Holds the store of secrets. */
export function secretContract(scenario: Scenario): void {
  scenario("a secret is made once and kept byte for byte", undefined, async (store) => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    let made = 0;
    const create = () => {
      made += 1;
      return bytes;
    };
    const first = await store.secrets.getOrCreate("key", create);
    const second = await store.secrets.getOrCreate("key", create);
    expect([...first]).toEqual([...bytes]);
    expect([...second]).toEqual([...bytes]);
    expect(made).toBe(1);
  });

  scenario("each name has a secret of its own", undefined, async (store) => {
    for (const [index, name] of ["key", "Key", "key "].entries()) {
      await store.secrets.getOrCreate(name, () => Uint8Array.of(index));
    }
    const fail = (): never => {
      throw new Error("it exists");
    };
    expect([...(await store.secrets.getOrCreate("Key", fail))]).toEqual([1]);
  });

  scenario("all secrets are made again after they are cleared", undefined, async (store) => {
    const get = async (name: string, byte: number) => [
      ...(await store.secrets.getOrCreate(name, () => Uint8Array.of(byte))),
    ];
    expect([await get("a", 1), await get("b", 2)]).toEqual([[1], [2]]);
    await store.secrets.clear();
    expect([await get("a", 3), await get("b", 4)]).toEqual([[3], [4]]);
  });

  scenario("a secret that cannot be made is not kept", undefined, async (store) => {
    const error = new Error("no");
    await expect(
      store.secrets.getOrCreate("key", () => {
        throw error;
      }),
    ).rejects.toBe(error);
    expect([...(await store.secrets.getOrCreate("key", () => Uint8Array.of(7)))]).toEqual([7]);
  });

  scenario("two stores that ask at once get the same", undefined, async (store, fresh) => {
    const second = await fresh.openAnother();
    let made = 0;
    const asks = Array.from({ length: 40 }, (_, index) =>
      (index % 2 === 0 ? store : second).secrets.getOrCreate("key", () => {
        made += 1;
        return Uint8Array.of(made, index);
      }),
    );
    const got = (await Promise.all(asks)).map((it) => [...it].join());
    expect(new Set(got).size).toBe(1);
    expect(made).toBe(1);
  });
}
