import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { importDemoReleases } from "../../demo/releases.ts";
import { send } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { findChromium, isChromiumRequired, launchChromium } from "./chromium.ts";

const chromium = findChromium();
const isSkipped = chromium === undefined && !isChromiumRequired;

/** Before the release that is scheduled, which is due at 08:00 of the next day. */
const NOW = new Date("2026-06-20T12:00:00Z");
const [EARLY, DUE] = ["2026-06-21T07:59", "2026-06-21T08:00"];

const marquee = await useMarquee({ studio: true, clock: () => NOW });
await importDemoReleases(marquee.store, NOW);

const write = async (method: string, path: string, body?: object) => {
  const got = await send(method, marquee.url + path, { token: marquee.tokens.owner, body });
  expect(got.status, got.text).toBe(200);
};

// The page is drawn at every step: without the components that no release changes it takes half the time.
for (const name of ["coming", "week", "matches", "finals", "highlights", "teams", "draft"]) {
  await write("DELETE", `/ott/page_components/v2/rail-home-${name}`);
}

describe.skipIf(isSkipped)("the preview of releases", () => {
  let browser: Browser;
  let page: Page;
  /** What the browser says is wrong. */
  const errors: string[] = [];
  /** The headers of the reads of pages since they were last looked at. */
  const reads: (string | undefined)[] = [];

  beforeAll(async () => {
    browser = await launchChromium(chromium, { loadsPictures: false });
    page = await browser.newPage({ timezoneId: "UTC", locale: "en" });
    page.setDefaultTimeout(15_000);
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) errors.push(message.text());
    });
    page.on("request", (request) => {
      if (!request.url().includes("/GetPage?")) return;
      const { "x-release-id": id, "x-preview-time": time } = request.headers();
      reads.push([id, time].filter(Boolean).join(" at "));
    });
    await page.goto(`${marquee.url}/preview`);
    await page.getByLabel("Preview key").fill(marquee.keys.preview);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
  });
  afterAll(() => browser?.close());

  const region = (name: string) => page.getByRole("region", { name, exact: true });
  const summary = () => region("Differences from the current version");
  const focused = () => page.locator(":focus").getAttribute("id");
  const fill = async (label: string, value: string) => {
    await page.getByLabel(label, { exact: true }).fill(value);
    await page.keyboard.press("Tab");
  };
  const headings = async () =>
    (await page.getByRole("heading", { level: 2 }).allInnerTexts()).slice(0, 4);
  const signIn = async (token: string) => {
    await page
      .getByLabel("Access token")
      .evaluate((it) => it.closest("details")?.setAttribute("open", ""));
    await page.getByLabel("Access token").fill(token);
    await page.keyboard.press("Enter");
  };

  test("is of the current version without releases: nothing is compared", async () => {
    expect(await summary().count()).toBe(0);
    expect(reads.splice(0)).toEqual([""]);
  });

  test("marks by ids, without an access token, what is added, changed, moved and removed", async () => {
    await fill("Releases", "knockout-stage");
    await summary().waitFor();
    expect(reads.splice(0).sort()).toEqual(["", "knockout-stage"]);
    expect(await summary().locator("p").innerText()).toBe(
      "knockout-stage: 1 added, 1 changed, 1 moved, 1 removed",
    );
    const marks = await page
      .locator("section[data-changes]")
      .evaluateAll((all) => all.map((it) => [it.id, it.getAttribute("data-changes")]));
    expect(marks).toEqual([
      ["rail-home-road", "added"],
      ["calendar-home", "moved"],
      ["rail-home-results", "removed"],
      ["promo-home-pass", "changed"],
    ]);
    expect(await headings()).toEqual(["Stage", "Road to the final", "Match calendar", "On now"]);
    expect(await page.locator("#rail-home-results .card").count()).toBe(0);
    expect(await page.locator(".conflicts").count()).toBe(0);
    expect(decodeURIComponent(page.url())).toContain('"releases":["knockout-stage"]');
  });

  test("shows the values that differ, and goes to a component by its link", async () => {
    await page
      .getByText("Differs from the current version: promotional_content.title.en")
      .press("Enter");
    const values = page.locator("#differences-promo-home-pass");
    expect(await values.locator("dd").allInnerTexts()).toEqual([
      "Every goal, every match",
      "The final, with one pass",
    ]);
    const { hash } = new URL(page.url());
    await summary().getByRole("link", { name: "Road to the final" }).press("Enter");
    expect(await focused()).toBe("rail-home-road");
    expect(new URL(page.url()).hash).toBe(hash);
  });

  test("offers with an access token the releases of the project, and shows conflicts", async () => {
    await signIn(marquee.tokens.owner);
    await region("1 conflict").waitFor();
    expect(await region("1 conflict").locator("code").allInnerTexts()).toEqual([
      "page_component:promo-home-pass",
      "promotional_content.title.en",
    ]);
    expect(await region("1 conflict").locator("dl").innerText()).toMatch(
      /^Current\s+Every goal, every match\s+Knockout stage\s+The final, with one pass$/,
    );
    await page.getByRole("link", { name: "in conflict" }).press("Enter");
    expect(await focused()).toBe("conflicts");
    expect(
      await page.getByLabel("Releases", { exact: true }).locator("option").allInnerTexts(),
    ).toEqual(["add another …", "Match day (Jun 21, 2026, 8:00 AM, 2 drafts)"]);
  });

  test("shows several releases in an order that the keyboard changes", async () => {
    reads.splice(0);
    await page.getByLabel("Releases", { exact: true }).selectOption("match-day");
    await page.getByRole("heading", { level: 1, name: "Match day" }).waitFor();
    expect(await summary().locator("p").innerText()).toMatch(/^Knockout stage and Match day: /);
    await page.getByRole("button", { name: "Move up Match day" }).press("Enter");
    await summary().getByText("Match day and Knockout stage").waitFor();
    // It is on top: its button to move it is gone.
    expect(await focused()).toBe("remove-match-day");
    expect(reads.splice(0).filter(Boolean)).toEqual([
      "knockout-stage,match-day",
      "match-day,knockout-stage",
    ]);
    await page.getByRole("button", { name: "Remove Knockout stage" }).press("Enter");
    await summary().getByText("Match day: 1 changed").waitFor();
    expect(await focused()).toBe("release");
    await page.getByRole("button", { name: "Remove Match day" }).press("Enter");
    await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    expect(await summary().count()).toBe(0);
  });

  test("keeps what is chosen while it loads", async () => {
    const field = page.getByLabel("Releases", { exact: true });
    await field.selectOption("knockout-stage");
    await field.selectOption("match-day");
    await page.getByLabel("Environment", { exact: true }).selectOption("web");
    await summary()
      .getByText(/^Knockout stage and Match day: /)
      .waitFor();
    expect(await page.getByLabel("Environment", { exact: true }).inputValue()).toBe("web");
    await page.getByLabel("Environment", { exact: true }).selectOption("");
    await page.getByRole("button", { name: "Remove Knockout stage" }).press("Enter");
    await summary()
      .getByText(/^Match day: /)
      .waitFor();
    await page.getByRole("button", { name: "Remove Match day" }).press("Enter");
    await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    await summary().waitFor({ state: "detached" });
    reads.splice(0);
  });

  for (const { label, choice } of [
    { label: "Search q", choice: '"parameters":{"q":"final"}' },
    { label: "Search", choice: '"session":{"query":"final"}' },
  ]) {
    test(`keeps the text that is being typed in ${label} while it loads`, async () => {
      const field = page.getByLabel(label, { exact: true });
      await field.pressSequentially("fin");
      const loaded = page.waitForResponse((it) => it.url().includes("/GetPage?"));
      const other = encodeURIComponent(JSON.stringify({ releases: ["match-day"] }));
      await page.evaluate(`location.hash = "#${other}"`);
      await loaded;
      await page.getByRole("button", { name: "Remove Match day" }).waitFor();
      // Text that is not complete is not chosen.
      expect(decodeURIComponent(page.url())).not.toContain('"fin"');
      await field.pressSequentially("al");
      expect(await field.inputValue()).toBe("final");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: "Match day" }).waitFor();
      expect(decodeURIComponent(page.url())).toContain(choice);
      await fill(label, "");
      await page.getByRole("button", { name: "Remove Match day" }).press("Enter");
      await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
      await summary().waitFor({ state: "detached" });
    });
  }

  test("keeps a time that is entered in part while it loads", async () => {
    const field = page.getByLabel("Preview time", { exact: true });
    await field.focus();
    await page.keyboard.type("0621");
    const listed = page.waitForResponse(/ListReleases/);
    await page.evaluate("location.hash = '#%7B%7D'");
    await listed;
    await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    await page.keyboard.type("2026");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.type("0800A");
    expect(await field.inputValue()).toBe(DUE);
    await page.getByRole("heading", { level: 1, name: "Match day" }).waitFor();
    await fill("Preview time", "");
    await summary().waitFor({ state: "detached" });
    reads.splice(0);
  });

  test("shows at a time what is scheduled until then, and the calendar of that day", async () => {
    await fill("Preview time", EARLY);
    await summary().getByText("Jun 21, 2026, 7:59 AM").waitFor();
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("Home");
    await fill("Preview time", DUE);
    await summary().getByText("Match day at Jun 21, 2026, 8:00 AM").waitFor();
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("Match day");
    // The calendar turns to the day when its items have come.
    const day = region("Match calendar").getByLabel("Day");
    await expect.poll(() => day.inputValue()).toBe("2026-06-21");
    expect(reads.splice(0)).toContain(`${DUE}:00.000Z`);
  });

  for (const { moment, problem } of [
    { moment: "2026-06-20T11:59", problem: "Jun 20, 2026, 11:59 AM is past." },
    { moment: "2032-01-01T00:00", problem: "Jan 1, 2032, 12:00 AM is more than five years ahead." },
  ]) {
    test(`shows the page as of now if ${problem}`, async () => {
      await page.clock.setFixedTime(NOW);
      await fill("Preview time", moment);
      const alert = page.getByRole("alert").filter({ hasText: problem });
      await alert.waitFor();
      await page.reload();
      await alert.waitFor();
      expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("Home");
      expect(await page.getByLabel("Page", { exact: true }).inputValue()).toBe("home");
      expect(await page.getByLabel("Preview time", { exact: true }).inputValue()).toBe(moment);
      expect(await summary().count()).toBe(0);
      expect(errors.splice(0)).toEqual(Array(2).fill(expect.stringContaining("400")));
      await fill("Preview time", "");
      await alert.waitFor({ state: "detached" });
    });
  }

  test("lists a page that only a release has", async () => {
    const path = "/ott/pages/v1?page_id=page-new&release_id=knockout-stage";
    await write("POST", path, { project_id: "worldcup", slug: "new", title: { en: "New" } });
    const option = page.getByLabel("Page", { exact: true }).locator("option[value=new]");
    expect(await option.count()).toBe(0);
    await page.getByLabel("Releases", { exact: true }).selectOption("knockout-stage");
    await region("1 conflict").waitFor();
    expect(await option.count()).toBe(1);
    await page.getByLabel("Page", { exact: true }).selectOption("new");
    await page.getByRole("heading", { level: 1, name: "New" }).waitFor();
    await page.getByLabel("Page", { exact: true }).selectOption("home");
    await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    // The current page does not exist.
    expect(errors.splice(0)).toEqual([expect.stringContaining("404")]);
  });

  test("says of a release that was applied that it is live", async () => {
    await write("POST", "/cms/releases/v1?release_id=done", {
      project_id: "worldcup",
      name: "Done",
    });
    await write("POST", "/cms/releases/v1/done:apply", {});
    const { hash } = new URL(page.url());
    const other = encodeURIComponent(JSON.stringify({ releases: ["done"] }));
    await page.evaluate(`location.hash = "#${other}"`);
    await page.getByText("applied: it is current").waitFor();
    await summary().getByText("the same components as the current version").waitFor();
    await page.evaluate(`location.hash = "${hash}"`);
    await region("1 conflict").waitFor();
  });

  test("names every control, and fits a phone in light and in dark", async () => {
    const tree = await page.locator("body").ariaSnapshot();
    expect(tree).not.toMatch(
      /- (?:button|checkbox|combobox|form|link|region|searchbox|table|textbox)\b(?! ")/,
    );
    await page.setViewportSize({ width: 390, height: 844 });
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
      const colors = await page.evaluate<string[]>(
        "(({ color, backgroundColor }) => [color, backgroundColor])(getComputedStyle(document.querySelector('.change.added')))",
      );
      expect(contrast(colors[0], colors[1])).toBeGreaterThan(4.5);
    }
    await page.setViewportSize({ width: 1280, height: 720 });
  });

  test("asks for ids if the access token may not list releases, and shows the page", async () => {
    await signIn(marquee.tokens.outsider);
    await page.getByText("They cannot be listed: RESOURCE_NOT_FOUND").waitFor();
    expect(await page.getByRole("textbox", { name: "Releases", exact: true }).inputValue()).toBe(
      "knockout-stage",
    );
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("Home");
    expect(errors.splice(0)).toEqual([expect.stringContaining("404")]);
  });
});

/** Returns the contrast of two colors such as `rgb(1, 2, 3)`, as WCAG defines it. */
function contrast(a = "", b = ""): number {
  const luminance = (color: string) => {
    const [red = 0, green = 0, blue = 0] = Array.from(color.matchAll(/\d+/g), ([it]) => {
      const part = Number(it) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}
