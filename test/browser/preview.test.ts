import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DemoLink } from "../../demo/demo-link.ts";
import { send } from "../harness/http.ts";
import { startOver } from "../harness/marquee.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { findChromium, isChromiumRequired, launchChromium } from "./chromium.ts";

const chromium = findChromium();
const isSkipped = chromium === undefined && !isChromiumRequired;

/** During the last World Cup, so that matches are to come. */
const NOW = new Date("2026-06-20T12:00:00Z");

const BUNDLE = join(import.meta.dirname, "../../web/preview/dist");

const marquee = await useMarquee({ studio: true, clock: () => NOW });

describe("the endpoint of the preview", () => {
  test("serves the page with a strict policy, and 304 to a browser that has it", async () => {
    const got = await send("GET", `${marquee.url}/preview`);
    expect([got.status, got.headers.get("content-type")]).toEqual([
      200,
      "text/html; charset=utf-8",
    ]);
    expect(got.text).not.toMatch(/<script(?![^>]* src=)|<style|style=| on\w+=/);
    const policy = got.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    const headers = { "if-none-match": got.headers.get("etag") ?? "" };
    expect((await send("GET", `${marquee.url}/preview`, { headers })).status).toBe(304);
  });

  test("is not there when it is off", async () => {
    const server = await startOver(marquee.store, { clock: () => NOW, runsActions: false });
    for (const path of ["/preview", "/preview/preview.js"]) {
      expect((await send("GET", server.studioUrl + path)).status).toBe(404);
      expect((await send("GET", marquee.url + path)).status).toBe(200);
    }
    await server.close(1_000);
  });

  test("is below 150 kB with all that it loads", () => {
    const names = readdirSync(BUNDLE, { recursive: true, encoding: "utf8" });
    const files = names.map((name) => statSync(join(BUNDLE, name))).filter((it) => it.isFile());
    const sizes = files.map(({ size }) => size);
    expect(sizes).toHaveLength(3);
    expect(sizes.reduce((sum, it) => sum + it)).toBeLessThan(150_000);
  });
});

describe("a preview key", () => {
  const list = (key: string, country?: string) => {
    const request = { filter: "id: match-2022-64", excludeGeoblocked: true };
    const message = encodeURIComponent(JSON.stringify(request));
    const path = "svc.cda.cms.event.v1.EventService/ListEvents";
    const headers = {
      authorization: `Bearer ${key}`,
      ...(country !== undefined && { "x-preview-country": country }),
    };
    return send("GET", `${marquee.url}/${path}?encoding=json&message=${message}`, { headers });
  };

  test("gets the surrogate keys of a response that nobody keeps", async () => {
    const got = await list(marquee.keys.preview, "DE");
    expect(got.headers.get("cache-control")).toBe("private, no-store");
    expect(got.headers.get("surrogate-key")?.split(" ")).toContain("worldcup/events/match-2022-64");
  });

  test("sees what is shown in a country; a public key does not", async () => {
    const { preview, public: own } = marquee.keys;
    const countOf = async (key: string, country: string) =>
      (await list(key, country)).json.events?.length ?? 0;
    expect(await countOf(preview, "DE")).toBe(1);
    expect(await countOf(preview, "US")).toBe(0);
    expect(await countOf(own, "US")).toBe(await countOf(own, "DE"));
    const got = await list(preview, "Korea");
    expect([got.status, got.json.details[0].debug.reason]).toEqual([400, "COUNTRY_CODE_INVALID"]);
  });
});

