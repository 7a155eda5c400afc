import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { useMarquee } from "../harness/use-marquee.ts";
import { describeStudio } from "./describe-in-chromium.ts";
import {
  callStudio,
  confirm,
  expectAccessible,
  holdRequests,
  openStudio,
  openView,
  reasonOf,
} from "./studio.ts";

const HOUR = 3_600_000;

/** How far the clock of the server is ahead, in milliseconds. */
let ahead = 0;
const clock = () => new Date(Date.now() + ahead);
const marquee = await useMarquee({ studio: true, runsActions: true, clock });

const studio = callStudio(marquee);

describeStudio("releases and history in the studio", (browser) => {
  let page: Page;
  beforeAll(async () => {
    page = await openStudio(browser(), marquee.url, marquee.tokens.owner, "#/worldcup/releases");
  });

  const heading = (name: string) => page.getByRole("heading", { level: 1, name });
  const notice = (text: string) => page.getByRole("status").filter({ hasText: text }).waitFor();

  test("case 1: a release is made, a film is retitled in it, and it is scheduled; nothing public changes", async () => {
    await page.getByLabel("Name of a new release").fill("Finals weekend");
    await page.getByRole("button", { name: "New release" }).click();
    await heading("Finals weekend").waitFor();
    const id = /releases\/([\w-]+)/.exec(page.url())?.[1] ?? "";
    await page.getByRole("link", { name: "Films and shows" }).click();
    const film = page.getByRole("row").nth(1).getByRole("link");
    const before = await film.innerText();
    await film.click();
    await page.getByRole("button", { name: "Save as draft" }).waitFor();
    const filmId = /creative-works\/([\w-]+)/.exec(page.url())?.[1] ?? "";
    await studio("PATCH", `/cms/creative_works/v1/${filmId}?release_id=${id}`, {
      creative_work: { title: { en: "The long night" } },
      update_mask: "title",
    });
    await openView(page, `#/worldcup/releases/${id}?release=${id}`);
    await page.getByRole("link", { name: "The long night" }).waitFor();
    await page.getByRole("button", { name: "Check" }).click();
    await notice("there are no problems");
    await page.getByLabel("Apply it at a time").fill("2027-01-02T09:00");
    const schedule = page.getByRole("button", { name: "Schedule", exact: true });
    const place = await schedule.boundingBox();
    await schedule.click();
    await notice("Applies on Saturday, January 2");
    await page.getByRole("button", { name: "Take off the schedule" }).waitFor();
    expect(await schedule.boundingBox()).toEqual(place);
    const { release } = await studio("GET", `/cms/releases/v1/${id}`);
    expect([release.state, release.item_count]).toEqual(["RELEASE_STATE_SCHEDULED", 1]);
    expect((await studio("GET", `/cms/creative_works/v1/${filmId}`)).creative_work.title.en).toBe(
      before,
    );
    await page.getByRole("button", { name: "Take off the schedule" }).click();
    await notice("Not scheduled any more");
    await page.getByRole("button", { name: "Apply now" }).click();
    await page.getByRole("heading", { name: "Apply Finals weekend now?" }).waitFor();
    await confirm(page, "Apply now");
    await notice("You edit the current version again");
    expect((await studio("GET", `/cms/creative_works/v1/${filmId}`)).creative_work.title.en).toBe(
      "The long night",
    );
    const version = page.getByLabel("Version").locator("option:checked");
    expect(await version.innerText()).toBe("Current");
  });

  test("case 11: a revert from the history restores the export", async () => {
    const read = () => studio("GET", "/cms/events/v1/match-2026-104");
    const { event: before } = await read();
    await studio("PATCH", "/cms/events/v1/match-2026-104", {
      event: { fields: { ...before.fields, score: { home: 9, away: 9 } } },
      update_mask: "fields",
    });
    await openView(page, "#/worldcup/history");
    const change = page.getByRole("listitem").filter({ hasText: "Spain vs Argentina" }).first();
    await change.getByText("updated").click();
    await change.getByText("Fields › score › home").waitFor();
    expect(await change.locator("ins").allInnerTexts()).toContain("9");
    await change.getByRole("button", { name: "Take it back" }).click();
    const dialog = page.getByRole("dialog", { name: "Take this change back?" });
    await dialog.getByRole("button", { name: "Take it back" }).click();
    await notice("Taken back.");
    expect({ ...(await read()).event, update_time: "" }).toEqual({ ...before, update_time: "" });
  });

  test("the history says that a value was changed back within a minute", async () => {
    for (const visibility of ["VISIBILITY_HIDDEN", "VISIBILITY_PUBLISHED"]) {
      await studio("PATCH", "/cms/events/v1/match-2018-1", {
        ...{ event: { visibility }, update_mask: "visibility" },
      });
    }
    await page.evaluate("dispatchEvent(new Event('focus'))");
    await page.getByText("updated event “Russia vs Saudi Arabia”").click();
    await page.getByText("changed, and changed back").waitFor();
  });

  test("the history names components by their names, and those that are gone by their ids", async () => {
    const path = "/ott/page_components/v2";
    const change = (id: string) =>
      studio("PATCH", `${path}/${id}`, {
        page_component_update: { environments: ["web"] },
        update_mask: "environments",
      });
    await change("rail-home-finals");
    await change("rail-home-matches");
    await studio("DELETE", `${path}/rail-home-matches`);
    await page.evaluate("dispatchEvent(new Event('focus'))");
    await page.getByText("updated component “Finals”").first().waitFor();
    await page.getByText("deleted component “rail-home-matches”").waitFor();
  });

  test("a draft is taken out of a release after a question", async () => {
    await studio("POST", "/cms/releases/v1?release_id=taken", {
      ...{ project_id: "worldcup", name: "Taken" },
    });
    await studio("PATCH", "/cms/entities/v1/team-bra?release_id=taken", {
      ...{ entity: { title: { en: "Brasil" } }, update_mask: "title" },
    });
    await openView(page, "#/worldcup/releases/taken");
    const dialog = page.getByRole("dialog", { name: /^Take .*“Brasil” out of the release\?$/ });
    for (const answer of ["Cancel", "Take it out"]) {
      await page.getByRole("button", { name: "Take it out" }).click();
      await dialog.getByRole("button", { name: answer }).click();
    }
    await notice("The draft is gone from the release.");
    await page.getByRole("heading", { name: "No drafts" }).waitFor();
  });

  test("case 11: problems of a check link to their drafts, and a conflict is settled by a click", async () => {
    await studio("POST", "/cms/releases/v1?release_id=knockout", {
      project_id: "worldcup",
      name: "Knockout stage",
    });
    const retitle = (title: string, query: string) =>
      studio("PATCH", `/cms/entities/v1/team-esp${query}`, {
        entity: { title: { en: title }, fields: { "nick name": title } },
        update_mask: "title,fields",
      });
    await retitle("Spain of the release", "?release_id=knockout");
    await retitle("Spain of today", "");
    await openView(page, "#/worldcup/releases/knockout");
    await heading("Knockout stage").waitFor();
    await page.getByRole("button", { name: "Check" }).click();
    const problems = page.getByRole("alert", { name: "Problems" });
    const link = problems.getByRole("link", { name: "entity:team-esp" }).first();
    expect(await link.getAttribute("href")).toBe("#/worldcup/entities/team-esp?release=knockout");
    const apply = page.getByRole("button", { name: "Apply now", exact: true });
    expect(await apply.isDisabled()).toBe(true);
    for (const name of ["Apply now", "Schedule"]) {
      expect(await reasonOf(page, name)).toBe('"Settle its conflicts first" / ""');
    }
    for (const [words, path] of [
      ["Title › English", "title.en"],
      ["Fields › nick name", 'fields."nick name"'],
    ] as const) {
      const conflict = page.getByRole("region", { name: `Conflict at ${words}` });
      expect(await conflict.getByText(words).getAttribute("title")).toBe(path);
      await conflict.getByRole("button", { name: "Use this" }).first().click();
      await conflict.waitFor({ state: "detached" });
    }
    await expect.poll(() => apply.isEnabled()).toBe(true);
    const { release } = await studio("GET", "/cms/releases/v1/knockout");
    expect(release.conflict_count).toBe(0);
    const { entity } = await studio("GET", "/cms/entities/v1/team-esp?release_id=knockout");
    expect(entity.fields).toEqual({ "nick name": "Spain of the release" });
    await page.getByRole("button", { name: "Check" }).click();
    await notice("there are no problems");
  });

  test("the current value that is picked is the newest one, and a check of the state before is not shown", async () => {
    await studio("POST", "/cms/releases/v1?release_id=late-pick", {
      ...{ project_id: "worldcup", name: "Late pick" },
    });
    const retitle = (title: string, query = "") =>
      studio("PATCH", `/cms/entities/v1/team-ger${query}`, {
        ...{ entity: { title: { en: title } }, update_mask: "title" },
      });
    await retitle("Of the release", "?release_id=late-pick");
    await retitle("Of today");
    await openView(page, "#/worldcup/releases/late-pick");
    const conflict = page.getByRole("region", { name: "Conflict at Title › English" });
    await conflict.getByText("Of today").waitFor();
    await retitle("Of now");
    const checked = page.waitForResponse(/:check$/);
    const check = await holdRequests(page, "POST", "**/late-pick:check");
    await page.getByRole("button", { name: "Check" }).click();
    await conflict.getByRole("button", { name: "Use this" }).last().click();
    await conflict.waitFor({ state: "detached" });
    await check();
    await checked;
    const { entity } = await studio("GET", "/cms/entities/v1/team-ger?release_id=late-pick");
    expect(entity.title.en).toBe("Of now");
    await expect.poll(() => page.getByRole("button", { name: "Check" }).isEnabled()).toBe(true);
    expect(await page.getByText("It cannot be applied yet").count()).toBe(0);
  });

  test("of a oneof, the release gets the member that the current version has", async () => {
    await studio("POST", "/cms/releases/v1?release_id=oneof", {
      ...{ project_id: "worldcup", name: "Oneof" },
    });
    const path = "/streaming/video_protection/v2/rulesets";
    await studio("POST", `${path}?ruleset_id=oneof`, { project_id: "worldcup", name: "Rule" });
    const write = (value: object, query = "") =>
      studio("PATCH", `${path}/oneof${query}`, {
        ...{ video_protection_ruleset: value, update_mask: Object.keys(value).join() },
      });
    await write({ domains: { domains: ["a.example"] } }, "?release_id=oneof");
    await write({ allow_all_domains: true });
    await openView(page, "#/worldcup/releases/oneof");
    const conflict = page.getByRole("region", { name: /^Conflict at/ });
    await conflict.getByRole("button", { name: "Use this" }).last().click();
    await conflict.waitFor({ state: "detached" });
    const { video_protection_ruleset: drafted } = await studio(
      ...(["GET", `${path}/oneof?release_id=oneof`] as const),
    );
    expect([drafted.allow_all_domains, drafted.domains]).toEqual([true, undefined]);
  });

  test("of a oneof below the root, the release gets the member that the current version has", async () => {
    await studio("POST", "/cms/releases/v1?release_id=nested", {
      ...{ project_id: "worldcup", name: "Nested" },
    });
    const path = "/ott/page_components/v2";
    const grid = { type: "content_grid", content_grid: { inline: { filter: "id: base" } } };
    await studio("POST", `${path}?page_component_id=nested&page_id=page-home`, {
      ...{ project_id: "worldcup", ...grid },
    });
    const write = (source: object, query = "") =>
      studio("PATCH", `${path}/nested${query}`, {
        ...{ page_component: { content_grid: source }, update_mask: "content_grid" },
      });
    await write({ inline: { filter: "id: drafted" } }, "?release_id=nested");
    const reference = { page_component_id: "rail-home-week" };
    await write({ reference });
    await openView(page, "#/worldcup/releases/nested");
    const conflict = page.getByRole("region", { name: /^Conflict at/ });
    await conflict.getByRole("button", { name: "Use this" }).last().click();
    await conflict.waitFor({ state: "detached" });
    const { page_component: drafted } = await studio("GET", `${path}/nested?release_id=nested`);
    expect(drafted.content_grid).toEqual({ reference });
    await studio("DELETE", "/cms/releases/v1/nested");
    await studio("DELETE", `${path}/nested`);
  });

  test("a release that another person has changed is scheduled at the second click", async () => {
    await studio("POST", "/cms/releases/v1?release_id=renamed", {
      ...{ project_id: "worldcup", name: "Not renamed" },
    });
    await openView(page, "#/worldcup/releases/renamed");
    const time = page.getByLabel("Apply it at a time");
    await time.fill("2027-01-02T09:00");
    await studio("PATCH", "/cms/releases/v1/renamed", {
      ...{ release: { name: "Renamed" }, update_mask: "name" },
    });
    const schedule = page.getByRole("button", { name: "Schedule", exact: true });
    await schedule.click();
    await page.getByRole("alert").getByText("ETAG_MISMATCH").waitFor();
    await heading("Renamed").waitFor();
    await schedule.click();
    await notice("Applies on Saturday, January 2");
    // The time of another person is shown, too.
    await studio("PATCH", "/cms/releases/v1/renamed", {
      ...{ release: { apply_time: "2027-01-03T09:00:00Z" }, update_mask: "apply_time" },
    });
    await page.evaluate("dispatchEvent(new Event('focus'))");
    await expect.poll(() => time.inputValue()).toMatch(/^2027-01-03/);
    await studio("PATCH", "/cms/releases/v1/renamed", { release: {}, update_mask: "apply_time" });
  });

  test("a release that takes long to be applied does not call back who has gone to another view", async () => {
    await studio("POST", "/cms/releases/v1?release_id=slow", {
      ...{ project_id: "worldcup", name: "Slow" },
    });
    await openView(page, "#/worldcup/releases/slow?release=slow");
    const apply = await holdRequests(page, "POST", "**/slow:apply");
    await page.getByRole("button", { name: "Apply now" }).click();
    await confirm(page, "Apply now");
    await openView(page, "#/worldcup/history");
    await heading("History").waitFor();
    await apply();
    await notice("Applied Slow.");
    expect(page.url()).toMatch(/history$/);
  });

  test("the last page of drafts without one does not say that there are none", async () => {
    await studio("POST", "/cms/releases/v1?release_id=two", {
      ...{ project_id: "worldcup", name: "Two" },
    });
    for (const id of ["team-arg", "team-mex"]) {
      await studio("PATCH", `/cms/entities/v1/${id}?release_id=two`, {
        ...{ entity: { title: { en: `Drafted ${id}` } }, update_mask: "title" },
      });
    }
    const one = (url: string) => url.replace(/page_size=\d+/, "page_size=1");
    await page.route(/items\?/, (route) => route.continue({ url: one(route.request().url()) }));
    await openView(page, "#/worldcup/releases/two");
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByRole("link", { name: /Drafted team-mex/ }).waitFor();
    await page.getByRole("button", { name: "Take it out" }).click();
    await confirm(page, "Take it out");
    await notice("The draft is gone");
    await page.getByRole("link", { name: /Drafted team-mex/ }).waitFor({ state: "detached" });
    expect(await page.getByText("No drafts").count()).toBe(0);
    await page.getByRole("button", { name: "Previous" }).click();
    await page.getByRole("link", { name: /Drafted team-arg/ }).waitFor();
    await page.unrouteAll({ behavior: "wait" });
  });

  test("the list of releases has pages, and the history tells values that are lost from unchanged ones", async () => {
    await page.route(/v1\?.*order=create_time/, (route) => {
      const url = route
        .request()
        .url()
        .replace(/&page_size=\d+/, "");
      return route.continue({ url: `${url}&page_size=1` });
    });
    await openView(page, "#/worldcup/releases");
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByText("Page 2").waitFor();
    await page.unrouteAll({ behavior: "wait" });
    await studio("PATCH", "/cms/entities/v1/team-bel", {
      ...{ entity: { title: { en: "Belgium of old" } }, update_mask: "title" },
    });
    await page.route(/changes\/v1\/[\w-]+$/, async (route) => {
      const response = await route.fetch();
      const { change } = await response.json();
      for (const resource of change.resources) {
        delete resource.before;
        delete resource.after;
      }
      await route.fulfill({ response, json: { change } });
    });
    await openView(page, "#/worldcup/history");
    await page.getByText("updated person, team or place").first().click();
    await page.getByText("Its values are not kept any more.").waitFor();
    expect(await page.getByText("changed, and changed back").count()).toBe(0);
    await page.unrouteAll({ behavior: "wait" });
  });

  test("a conflict in a list names its rows, and shows the values that differ in them", async () => {
    await studio("POST", "/cms/releases/v1?release_id=stage", {
      ...{ project_id: "worldcup", name: "Stage" },
    });
    const path = "/ott/banner_collections/v2/banners-home";
    const { banner_collection: before } = await studio("GET", path);
    const [first, ...others] = before.banners;
    const write = (banners: object[], query = "") =>
      studio("PATCH", path + query, { banner_collection: { banners }, update_mask: "banners" });
    await write([...others, first], "?release_id=stage");
    await write([{ ...first, link: "/finals" }, ...others]);
    await openView(page, "#/worldcup/releases/stage");
    const sides = page.getByRole("region", { name: "Conflict at Banners" }).locator(".sides > div");
    const names = before.banners.map((it: { title: { en: string } }) => it.title.en);
    await sides.first().waitFor();
    expect(await sides.locator("p").allInnerTexts()).toEqual([
      `${[...names.slice(1), names[0]].join(", ")}\nBanners ${before.banners.length} › Link: ${first.link}`,
      `${names.join(", ")}\nBanners ${before.banners.length} › Link: /finals`,
    ]);
    await openView(page, "#/worldcup/history");
    await page
      .getByText(/updated banner collection/)
      .first()
      .click();
    await page.getByText("Banners 1 › Link").waitFor();
  });

  test("another order of components is said in words, in a release and in the history", async () => {
    await studio("POST", "/cms/releases/v1?release_id=order", {
      ...{ project_id: "worldcup", name: "Order" },
    });
    const path = "/ott/page_components/v2";
    const list = await studio("GET", `${path}?page_id=page-home&page_size=1000`);
    const ids = list.page_components.map(({ id }: { id: string }) => id);
    const page_component_ids = [...ids.slice(-1), ...ids.slice(0, -1)];
    const reorder = (query: string) =>
      studio("POST", `/ott/pages/v1/page-home:reorderComponents${query}`, { page_component_ids });
    const said = page.getByText("Other components, or another order of them.");
    await reorder("?release_id=order");
    await studio("DELETE", `${path}/${ids[0]}?release_id=order`);
    await openView(page, "#/worldcup/releases/order");
    await page.getByText("deletion").waitFor();
    expect(await said.count()).toBe(1);
    await reorder("");
    await openView(page, "#/worldcup/history");
    await page.getByText("updated page “Home”").first().click();
    await said.waitFor();
    expect(await page.getByText("page_component_ids").count()).toBe(0);
    await expectAccessible(page);
  });

  test("a save of what a scheduled release changes says that the release now has a conflict", async () => {
    await studio("POST", "/cms/releases/v1?release_id=saturday", {
      ...{ project_id: "worldcup", name: "Saturday" },
    });
    await studio("PATCH", "/cms/entities/v1/team-fra?release_id=saturday", {
      ...{ entity: { title: { en: "France of the release" } }, update_mask: "title" },
    });
    const apply_time = new Date(Date.now() + 48 * HOUR).toISOString();
    await studio("PATCH", "/cms/releases/v1/saturday", {
      ...{ release: { apply_time }, update_mask: "apply_time" },
    });
    await openView(page, "#/worldcup");
    await page.reload();
    await openView(page, "#/worldcup/entities/team-fra");
    const pending = page.getByRole("status").filter({ hasText: "Will be changed by Saturday." });
    await pending.filter({ hasText: /Applies on .*, in 2 days · 1 draft$/ }).waitFor();
    await page.getByLabel("Title, English").fill("France of today");
    await page.evaluate("scrollTo(0, 9_999)");
    expect((await pending.boundingBox())?.y).toBeLessThan(0);
    await page.getByRole("button", { name: "Save" }).click();
    await pending.filter({ hasText: "1 conflict: it cannot be applied until" }).waitFor();
    await expect.poll(async () => (await pending.boundingBox())?.y).toBeGreaterThan(100);
    await expectAccessible(page);
    await pending.getByRole("link", { name: "Saturday" }).click();
    await heading("Saturday").waitFor();
  });

  test("case 11: a release that failed at its time is on the home screen, alone, and leads to its problem", async () => {
    await studio("POST", "/cms/releases/v1?release_id=late", {
      project_id: "worldcup",
      name: "Late",
    });
    const create = (query: string) =>
      studio("POST", `/cms/events/v1?event_id=twice${query}`, { project_id: "worldcup" });
    await create("&release_id=late");
    const apply_time = new Date(Date.now() + HOUR).toISOString();
    await studio("PATCH", "/cms/releases/v1/late", {
      ...{ release: { apply_time }, update_mask: "apply_time" },
    });
    await create("");
    ahead = 2 * HOUR;
    const stateOf = async () => (await studio("GET", "/cms/releases/v1/late")).release.state;
    await expect.poll(stateOf).toBe("RELEASE_STATE_FAILED");
    await openView(page, "#/worldcup");
    const failed = page.getByRole("alert").filter({ hasText: "Not applied at its time" });
    await failed.waitFor();
    expect(await failed.getByRole("link").allInnerTexts()).toEqual(["Late"]);
    await failed.getByRole("link").click();
    await heading("Late").waitFor();
    await page.getByText("event:twice").first().waitFor();
  });

  test("a home screen whose reads fail says so, and reads again", async () => {
    const reads = /ListEvents$|releases\/v1\?/;
    await page.route(reads, (route) => route.fulfill({ status: 500, json: { message: "Broken" } }));
    await openView(page, "#/worldcup/history");
    await heading("History").waitFor();
    await openView(page, "#/worldcup");
    await heading("World Cup").waitFor();
    await expect.poll(() => page.getByText("Broken").count()).toBe(2);
    expect(await page.getByText("No release is scheduled").count()).toBe(0);
    await page.reload();
    await page.getByText("Broken").waitFor();
    expect(await page.getByText("Nothing is planned").count()).toBe(0);
    await page.unroute(reads);
    await page.getByRole("button", { name: "Try again" }).click();
    await heading("World Cup").waitFor();
  });

  test("a new release that takes long does not call back who has gone to another view", async () => {
    await openView(page, "#/worldcup/releases");
    const create = await holdRequests(page, "POST", "**/cms/releases/v1?*");
    await page.getByLabel("Name of a new release").fill("Takes long");
    await page.getByRole("button", { name: "New release" }).click();
    await openView(page, "#/worldcup/history");
    await heading("History").waitFor();
    await create();
    await notice("Created Takes long.");
    await heading("History").waitFor();
    expect(page.url()).toMatch(/history$/);
    await openView(page, "#/worldcup");
  });

  test("a change is taken back once, however often that is confirmed", async () => {
    await studio("PATCH", "/cms/events/v1/match-2022-3", {
      event: { title: { en: "To be taken back" } },
      update_mask: "title",
    });
    await openView(page, "#/worldcup/history");
    await page.getByText("updated event").first().click();
    const revert = await holdRequests(page, "POST", "**/*:revert");
    const button = page.getByRole("button", { name: "Take it back", exact: true }).first();
    await button.click();
    await confirm(page, "Take it back");
    await expect.poll(() => button.isDisabled()).toBe(true);
    await revert();
    await notice("Taken back.");
  });

  test("a release is deleted with its drafts once that is confirmed, below the box and not at it", async () => {
    await studio("POST", "/cms/releases/v1?release_id=empty", {
      project_id: "worldcup",
      name: "Empty",
    });
    await openView(page, "#/worldcup/releases/empty");
    await page.getByRole("heading", { name: "No drafts" }).waitFor();
    const button = page.getByRole("button", { name: "Delete the release" });
    const bottomOf = async (selector: string) => {
      const box = await page.locator(selector).boundingBox();
      return (box?.y ?? 0) + (box?.height ?? 0);
    };
    expect((await button.boundingBox())?.y).toBeGreaterThan((await bottomOf("main .state")) + 8);
    await button.click();
    await page.getByRole("heading", { name: "Delete Empty?" }).waitFor();
    await page.keyboard.press("Escape");
    expect(await button.evaluate("document.activeElement.textContent")).toBe("Delete the release");
    await studio("GET", "/cms/releases/v1/empty");
    await button.click();
    await confirm(page, "Delete the release");
    await notice("Deleted Empty with its drafts");
    await heading("Releases").waitFor();
    expect(await page.getByRole("link", { name: "Empty", exact: true }).count()).toBe(0);
  });

  test("case 19: home, releases and history have no violation", async () => {
    for (const [view, name] of [
      ["#/worldcup", "World Cup"],
      ["#/worldcup/releases", "Releases"],
      ["#/worldcup/releases/knockout", "Knockout stage"],
      ["#/worldcup/history", "History"],
    ] as const) {
      await openView(page, view);
      await heading(name).waitFor();
      await expect.poll(() => page.getByText("Loading …").count()).toBe(0);
      await expectAccessible(page);
    }
  });
});
