import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { importDemoReleases } from "../../demo/releases.ts";
import { send } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { describeStudio } from "./describe-in-chromium.ts";
import { expectAccessible, openView, signIn } from "./studio.ts";

/** Before the release that is scheduled, which is due at 08:00 of the next day. */
const NOW = new Date("2026-06-20T12:00:00Z");
const [EARLY, DUE] = ["2026-06-21T07:59", "2026-06-21T08:00"];

const marquee = await useMarquee({ studio: true, clock: () => NOW });
await importDemoReleases(marquee.store, NOW);

const write = async (method: string, path: string, body?: object) => {
  const got = await send(method, marquee.url + path, { token: marquee.tokens.owner, body });
  expect(got.status, got.text).toBe(200);
  return got.json;
};

// The page is drawn at every step: without the components that no release changes it takes half the time.
for (const name of ["coming", "week", "matches", "finals", "highlights", "teams", "draft"]) {
  await write("DELETE", `/ott/page_components/v2/rail-home-${name}`);
}

const VIEW = "#/worldcup/preview";

describeStudio("the preview of releases in the studio", (browser) => {
  let page: Page;
  /** What the browser says is wrong. */
  const errors: string[] = [];
  /** The headers of the reads of pages, each once, since they were last looked at. */
  const reads = new Set<string>();

  beforeAll(async () => {
    page = await browser().newPage({ timezoneId: "UTC", locale: "en" });
    page.setDefaultTimeout(15_000);
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) errors.push(message.text());
    });
    page.on("request", (request) => {
      if (!request.url().endsWith("/GetPage")) return;
      const { "x-release-id": id, "x-preview-time": time } = request.headers();
      reads.add([id, time].filter(Boolean).join(" at "));
    });
    await signIn(page, marquee.url, marquee.keys.preview);
    await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
  });

  const region = (name: string) => page.getByRole("region", { name, exact: true });
  const summary = () => region("Differences from the current version");
  const takeReads = () => {
    const taken = [...reads];
    reads.clear();
    return taken;
  };
  const choice = (name: string) => page.getByRole("combobox", { name, exact: true });
  const focused = () => page.locator(":focus").getAttribute("id");
  const focusedLabel = () => page.locator(":focus").getAttribute("aria-label");
  const fill = async (label: string, value: string) => {
    await page.getByLabel(label, { exact: true }).fill(value);
    await page.keyboard.press("Tab");
  };
  const headings = async () =>
    (await page.locator(".drawing").getByRole("heading", { level: 2 }).allInnerTexts()).slice(0, 4);
  /** Signs in instead of the key, at the same view. */
  const signInAs = async (token: string) => {
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Access token or preview key").fill(token);
    await page.keyboard.press("Enter");
    // What the browser says of the calls without a credential.
    expect(errors.splice(0).filter((it) => !it.includes("401"))).toEqual([]);
  };

  test("is of the current version without releases: nothing is compared", async () => {
    expect(await summary().count()).toBe(0);
    expect(takeReads()).toEqual([""]);
  });

  test("marks by ids, without an access token, what is added, changed, moved and removed", async () => {
    await fill("Releases", "knockout-stage");
    await summary().waitFor();
    expect(takeReads().sort()).toEqual(["", "knockout-stage"]);
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
    expect(page.url()).toContain("release=knockout-stage");
  });

  test("shows the values that differ, and goes to a component by its link", async () => {
    await page
      .getByText("Differs from the current version: Promotional content › title › en")
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
    await signInAs(marquee.tokens.owner);
    await region("1 conflict").waitFor();
    expect(await region("1 conflict").locator("li > p").allInnerTexts()).toEqual([
      "Component “Pass for the next month”: Promotional content › title › en",
    ]);
    expect(await region("1 conflict").getByTitle("promotional_content.title.en").count()).toBe(1);
    expect(await region("1 conflict").locator("dl").innerText()).toMatch(
      /^Current\s+Every goal, every match\s+Knockout stage\s+The final, with one pass$/,
    );
    await page.getByRole("link", { name: "in conflict" }).press("Enter");
    expect(await focused()).toBe("conflicts");
    expect(await choice("Releases").locator("option").allInnerTexts()).toEqual([
      "Add another …",
      expect.stringMatching(/^Match day \(Applies on .*8:00 AM, .* · 2 drafts\)$/),
    ]);
  });

  test("shows several releases in an order that the keyboard changes", async () => {
    takeReads();
    await choice("Releases").selectOption("match-day");
    await page.getByRole("heading", { level: 1, name: "Match day" }).waitFor();
    expect(await summary().locator("p").innerText()).toMatch(/^Knockout stage and Match day: /);
    await page.getByRole("button", { name: "Move up Match day" }).press("Enter");
    await summary().getByText("Match day and Knockout stage").waitFor();
    // It is on top: its button to move it is gone.
    expect(await focusedLabel()).toBe("Remove Match day");
    expect(takeReads().filter(Boolean)).toEqual([
      "knockout-stage,match-day",
      "match-day,knockout-stage",
    ]);
    await page.getByRole("button", { name: "Remove Knockout stage" }).press("Enter");
    await summary().getByText("Match day: 1 changed").waitFor();
    expect(await focusedLabel()).toBe("Remove Match day");
    await page.keyboard.press("Enter");
    await page.locator("select:focus").waitFor();
    await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    expect(await summary().count()).toBe(0);
  });

  test("keeps what is chosen while it loads", async () => {
    const field = choice("Releases");
    await field.selectOption("knockout-stage");
    await field.selectOption("match-day");
    await choice("Platform").selectOption("web");
    await summary()
      .getByText(/^Knockout stage and Match day: /)
      .waitFor();
    expect(await choice("Platform").inputValue()).toBe("web");
    await choice("Platform").selectOption("");
    await page.getByRole("button", { name: "Remove Knockout stage" }).press("Enter");
    await summary()
      .getByText(/^Match day: /)
      .waitFor();
    await page.getByRole("button", { name: "Remove Match day" }).press("Enter");
    await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    await summary().waitFor({ state: "detached" });
    takeReads();
  });

  for (const { label, chosen } of [
    { label: "Search text", chosen: 'parameters={"q":"final"}' },
    { label: "Search", chosen: 'session={"query":"final"}' },
  ]) {
    test(`keeps the text that is being typed in ${label} while it loads`, async () => {
      if (label === "Search text") await page.locator(".choices summary").press("Enter");
      const field = page.getByLabel(label, { exact: true });
      await field.pressSequentially("fin");
      const loaded = page.waitForResponse(
        (it) =>
          it.url().endsWith("/GetPage") && it.request().headers()["x-release-id"] === "match-day",
      );
      await openView(page, `${VIEW}?release=match-day`);
      await loaded;
      await page.getByRole("button", { name: "Remove Match day" }).waitFor();
      // Text that is not complete is not chosen.
      expect(decodeURIComponent(page.url())).not.toContain('"fin"');
      await field.pressSequentially("al");
      expect(await field.inputValue()).toBe("final");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: "Match day" }).waitFor();
      expect(decodeURIComponent(page.url())).toContain(chosen);
      await fill(label, "");
      await page.getByRole("button", { name: "Remove Match day" }).press("Enter");
      await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
      await summary().waitFor({ state: "detached" });
    });
  }

  test("keeps a time that is entered in part while it loads", async () => {
    const field = page.getByLabel("Time", { exact: true });
    await field.focus();
    await page.keyboard.type("0621");
    await page.waitForResponse(/GetPage$/);
    await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    await page.keyboard.type("20260800A");
    expect(await field.inputValue()).toBe(DUE);
    await page.getByRole("heading", { level: 1, name: "Match day" }).waitFor();
    await fill("Time", "");
    await summary().waitFor({ state: "detached" });
    takeReads();
  });

  test("shows at a time what is scheduled until then, and the calendar of that day", async () => {
    await fill("Time", EARLY);
    await summary().getByText("Jun 21, 2026, 7:59 AM").waitFor();
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("Home");
    await fill("Time", DUE);
    await summary().getByText("Match day at Jun 21, 2026, 8:00 AM").waitFor();
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("Match day");
    // The calendar turns to the day when its items have come.
    const day = region("Match calendar").getByLabel("Day");
    await expect.poll(() => day.inputValue()).toBe("2026-06-21");
    expect(takeReads()).toContain(`${DUE}:00.000Z`);
  });

  for (const { moment, problem } of [
    { moment: "2026-06-20T11:59", problem: "Jun 20, 2026, 11:59 AM is past." },
    { moment: "2032-01-01T00:00", problem: "Jan 1, 2032, 12:00 AM is more than five years ahead." },
  ]) {
    test(`shows the page as of now if ${problem}`, async () => {
      await page.clock.setFixedTime(NOW);
      await fill("Time", moment);
      const alert = page.getByRole("alert").filter({ hasText: problem });
      await alert.waitFor();
      await page.reload();
      await alert.waitFor();
      expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("Home");
      expect(await choice("Page").inputValue()).toBe("home");
      expect(await page.getByLabel("Time", { exact: true }).inputValue()).toBe(moment);
      expect(await summary().count()).toBe(0);
      expect(errors.splice(0)).toEqual(Array(2).fill(expect.stringContaining("400")));
      await fill("Time", "");
      await alert.waitFor({ state: "detached" });
    });
  }

  test("lists a page that only a release has", async () => {
    const path = "/ott/pages/v1?page_id=page-new&release_id=knockout-stage";
    await write("POST", path, { project_id: "worldcup", slug: "new", title: { en: "New" } });
    const option = choice("Page").locator("option[value=new]");
    expect(await option.count()).toBe(0);
    await choice("Releases").selectOption("knockout-stage");
    await region("1 conflict").waitFor();
    expect(await option.count()).toBe(1);
    await choice("Page").selectOption("new");
    await page.getByRole("heading", { level: 1, name: "New" }).waitFor();
    await choice("Page").selectOption("home");
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
    await openView(page, `${VIEW}?release=done`);
    await page.getByText("applied: it is current").waitFor();
    await summary().getByText("the same components as the current version").waitFor();
    await openView(page, hash);
    await region("1 conflict").waitFor();
  });

  test("says of a release that was deleted that it does not exist, and goes on without it", async () => {
    await write("POST", "/cms/releases/v1?release_id=gone", {
      project_id: "worldcup",
      name: "Gone",
    });
    await write("DELETE", "/cms/releases/v1/gone");
    const { hash } = new URL(page.url());
    await openView(page, `${VIEW}?release=knockout-stage,gone`);
    await page.getByRole("listitem").getByText("does not exist").waitFor();
    await page.getByRole("link", { name: "Go on without the release" }).click();
    await region("1 conflict").waitFor();
    expect(page.url()).not.toContain("gone");
    errors.splice(0);
    await openView(page, hash);
  });

  test("axe finds nothing, wide and narrow, light and dark", { timeout: 60_000 }, async () => {
    await expectAccessible(page);
    expect(errors).toEqual([]);
  });

  test("asks for ids if the account may not list releases, and shows the page without conflicts, which it says", async () => {
    const [id, organization_id] = ["looker", "org-worldcup"];
    const permissions = ["iam.projects.get", "iam.projects.preview"];
    await write("POST", `/iam/roles/v1?role_id=${id}`, { organization_id, name: id, permissions });
    await write("POST", `/iam/accounts/v1?account_id=${id}`, { organization_id, name: id });
    await write("POST", "/iam/bindings/v1", {
      ...{ organization_id, account_id: id, role_id: id },
      resource_key: "worldcup/worldcup/project",
    });
    const token = { account_id: id, name: id };
    await signInAs((await write("POST", "/iam/access_tokens/v1", token)).token);
    await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    expect(await page.getByRole("textbox", { name: "Releases" }).inputValue()).toBe(
      "knockout-stage",
    );
    const problem = page.getByRole("alert").filter({ hasText: "Conflicts are not shown" });
    await problem.getByText("Your account lacks the permission cms.releases.get.").waitFor();
    expect(await region("1 conflict").count()).toBe(0);
    expect(await page.locator("section[data-changes]").count()).toBe(4);
    // Of the releases, and of the drafts of one.
    expect(errors.splice(0)).toEqual(Array(2).fill(expect.stringContaining("403")));
    await expectAccessible(page);
  });
});
