import { expect, test } from "vitest";
import {
  DEFAULT_PLAYBACK_LIMITS as LIMITS,
  toPlaylistEnd,
} from "../../../src/domain/protection/playback-limits.ts";

test.each([
  [false, Infinity, 6 * 3_600],
  [true, Infinity, 330],
  [false, 60_000, 60],
  [false, 60_999, 60],
  [true, 60_000, 60],
  [true, 331_000, 330],
])("a URL with counted streams %s until %d ends after %d seconds", (isCounted, until, want) => {
  expect(toPlaylistEnd(LIMITS, { isCounted, until }, new Date(0))).toEqual(new Date(want * 1_000));
});
