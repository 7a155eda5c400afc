import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { callDelivery } from "../api/delivery.ts";
import { captureLog } from "../harness/captured-log.ts";
import { type Marquee, startMarquee } from "../harness/marquee.ts";
import { findChromium, isChromiumRequired, launchChromium } from "./chromium.ts";
import type { SiteSettings } from "./site/settings.ts";
import { type Site, startSite } from "./site-server.ts";

const chromium = findChromium();
const isSkipped = chromium === undefined && !isChromiumRequired;
if (isSkipped) {
  process.stderr.write("\n*** SKIPPED: the browser tests, as this machine has no Chromium ***\n\n");
}

const GET_PAGE = "/svc.cda.ott.page.v1.PageService/GetPage";
const LIST_PAGES = "/svc.cda.ott.page.v1.PageService/ListPages";
const EXCHANGE_TOKEN = "/svc.cda.iam.auth.v1.AuthService/ExchangeToken";
const HOME = { slug: "home", includeItems: true, environment: "web" };

/** During the last World Cup, so that matches are to come. */
const NOW = new Date("2026-06-20T12:00:00Z");

interface Section {
  readonly id: string;
  readonly type: string;
  readonly title: string;
  readonly items: readonly { readonly id: string; readonly title: string }[];
}

describe.skipIf(isSkipped)("a website on another origin", () => {
  const { log, lines } = captureLog();
  let marquee: Marquee;
  let site: Site;
  let browser: Browser;
  let page: Page;
  /** What the browser says is wrong: on its console, of scripts, of requests without an answer. */
  const faults: string[] = [];
  /** Method and status of every answer on the wire to a path of the service. */
  const answersTo = (wanted: string) =>
    lines.filter(({ path }) => path === wanted).map(({ method, status }) => `${method} ${status}`);

  beforeAll(async () => {
    if (chromium === undefined) throw new Error("no Chromium: apt-get install chromium");
    [marquee, site, browser] = await Promise.all([
      startMarquee({ log, clock: () => NOW }),
      startSite(),
      launchChromium(chromium),
    ]);
    page = await browser.newPage();
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) faults.push(message.text());
    });
    page.on("pageerror", (fault) => faults.push(String(fault)));
    page.on("requestfailed", (request) => faults.push(`${request.url()} got no answer`));
    await page.goto(`${site.origin}/#${encodeURIComponent(JSON.stringify(await settings()))}`);
    await isReady();
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
    await marquee?.close();
  });

  async function settings(): Promise<SiteSettings> {
    const vendorIdToken = await marquee.identityProvider.sign({
      subject: "viewer-1",
      audience: "marquee-demo",
      issueTime: NOW,
      expireTime: new Date(NOW.getTime() + 60_000),
    });
    return {
      deliveryUrl: marquee.server.deliveryUrl,
      publicKey: marquee.keys.public,
      vendorIdToken,
    };
  }

  async function isReady(): Promise<void> {
    const shown = page.locator("body[data-ready]").waitFor({ state: "attached", timeout: 50_000 });
    await shown.catch((fault: unknown) => {
      throw new Error([String(fault), ...faults].join("\n"));
    });
  }

  const readSections = (): Promise<Section[]> =>
    page.locator("section").evaluateAll((sections) =>
      sections.map((section) => ({
        id: section.id,
        type: section.dataset.type ?? "",
        title: section.querySelector("h2")?.textContent ?? "",
        items: [...section.querySelectorAll("li")].map((entry) => ({
          id: entry.dataset.id ?? "",
          title: entry.textContent ?? "",
        })),
      })),
    );

  test("runs on an origin that is not the service's", () => {
    expect(new URL(page.url()).origin).toBe(site.origin);
    expect(site.origin).not.toBe(marquee.server.deliveryUrl);
  });

  test("shows the home page: every component in order, each item with its title", async () => {
    const { json } = await callDelivery(marquee, GET_PAGE.slice(1), HOME);
    const got = await readSections();
    expect(got.map(({ id }) => id)).toEqual(
      json.components.map((it: { component: { id: string } }) => it.component.id),
    );
    const items = json.components.flatMap((it: { items?: Record<string, { id: string }>[] }) =>
      (it.items ?? []).flatMap((item) => Object.values(item).map(({ id }) => id)),
    );
    expect(got.flatMap((it) => it.items.map(({ id }) => id).filter((id) => id !== ""))).toEqual(
      items,
    );
    expect(got.filter(({ title }) => title === "")).toEqual([]);
    expect(got.flatMap((it) => it.items).filter(({ title }) => title === "")).toEqual([]);
    expect(await page.title()).toBe("Home");
  });

  test("shows what the demo's home page holds", async () => {
    const sections = new Map((await readSections()).map((section) => [section.id, section]));
    const titlesOf = (id: string) => sections.get(id)?.items.map(({ title }) => title) ?? [];
    expect(titlesOf("banner-home")).toEqual([
      "The final: Spain vs Argentina",
      "The best of the final",
      "Scarves and shirts",
    ]);
    const rails = [...sections.values()].filter(({ type }) => type === "rail");
    expect(rails.map(({ title }) => title)).toEqual([
      "Coming up",
      "Matches",
      "Finals",
      "Highlights",
      "Teams",
    ]);
    expect(rails.map(({ items }) => items.length > 2)).toEqual(rails.map(() => true));
    expect(titlesOf("rail-home-matches").slice(0, 2)).toEqual([
      "Spain vs Argentina",
      "Argentina vs France",
    ]);
    expect(titlesOf("calendar-home")).not.toEqual([]);
    expect(sections.get("offers-home")?.title).toBe("Choose your pass");
    expect([...sections.keys()].filter((id) => /draft|notice/.test(id))).toEqual([]);
  });

  test("shows no variable", async () => {
    expect(await page.locator("body").innerText()).not.toMatch(/[{}]/);
  });

  test("calls by GET, after a preflight, and gets 200", () => {
    for (const path of [GET_PAGE, LIST_PAGES]) {
      expect(answersTo(path).slice(0, 2)).toEqual(["OPTIONS 204", "GET 200"]);
    }
  });

  test("may read the headers that CORS exposes", async () => {
    const names = (await page.locator("body").getAttribute("data-getpage")) ?? "";
    expect(names.split(" ")).toEqual(
      expect.arrayContaining(["cache-control", "content-type", "etag"]),
    );
  });

  test("signs a viewer in by POST, after a preflight", async () => {
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.locator("output:not(:empty)").waitFor({ timeout: 50_000 });
    expect(await page.locator("output").innerText()).toMatch(/^viewer-1 \w+\.\w+\.\S+$/);
    expect(answersTo(EXCHANGE_TOKEN)).toEqual(["OPTIONS 204", "POST 200"]);
  });

  test("asks again with If-None-Match when it is loaded again, and gets 304", async () => {
    const links = await page.locator("nav").innerText();
    const before = answersTo(LIST_PAGES).length;
    await page.reload();
    await isReady();
    await vi.waitFor(() => expect(answersTo(LIST_PAGES).slice(before)).toContain("GET 304"), 5_000);
    expect(answersTo(LIST_PAGES).slice(before)).not.toContain("GET 200");
    expect(links).toContain("Home");
    expect(await page.locator("nav").innerText()).toBe(links);
  });

  test("leaves nothing on the browser's console", () => {
    expect(faults).toEqual([]);
  });
});
