import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, Page } from "playwright-core";
import { expect } from "vitest";
import { send } from "../harness/http.ts";
import type { Marquee } from "../harness/marquee.ts";

/** The looks of every screen, each with the rules of axe that may find something new: only contrast depends on the scheme. */
const LOOKS = [
  { width: 1_280, colorScheme: "light", rules: "all" },
  { width: 1_280, colorScheme: "dark", rules: ["color-contrast"] },
  { width: 320, colorScheme: "light", rules: ["color-contrast"] },
  { width: 320, colorScheme: "dark", rules: "all" },
] as const;

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Finds violations alone: to describe each node that passes takes seconds in long lists. */
function findViolations(page: Page, rules: "all" | readonly string[]) {
  const options = { resultTypes: ["violations"], ...(rules !== "all" && { runOnly: rules }) };
  const run = `axe.run(${JSON.stringify(options)}).then((it) => it.violations)`;
  return page.evaluate<readonly Violation[]>(run);
}

/** Returns a function that calls the Studio API as the owner, and expects that it succeeds. */
export function callStudio({ url, tokens }: Marquee) {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON of every form.
  return async (method: string, path: string, body?: object): Promise<any> => {
    const got = await send(method, url + path, { token: tokens.owner, body });
    expect(got.status, got.text).toBe(200);
    return got.json;
  };
}

/** Signs in to the studio by an access token or a preview key. */
export async function signIn(page: Page, url: string, credential: string): Promise<void> {
  await page.goto(`${url}/studio`);
  await page.getByLabel("Access token or preview key").fill(credential);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

/** Opens the studio in a browser, signed in by an access token, at a view such as `#/worldcup/events`. */
export async function openStudio(
  browser: Browser,
  url: string,
  token: string,
  view: string,
): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1_280, height: 900 }, locale: "en-US" });
  await signIn(page, url, token);
  await page.getByRole("navigation", { name: "Sections" }).waitFor();
  await openView(page, view);
  return page;
}

/** Opens another view of a page that is signed in. */
export async function openView(page: Page, view: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(view)}`);
}

/** Holds the requests of a method to a URL; returns a function that lets them go on. */
export async function holdRequests(
  page: Page,
  method: string,
  url: string | RegExp,
): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>();
  await page.route(url, async (route) => {
    if (route.request().method() === method) await held.promise;
    await route.continue();
  });
  return async () => {
    held.resolve();
    await page.unrouteAll({ behavior: "wait" });
  };
}

/** Confirms what an act of the view would do, by the act's own word. */
export async function confirm(page: Page, word: string): Promise<void> {
  await page.getByRole("dialog").getByRole("button", { name: word, exact: true }).click();
}

/** Returns the text below the words of a button, and its alternative. */
export function reasonOf(page: Page, words: string): Promise<string> {
  const button = `[...document.querySelectorAll("button")].find((it) => it.textContent === "${words}")`;
  return page.evaluate<string>(`getComputedStyle(${button}, "::after").content`);
}

/** Expects that axe finds nothing in a screen, wide and narrow, light and dark, and that it does not scroll sideways. */
export async function expectAccessible(page: Page): Promise<void> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  for (const { width, colorScheme, rules } of LOOKS) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    const violations = await findViolations(page, rules);
    const found = violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
    );
    expect({ width, colorScheme, found }).toEqual({ width, colorScheme, found: [] });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
  }
  await page.setViewportSize({ width: 1_280, height: 900 });
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}
