/**
 * Makes the pictures of the documentation: pages as a viewer sees them, the studio with its preview, and each kind of page
 * component. It needs Chromium, and uses the fonts of the machine.
 *
 * Usage: `npm run pictures`
 *
 * @module
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { issueDemoCredentials } from "../demo/credentials.ts";
import { openPictures } from "../demo/picture-endpoint.ts";
import { readDemoRecords } from "../demo/records.ts";
import { importDemoReleases } from "../demo/releases.ts";
import { openSqliteStore } from "../src/storage/sqlite/open.ts";
import { findChromium, launchChromium } from "../test/browser/chromium.ts";
import { startOver } from "../test/harness/marquee.ts";

/** The clock of the service and of the browser, so that the pictures are the same each time. */
const NOW = new Date("2026-11-20T18:30:00Z");

const PICTURES = join(import.meta.dirname, "../docs/pictures");

/** The component of each kind, with its page and the id of the object that the page is about. */
const COMPONENTS: Readonly<Record<string, readonly [id: string, page: string, object?: string]>> = {
  banner_collection: ["banner-team", "team", "team-esp"],
  banner_collection_v2: ["banner-home", "home"],
  calendar: ["calendar-team", "team", "team-esp"],
  calendar_v2: ["calendar-home", "home"],
  content_grid: ["grid-search", "search"],
  creative_work_player: ["player-highlights", "highlights", "highlights-2026-104"],
  event_player: ["player-match", "match", "match-2026-104"],
  faq: ["faq-help", "help"],
  filter: ["filter-home", "home"],
  footer: ["footer-home", "home"],
  html: ["html-player", "player", "player-esp-7"],
  image: ["image-help", "help"],
  offers: ["offers-home", "home"],
  player_profile: ["profile-player", "player", "player-esp-7"],
  promotional_content: ["promo-home-pass", "home"],
  rail: ["rail-home-week", "home"],
  sponsorship_collection: ["sponsors-home", "home"],
  standings: ["standings-2026-h", "tables"],
  text: ["text-match", "match", "match-2026-104"],
};

/** The screens of the studio by the name of their picture, each with its view and a text that it shows when it is ready. */
const SCREENS: Readonly<Record<string, readonly [view: string, shown: string]>> = {
  "studio-home": ["#/worldcup", "Match day"],
  "studio-list": ["#/worldcup/creative-works", "Next"],
  "studio-form": ["#/worldcup/events/match-2026-104", "Spain vs Argentina"],
  "studio-page": ["#/worldcup/pages/page-home", "The final: Spain vs Argentina"],
  "studio-release": ["#/worldcup/releases/knockout-stage", "In the release"],
};

/** Leaves of the preview only what a viewer sees. */
const VIEWER_STYLE = `
  .shell { display: block; }
  .bar, .menu, .preview > :not(.drawing), .controls .note, .panel, .type, section:has(> header .badge) { display: none !important; }
  [data-type^="banner"] > header, [data-type="promotional_content"] > header { display: none !important; }
  #view { padding: 0 1.5rem 1rem; }
  .preview section[data-type] { border-top: 0; margin-top: 0; padding: 1rem 0 0.5rem; }
`;

const WIDTH = 880;
const MAX_HEIGHT = 440;

const folder = mkdtempSync(join(tmpdir(), "marquee-pictures-"));
const store = openSqliteStore(join(folder, "demo.db"));
const server = await startOver(store, {
  clock: () => NOW,
  studio: true,
  endpoints: [openPictures()],
});
const url = server.deliveryUrl;
await store.importRecords(readDemoRecords({ url, now: NOW }), { createSecret: () => "" });
await importDemoReleases(store, NOW, url);
const { accounts } = await issueDemoCredentials(store, undefined, NOW);
const chromium = findChromium();
const browser = await launchChromium(chromium);
// The policy of the preview allows no style of this program.
const context = await browser.newContext({ timezoneId: "UTC", locale: "en-US", bypassCSP: true });
await context.clock.setFixedTime(NOW);
await context.addInitScript(`sessionStorage.setItem("marquee-studio:token", "${accounts.owner}")`);
mkdirSync(PICTURES, { recursive: true });
try {
  await pictureHome();
  await pictureInspector();
  await pictureReleases();
  for (const name of Object.keys(SCREENS)) await pictureScreen(name);
  for (const kind of Object.keys(COMPONENTS)) await pictureComponent(kind);
} finally {
  await browser.close();
  await server.close(1_000);
  await store.close();
  rmSync(folder, { recursive: true });
}

