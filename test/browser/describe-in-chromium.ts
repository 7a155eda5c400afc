import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe } from "vitest";
import { findChromium, isChromiumRequired, launchChromium } from "./chromium.ts";

const program = findChromium();
const isSkipped = program === undefined && !isChromiumRequired;
if (isSkipped) {
  process.stderr.write("\n*** SKIPPED: the browser tests, as this machine has no Chromium ***\n\n");
}

/** Describes tests that share a Chromium, which is there once they run; they are skipped on a machine without it. */
export function describeInChromium(
  name: string,
  tests: (browser: () => Browser) => void,
  { loadsPictures = true } = {},
): void {
  describe.skipIf(isSkipped)(name, () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launchChromium(program, { loadsPictures });
    });
    afterAll(() => browser?.close());
    tests(() => browser);
  });
}

/** Describes tests of the studio in a Chromium, which loads no pictures. */
export function describeStudio(name: string, tests: (browser: () => Browser) => void): void {
  describeInChromium(name, tests, { loadsPictures: false });
}
