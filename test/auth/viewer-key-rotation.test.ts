import { decodeProtectedHeader } from "jose";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openViewerTokens, type ViewerTokens } from "../../src/auth/viewer-token.ts";
import { rotateViewerTokenKeys, VIEWER_TOKEN_LIFETIME } from "../../src/auth/viewer-token-key.ts";
import { type FreshStore, openFresh } from "../harness/fresh-store.ts";
import { override } from "../harness/override.ts";
import { ALPHA, createSmallDataset } from "../storage/small-dataset.ts";

const NOW = new Date("2026-06-01T12:00:00Z");
const HOUR = 3_600_000;
const later = (time: number) => new Date(NOW.getTime() + time);
const VIEWER = { projectId: ALPHA, userId: "u" };

let fresh: FreshStore;
let one: ViewerTokens;
let two: ViewerTokens;
beforeEach(async () => {
  fresh = await openFresh(createSmallDataset());
  one = await openViewerTokens(fresh.store, NOW);
  two = await openViewerTokens(await fresh.openAnother(), NOW);
});
afterEach(() => fresh.close());

const rotate = (now: Date) => rotateViewerTokenKeys(fresh.store.viewerTokenKeys, now);
const sign = (tokens: ViewerTokens, now: Date) =>
  tokens.sign(VIEWER, now, new Date(now.getTime() + VIEWER_TOKEN_LIFETIME));
const idOf = (token: string) => decodeProtectedHeader(token).kid;
const listIds = async (tokens: ViewerTokens, now: Date) =>
  (await tokens.getKeySet(now)).keys.map(({ kid }) => kid);

describe("behind a rotation", () => {
  test("the new key signs: here at once, in other processes within a second", async () => {
    const before = idOf(await sign(two, NOW));
    const id = await rotate(NOW);
    expect(idOf(await sign(one, NOW))).toBe(id);
    // A busy machine takes longer.
    await expect
      .poll(async () => idOf(await sign(two, NOW)), { timeout: 10_000, interval: 20 })
      .toBe(id);
    expect(id).not.toBe(before);
    expect(await listIds(two, NOW)).toEqual([id, before]);
  });

  test("a token of the new key holds everywhere, also where nobody knows of it yet", async () => {
    await sign(two, NOW);
    await rotate(NOW);
    expect(await two.verify(await sign(one, NOW), NOW)).toMatchObject(VIEWER);
  });

  test("a token of the old key holds to its end, wherever it was signed last", async () => {
    const last = await sign(two, NOW);
    await rotate(NOW);
    const end = later(VIEWER_TOKEN_LIFETIME - 1_000);
    for (const tokens of [one, two]) expect(await tokens.verify(last, end)).toMatchObject(VIEWER);
  });

  test("the old key falls away when no token of it can hold any more", async () => {
    const before = idOf(await sign(one, NOW));
    const forged = await one.sign(VIEWER, NOW, later(100 * HOUR));
    const id = await rotate(NOW);
    const last = later(VIEWER_TOKEN_LIFETIME + 59_999);
    const gone = later(VIEWER_TOKEN_LIFETIME + 60_000);
    expect(await listIds(one, last)).toEqual([id, before]);
    expect(await one.verify(forged, last)).toMatchObject(VIEWER);
    expect(await listIds(one, gone)).toEqual([id]);
    await expect(one.verify(forged, gone)).rejects.toMatchObject({ reason: "SIGNATURE_INVALID" });
    // The key that signs never falls away by itself.
    expect(await listIds(one, later(10_000 * HOUR))).toEqual([id]);
  });

  test("another rotation drops such a key from the database", async () => {
    await rotate(NOW);
    await rotate(later(HOUR));
    expect((await fresh.store.viewerTokenKeys.get()).retired).toHaveLength(2);
    await rotate(later(13 * HOUR));
    expect((await fresh.store.viewerTokenKeys.get()).retired).toHaveLength(2);
    await rotate(later(48 * HOUR));
    expect((await fresh.store.viewerTokenKeys.get()).retired).toHaveLength(1);
  });
});

describe("a rotation 12 hours after another", () => {
  const last = VIEWER_TOKEN_LIFETIME + 60_000;

  test.each<[string, number, boolean]>([
    [
      "and 30 seconds keeps the key between, whose tokens hold by other clocks",
      last - 30_000,
      true,
    ],
    ["and a minute keeps it", last, true],
    ["and a moment more than a minute drops it", last + 1, false],
  ])("%s", async (_what, time, isKept) => {
    const before = idOf(await sign(one, NOW));
    await rotate(NOW);
    await rotate(later(time));
    const { retired } = await fresh.store.viewerTokenKeys.get();
    expect(retired.some(({ id }) => id === before)).toBe(isKept);
  });

  test("leaves the last tokens of the key before it to hold", async () => {
    const token = await one.sign(VIEWER, NOW, later(VIEWER_TOKEN_LIFETIME + 45_000));
    await rotate(NOW);
    const time = later(VIEWER_TOKEN_LIFETIME + 30_000);
    await rotate(time);
    for (const tokens of [one, two]) expect(await tokens.verify(token, time)).toMatchObject(VIEWER);
  });
});

test("a database that was away for a moment is asked again", async () => {
  let isAway = true;
  const away = new Error("away");
  let version = 0;
  const { access, viewerTokenKeys } = fresh.store;
  const tokens = await openViewerTokens(
    {
      access,
      accessVersion: () => version,
      viewerTokenKeys: override(viewerTokenKeys, {
        get: () => (isAway ? Promise.reject(away) : viewerTokenKeys.get()),
      }),
    },
    NOW,
  );
  await expect(sign(tokens, NOW)).rejects.toBe(away);
  isAway = false;
  const token = await sign(tokens, NOW);
  // What is known is known: without a change nobody asks.
  isAway = true;
  expect(await tokens.verify(token, NOW)).toMatchObject(VIEWER);
  version += 1;
  await expect(tokens.verify(token, NOW)).rejects.toBe(away);
});