/** Makes the picture of the home page as a viewer sees it. */
async function pictureHome(): Promise<void> {
  const page = await openPreview({ page: "home" }, { width: 1200, height: 1080 });
  await page.addStyleTag({ content: VIEWER_STYLE });
  await settle(page);
  writeFileSync(join(PICTURES, "home.webp"), await toWebp(await page.screenshot()));
  await page.close();
}

/** Makes the picture of the inspector: the filter of a rail, and a playback decision. */
async function pictureInspector(): Promise<void> {
  const choices = { page: "home", session: '{"season":"2022"}', country: "US" };
  const page = await openPreview(choices, { width: 1280, height: 1050 });
  await page.getByLabel("Inspect Finals").click();
  const rail = page.locator("#rail-home-finals");
  await rail.getByText("GEO_NOT_ALLOWED").waitFor();
  // The time is the only line that differs from run to run.
  await rail.getByText("Time", { exact: true }).evaluate((it) => {
    it.nextElementSibling?.remove();
    it.remove();
  });
  await rail.evaluate((it) => it.scrollIntoView());
  await settle(page);
  writeFileSync(join(PICTURES, "preview-inspect.webp"), await toWebp(await page.screenshot()));
  await page.close();
}

/** Makes the picture of a preview through two releases, with a conflict. */
async function pictureReleases(): Promise<void> {
  const choices = { page: "home", release: "knockout-stage", time: "2026-11-21T20:00" };
  const page = await openPreview(choices, { width: 1280, height: 1050 });
  await page.locator(".conflicts").waitFor();
  await settle(page);
  writeFileSync(join(PICTURES, "preview-releases.webp"), await toWebp(await page.screenshot()));
  await page.close();
}

/** Makes the picture of a screen of the studio. */
async function pictureScreen(name: string): Promise<void> {
  const [view = "", shown = ""] = SCREENS[name] ?? [];
  const page = await context.newPage();
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`${url}/studio${view}`);
  await page.locator("main").getByText(shown).first().waitFor();
  await settle(page);
  writeFileSync(join(PICTURES, `${name}.webp`), await toWebp(await page.screenshot()));
  await page.close();
}

/** Makes the picture of a kind of component. */
async function pictureComponent(kind: string): Promise<void> {
  const [id = "", slug = "", object] = COMPONENTS[kind] ?? [];
  const parameters = object === undefined ? "" : JSON.stringify({ id: object });
  const page = await openPreview({ page: slug, parameters }, { width: WIDTH, height: 1000 });
  await page.addStyleTag({ content: VIEWER_STYLE });
  const component = page.locator(`#${id}`);
  if (kind === "faq") await component.locator("summary", { hasText: "?" }).first().click();
  await component.evaluate((it) => it.scrollIntoView());
  await settle(page);
  const box = await component.boundingBox();
  if (box === null) throw new Error(`${id} is not shown`);
  const height = Math.min(box.height, MAX_HEIGHT);
  const picture = await page.screenshot({ clip: { ...box, x: 0, width: WIDTH, height } });
  writeFileSync(join(PICTURES, `${kind.replaceAll("_", "-")}.webp`), await toWebp(picture));
  await page.close();
}

/** Opens the preview with some choices, and waits until it shows their page. */
async function openPreview(
  choices: Readonly<Record<string, string>>,
  viewport: { readonly width: number; readonly height: number },
): Promise<Page> {
  const page = await context.newPage();
  await page.setViewportSize(viewport);
  await page.goto(`${url}/studio#/worldcup/preview?${new URLSearchParams(choices)}`);
  await page.locator("h1").waitFor();
  return page;
}

/** Waits until everything is loaded that is in sight. */
async function settle(page: Page): Promise<void> {
  await page.waitForLoadState("networkidle");
  await page.evaluate("Promise.all([...document.images].map((it) => it.complete && it.decode()))");
}

/** Converts a PNG to WebP, by the browser. */
async function toWebp(png: Buffer): Promise<Buffer> {
  const page = await context.newPage();
  const dataUrl = await page.evaluate<string>(`(async () => {
    const image = new Image();
    image.src = "data:image/png;base64,${png.toString("base64")}";
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width, image.height];
    canvas.getContext("2d").drawImage(image, 0, 0);
    return canvas.toDataURL("image/webp", 0.9);
  })()`);
  await page.close();
  return Buffer.from(dataUrl.split(",")[1] ?? "", "base64");
}