describe.skipIf(isSkipped)("the preview in a browser", () => {
  let browser: Browser;
  let page: Page;
  /** What the browser says is wrong. */
  const errors: string[] = [];
  const region = (name: string) => page.getByRole("region", { name, exact: true });
  const status = () => page.getByRole("status").innerText();
  /** Waits until the page that was last chosen is drawn. */
  const isShown = () => page.locator("#content:not([aria-busy])").waitFor();
  const statusOf = (text: RegExp) => page.getByRole("status").filter({ hasText: text }).waitFor();

  beforeAll(async () => {
    // No test looks at the demo's pictures, whose URL is that of another port.
    browser = await launchChromium(chromium, { loadsPictures: false });
    page = await browser.newPage({ timezoneId: "UTC", locale: "en" });
    page.setDefaultTimeout(15_000);
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) errors.push(message.text());
    });
    await page.goto(`${marquee.url}/preview`);
    await page.getByLabel("Preview key").fill(marquee.keys.preview);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
  });
  afterAll(() => browser?.close());

  test("keeps the key out of the address", () => {
    expect(page.url()).toBe(`${marquee.url}/preview`);
  });

  test("is opened by the link of the demo with one click, and once", async () => {
    const link = new DemoLink();
    const options = { studio: true, runsActions: false, endpoints: [link.endpoint] };
    const server = await startOver(marquee.store, options);
    const { studioUrl, deliveryUrl } = server;
    const url =
      link.create(
        studioUrl,
        { accessToken: marquee.tokens.owner, key: marquee.keys.preview, deliveryUrl },
        new Date(),
      ) ?? "";
    for (const width of [320, 1280]) {
      const other = await browser.newPage({ viewport: { width, height: 700 } });
      await other.goto(url);
      expect(await other.evaluate("document.documentElement.scrollWidth")).toBe(width);
      await other.getByRole("link", { name: "Open the preview" }).click();
      if (width === 320) await other.getByRole("heading", { level: 1, name: "Home" }).waitFor();
      else await other.getByRole("status").filter({ hasText: "The link is used" }).waitFor();
      expect(other.url()).toBe(`${studioUrl}/preview`);
      await other.close();
    }
    await server.close(1_000);
  });

  test("draws banners, rails, a calendar by day, offers with prices, and what only a preview key sees", async () => {
    expect(await region("Stage").getByRole("listitem").allInnerTexts()).toEqual(
      expect.arrayContaining([expect.stringContaining("The final: Spain vs Argentina")]),
    );
    expect(await region("Matches").getByRole("listitem").count()).toBe(24);
    const days = region("Match calendar").getByRole("heading", { level: 3 });
    expect(await days.first().innerText()).toBe("Thursday, June 14, 2018");
    await page.getByLabel("Day", { exact: true }).fill("2026-07-19");
    await region("Match calendar").getByText("Sunday, July 19, 2026").waitFor();
    expect(await days.count()).toBe(1);
    expect(await region("Choose your pass").innerText()).toContain("€14.99 each month");
    expect(await region("Opening matches").innerText()).toContain("hidden");
  });

  test("opens the calendar on the day of the browser, and draws posters tall", async () => {
    const poster = region("Highlights").locator(".art").first();
    const { width = 0, height = 0 } = (await poster.boundingBox()) ?? {};
    expect(height / width).toBeCloseTo(1.5, 1);
    // The clock of a page is that of its context.
    const other = await browser.newPage({ timezoneId: "UTC", locale: "en" });
    await other.clock.setFixedTime(NOW);
    await other.goto(`${marquee.url}/preview`);
    await other.getByLabel("Preview key").fill(marquee.keys.preview);
    await other.keyboard.press("Enter");
    const calendar = other.getByRole("region", { name: "Match calendar", exact: true });
    await calendar.getByRole("heading", { level: 3, name: "Saturday, June 20, 2026" }).waitFor();
    // The calendar turns to the day when its items have come.
    const day = calendar.getByLabel("Day", { exact: true });
    await expect.poll(() => day.inputValue()).toBe("2026-06-20");
    expect(await calendar.getByRole("heading", { level: 3 }).count()).toBe(1);
    await other.close();
  });

  test("narrows lists by a chip until it is pressed again", async () => {
    const chip = page.getByRole("button", { name: "knockout" });
    const finals = region("Matches").getByText("Spain vs Argentina");
    for (const [pressed, isNarrowed] of [["true", true] as const, ["false", false] as const]) {
      await chip.press("Enter");
      await isShown();
      expect(await chip.getAttribute("aria-pressed")).toBe(pressed);
      expect(decodeURIComponent(page.url()).includes('"stage":"knockout"')).toBe(isNarrowed);
      expect(await region("Today and tonight").getByText("Hidden:").count()).toBe(+isNarrowed);
      expect(await finals.count()).toBe(1);
    }
  });

  test("explains a component: its filter, what the session drops, times and surrogate keys", async () => {
    await page.getByLabel("Season", { exact: true }).selectOption("2022");
    await isShown();
    await page.getByLabel("Inspect All matches").press("Enter");
    const matches = region("Matches");
    await matches.getByText('content_type: match AND fields.season.id: "2022"').waitFor();
    await matches.getByText("worldcup/page_components/rail-home-matches").waitFor();
    const text = await matches.innerText();
    expect(text).toMatch(/entity_ids: \{team\.ids\}\s+UNSET/);
    expect(text).toMatch(/\d ms in the browser, [\d.]+ ms to the first byte/);
    expect(text).toContain("Not known: the decision is simulated with an access token.");
    await page.getByLabel("Session values").fill('{"shoe": 1}');
    await page.keyboard.press("Tab");
    await region("Finals").waitFor();
    await region("Matches").getByText("Hidden: the session sets shoe").first().waitFor();
    await page.getByLabel("Session values").fill("");
    await page.keyboard.press("Tab");
    await page.waitForURL((url) => !url.hash.includes("shoe"));
  });

  test("changes environment and page by the keyboard", async () => {
    await region("Every goal, every match").waitFor();
    await page.getByLabel("Environment").focus();
    await page.keyboard.type("tvos");
    await statusOf(/^Home: 16 components/);
    expect(await region("Every goal, every match").count()).toBe(0);
    await page.getByLabel("Page", { exact: true }).focus();
    await page.keyboard.type("Player");
    await statusOf(/^Player: /);
    const dropped = await page.getByRole("table", { name: "Dropped components" }).innerText();
    expect(dropped).toContain("VARIABLE_UNRESOLVED: a variable has no value: {id}");
    expect(dropped).toContain("Profile (profile-player)");
    expect(await page.locator(":focus").getAttribute("id")).toBe("slug");
  });

  test("shows a player's chapters, and the playback decision with its rules for a viewer", async () => {
    await page.getByText("More", { exact: true }).press("Enter");
    await page
      .getByLabel("Access token, for releases and playback decisions")
      .fill(marquee.tokens.owner);
    await page.keyboard.press("Enter");
    await page.getByLabel("Page", { exact: true }).selectOption("match");
    await page.getByLabel("Parameter id").fill("match-2026-104");
    await page.keyboard.press("Tab");
    await page.getByRole("heading", { level: 1, name: "Match: Spain vs Argentina" }).waitFor();
    await page.getByText("type-goal 106′").waitFor();
    await page.getByLabel("Inspect Match player").press("Enter");
    const rules = page.getByRole("table", { name: "Rules, in order of evaluation" });
    await rules.getByText("geo_restrictions").waitFor();
    expect(await rules.getByRole("row").count()).toBe(8);
    expect(await region("Match player").innerText()).toContain("✓ Plays");
  });

  test("names every control, and has one main heading and landmarks", async () => {
    const tree = await page.locator("body").ariaSnapshot();
    expect(tree).toMatch(/- combobox "Environment"/);
    expect(tree).not.toMatch(
      /- (?:button|checkbox|combobox|form|link|region|searchbox|table|textbox)\b(?! ")/,
    );
    expect(await page.getByRole("heading", { level: 1 }).count()).toBe(1);
    expect(await page.getByRole("main").count()).toBe(1);
    expect(await page.getByRole("form").count()).toBe(2);
    expect(await status()).toMatch(/^Match: \d+ components/);
  });

  test("proposes the items of a page that has none, in its field and as links", async () => {
    await page.getByLabel("Page", { exact: true }).selectOption("team");
    const links = page.locator("#suggestions a");
    await links.first().waitFor();
    const options = page.locator("#proposals option");
    expect(await options.allInnerTexts()).toEqual(await links.allInnerTexts());
    const ids = await options.evaluateAll((all) => all.map((it) => it.getAttribute("value")));
    expect(ids).toEqual(Array(5).fill(expect.stringMatching(/^team-/)));
    expect(await page.getByLabel("Parameter id").getAttribute("list")).toBe("proposals");
    const name = await links.first().innerText();
    await links.first().click();
    await page.getByRole("heading", { level: 1, name: `Team: ${name}` }).waitFor();
    expect(await page.getByLabel("Parameter id").inputValue()).toBe(ids[0]);
    expect(await links.first().isVisible()).toBe(false);
    await page.getByLabel("Page", { exact: true }).selectOption("home");
    await statusOf(/^Home/);
  });

  test("marks variables in texts in which delivery replaces none", async () => {
    const url = `${marquee.url}/ott/page_components/v2/footer-home`;
    const rename = async (title: string) => {
      const links = [{ title: { en: title }, url: "https://good.example/" }];
      const body = { page_component_update: { footer: { links } }, update_mask: "footer" };
      const got = await send("PATCH", url, { token: marquee.tokens.owner, body });
      expect(got.status).toBe(200);
    };
    await rename("About {event.title} {a: 1} {}");
    await page.reload();
    await statusOf(/^Home/);
    const footer = region("Footer");
    expect(await footer.locator("mark").allInnerTexts()).toEqual(["{event.title}"]);
    expect(await footer.innerText()).toContain("Marked: variables that the Delivery API does not");
    expect(await footer.locator("a").innerText()).toBe("About {event.title} {a: 1} {}");
    expect(await page.locator("mark").count()).toBe(1);
  });

  test("explains why no item matches: warnings, and the items that each condition matches alone", async () => {
    const filter = "contentType: match and content_type: press_conference and id: *";
    const rail = { title: { en: "Finals" }, type: "BASE_TYPE_EVENT", filter };
    const url = `${marquee.url}/ott/page_components/v2/rail-home-finals`;
    const body = { page_component_update: { rail }, update_mask: "rail" };
    expect((await send("PATCH", url, { token: marquee.tokens.owner, body })).status).toBe(200);
    await page.reload();
    await statusOf(/^Home/);
    const conditions = region("Finals").getByRole("table", { name: "Items that each condition" });
    await conditions.waitFor();
    expect(await conditions.getByRole("row").allInnerTexts()).toEqual([
      "Condition\tItems",
      "contentType: match\t0",
      "content_type: press_conference\t3",
      "id: *\t299",
    ]);
    expect(await region("Finals").innerText()).toMatch(
      /No item matches\.\s+filter: no resource has a field "contentType"; did you mean "content_type"\?/,
    );
  });

  test("keeps the choices when the skip link is used", async () => {
    const { hash } = new URL(page.url());
    expect(hash).toContain("home");
    await page.getByRole("link", { name: "Skip to the page" }).press("Enter");
    expect(await page.locator(":focus").getAttribute("id")).toBe("page");
    expect(new URL(page.url()).hash).toBe(hash);
  });

  describe("at a width of 390 pixels", () => {
    let narrow: Page;
    const topOf = async (selector: string) =>
      (await narrow.locator(selector).boundingBox())?.y ?? Number.NaN;
    beforeAll(async () => {
      narrow = await browser.newPage({ viewport: { width: 390, height: 844 } });
      await narrow.goto(`${marquee.url}/preview`);
    });
    afterAll(() => narrow?.close());

    test("the key is entered first", async () => {
      expect(await topOf("#connection")).toBeLessThan(await topOf("#status"));
    });

    test("the page comes before its choices, which a link opens", async () => {
      await narrow.getByLabel("Preview key").fill(marquee.keys.preview);
      await narrow.keyboard.press("Enter");
      await narrow.getByRole("heading", { level: 1, name: "Home" }).waitFor();
      expect(await topOf("h1")).toBeLessThan(200);
      expect(await topOf("#choices")).toBeGreaterThan(await topOf("#content"));
      expect(await narrow.evaluate("document.documentElement.scrollWidth")).toBe(390);
      await narrow.getByRole("link", { name: "Change page, releases and viewer" }).click();
      expect(await narrow.locator(":focus").getAttribute("id")).toBe("choices");
      expect(await topOf("#choices")).toBeLessThan(844);
    });
  });

  describe("a new project", () => {
    let opened: Page;
    const create = async (path: string, body: object) => {
      const got = await send("POST", marquee.url + path, { token: marquee.tokens.owner, body });
      expect(got.status, got.text).toBe(200);
      return got.json;
    };
    beforeAll(async () => {
      const organization = { organization_id: "org-worldcup", name: "New" };
      await create("/iam/projects/v1?project_id=new-project", organization);
      const kind = { kind: "PROJECT_KEY_KIND_PREVIEW", project_id: "new-project" };
      const { key } = await create("/iam/project_keys/v1", kind);
      opened = await browser.newPage();
      opened.setDefaultTimeout(15_000);
      await opened.goto(`${marquee.url}/preview`);
      await opened.getByLabel("Preview key").fill(key);
      await opened.keyboard.press("Enter");
    });
    afterAll(() => opened?.close());

    test("without pages says so, and how to create one", async () => {
      await opened.getByText("The project has no pages.").waitFor();
      expect(await opened.getByRole("main").innerText()).toContain("POST /ott/pages/v1");
      expect(await opened.locator("#choices").isVisible()).toBe(false);
    });

    test("opens at home or index, else at a page that takes no parameter", async () => {
      for (const [slug, parameters, first] of [
        ["about-a-film", ["id"], "about-a-film"],
        ["offers", [], "offers"],
        ["index", [], "index"],
        ["a-page", [], "index"],
        ["home", [], "home"],
      ] as const) {
        const page = { project_id: "new-project", slug, parameters };
        await create(`/ott/pages/v1?page_id=new-${slug}`, page);
        await opened.goto(`${marquee.url}/preview#`);
        await opened.reload();
        await opened.getByText(`${first}: 0 components`).waitFor();
      }
    });
  });

  test("shows hostile content as text, and links only to pages and web addresses", async () => {
    const urls = [
      "javascript:alert(1)",
      "data:text/html,x",
      "//evil.example",
      "/\\evil.example",
      "x",
    ];
    const title = { en: '<img src="x" onerror="alert(1)">' };
    const links = ["https://good.example/", ...urls].map((url) => ({ title, url }));
    const got = await send("PATCH", `${marquee.url}/ott/page_components/v2/footer-home`, {
      token: marquee.tokens.owner,
      body: { page_component_update: { footer: { links } }, update_mask: "footer" },
    });
    expect(got.status).toBe(200);
    await page.goto(`${marquee.url}/preview#`);
    await page.reload();
    await statusOf(/^Home/);
    const shown = region("Footer").locator(".link");
    expect(await shown.allInnerTexts()).toEqual(links.map(() => title.en));
    const hrefs = await shown.evaluateAll((all) => all.map((it) => it.getAttribute("href")));
    expect(hrefs).toEqual(["https://good.example/", null, null, null, null, null]);
  });

  test("says what is wrong with a key", async () => {
    await page.getByLabel("Preview key").fill("mqv_wrong");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").filter({ hasText: "CREDENTIALS" }).waitFor();
    // What the browser says of the rejected call.
    expect(errors.filter((it) => !it.includes("401"))).toEqual([]);
  });
});
