/** Draws pseudo-random numbers, deterministic for a seed. */
export interface Random {
  /** Returns an integer from 0 up to, but not including, the limit. */
  below(limit: number): number;
  /** Returns an item, chosen by weight. */
  weighted<T extends { readonly weight: number }>(items: readonly T[]): T;
}

/** Creates a generator (mulberry32) from a 32-bit seed. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
  return {
    below,
    weighted: (items) => {
      let rest = below(items.reduce((sum, item) => sum + item.weight, 0));
      for (const item of items) {
        rest -= item.weight;
        if (rest < 0) return item;
      }
      throw new Error("no items to choose from");
    },
  };
}
