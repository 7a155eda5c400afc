import { expect } from "vitest";

/** Lists a page, of ids, and says where the next one begins. */
export type ListIds<Place> = (page: {
  readonly limit: number;
  readonly after?: Place;
}) => Promise<{ readonly ids: readonly string[]; readonly next?: Place | undefined }>;

/** Reads a list to its end, and holds its pages to their size. */
export async function readAll<Place>(list: ListIds<Place>, limit = 50): Promise<string[]> {
  const all: string[] = [];
  let after: Place | undefined;
  do {
    const { ids, next } = await list({ limit, ...(after !== undefined && { after }) });
    expect(ids.length).toBeLessThanOrEqual(limit);
    if (next !== undefined) expect(next).not.toEqual(after);
    all.push(...ids);
    after = next;
  } while (after !== undefined);
  return all;
}

/**
 * Holds a list to its order: pages of every size have everything once and are full but the last, and one that begins
 * at a place has what is behind it, also where the place itself is gone.
 */
export async function expectPages<Place>(
  list: ListIds<Place>,
  ordered: readonly string[],
  places: readonly (readonly [Place, readonly string[]])[] = [],
): Promise<void> {
  for (let limit = 1; limit <= ordered.length + 1; limit += 1) {
    const sizes: number[] = [];
    const all = await readAll<Place>(async (page) => {
      const got = await list(page);
      sizes.push(got.ids.length);
      return got;
    }, limit);
    expect(all).toEqual(ordered);
    expect(sizes.slice(0, -1).every((size) => size === limit)).toBe(true);
    expect(sizes).toHaveLength(Math.max(1, Math.ceil(ordered.length / limit)));
  }
  for (const [after, want] of places) {
    expect((await list({ limit: 100, after })).ids).toEqual(want);
  }
}
