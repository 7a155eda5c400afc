import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

/** The programs that are looked for. The shell without windows needs less than half the CPU time of the others. */
const NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];

/** True where a machine without Chromium fails the tests that need it. */
export const isChromiumRequired =
  process.env.CI !== undefined || process.env.MARQUEE_TEST_BROWSER === "required";

/** Finds the machine's Chromium; undefined where it has none. */
export function findChromium(): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

/**
 * Starts Chromium without a window; it must be closed. Fails on a machine without it. `loadsPictures`: false to request
 * none.
 */
export async function launchChromium(
  executablePath: string | undefined,
  { loadsPictures = true } = {},
): Promise<Browser> {
  if (executablePath === undefined)
    throw new Error("no Chromium: apt-get install chromium-headless-shell");
  const args = loadsPictures ? [] : ["--blink-settings=imagesEnabled=false"];
  return chromium.launch({ executablePath, headless: true, args });
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
