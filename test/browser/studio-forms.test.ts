import type { Locator, Page, Request, Route } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { send } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { describeStudio } from "./describe-in-chromium.ts";
import {
  callStudio,
  confirm,
  expectAccessible,
  holdRequests,
  openStudio,
  openView,
} from "./studio.ts";

const marquee = await useMarquee({ studio: true });

const studio = callStudio(marquee);

const readEvent = async (id: string) => (await studio("GET", `/cms/events/v1/${id}`)).event;

const createRelease = (id: string) =>
  studio("POST", `/cms/releases/v1?release_id=${id}`, { project_id: "worldcup", name: id });

const createEvent = (id: string, value: object = {}) =>
  studio("POST", `/cms/events/v1?event_id=${id}`, { project_id: "worldcup", ...value });

/** A rail on a page with little else to draw. */
const RAIL = "#/worldcup/components/short-rail";
await studio("POST", "/ott/page_components/v2?page_component_id=short-rail&page_id=page-help", {
  ...{ project_id: "worldcup", type: "rail" },
  rail: {
    ...{ type: "BASE_TYPE_EVENT", filter: "id: match-2026-103" },
    additional_filters: { season: "fields.season.id: {season}" },
  },
});

describeStudio("forms of the studio", (browser) => {
  let page: Page;
  /** Errors that the browser reports, but failed calls. */
  const errors: string[] = [];
  const open = async (view: string) => {
    const opened = await openStudio(browser(), marquee.url, marquee.tokens.owner, view);
    opened.on("pageerror", (error) => errors.push(String(error)));
    opened.on("console", (message) => {
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
        errors.push(message.text());
    });
    return opened;
  };
  beforeAll(async () => {
    page = await open("#/worldcup/events");
  });

  const title = (of = page) => of.getByLabel("Title, English");
  /** Expects a title, once the screen is drawn again: a click returns before that. */
  const titled = (text: string, of = page) => expect.poll(() => title(of).inputValue()).toBe(text);
  const save = (of = page) => of.getByRole("button", { name: /^Save/ }).click();
  const status = (text: string | RegExp, of = page) =>
    of.getByRole("status").filter({ hasText: text }).waitFor();
  const openEvent = async (id: string, of = page, query = "") => {
    await openView(of, `#/worldcup/events/${id}${query}`);
    await of.locator("main").getByText(id, { exact: true }).first().waitFor();
  };
  /** Waits for the write that an act sends, and for its response. */
  const writeOf = async (act: () => Promise<unknown>): Promise<Request> => {
    const [response] = await Promise.all([
      page.waitForResponse((it) => it.request().method() === "PATCH"),
      act(),
    ]);
    return response.request();
  };

  test("case 3: a new field of the schema shows up, with its comment", async () => {
    const other = await open("#/worldcup/events");
    await other.route("**/openapi.json", async (route) => {
      const response = await route.fetch();
      const document = await response.json();
      document.components.schemas["svc.cda.cms.event.v1.Event"].properties.referee_name = {
        type: "string",
        description: "Name of the referee.",
      };
      await route.fulfill({ response, json: document });
    });
    await openEvent("match-2026-103", other);
    await other.reload();
    await other.getByLabel("Referee name", { exact: true }).waitFor();
    await other.getByLabel("About Referee name").click();
    await other.getByText("Name of the referee.").waitFor();
    await other.close();
  });

  test("case 4: a save sends the edited root field in its mask, and If-Match", async () => {
    await createEvent("case-4", { title: { en: "Four" }, fields: { score: { home: 1 } } });
    const { etag } = await headersOf("case-4");
    await openEvent("case-4");
    await page.getByLabel("Fields, score, home", { exact: true }).fill("2");
    const request = await writeOf(() => save());
    await status("Saved.");
    expect(request.postDataJSON()).toEqual({
      event: { fields: { score: { home: 2 } } },
      update_mask: "fields",
    });
    expect((await request.allHeaders())["if-match"]).toBe(etag);
  });

  async function headersOf(id: string) {
    const headers = { authorization: `Bearer ${marquee.tokens.owner}` };
    const got = await send("GET", `${marquee.url}/cms/events/v1/${id}`, { headers });
    return { etag: got.headers.get("etag") };
  }

  test("what is typed during a save stays, and a save goes on when its view is left", async () => {
    const url = page.getByLabel("Poster image URL", { exact: true });
    await openView(page, "#/worldcup/events/new");
    const create = await holdRequests(page, "POST", "**/cms/events/v1*");
    const saved = page.getByRole("button", { name: "Create", exact: true });
    await page.getByLabel("ID", { exact: true }).fill("typed-on");
    await title().fill("First");
    const creating = page.waitForRequest((it) => it.method() === "POST");
    await saved.click();
    await creating;
    await url.fill("https://images.example/1.webp");
    await create();
    await page.waitForURL(/events\/typed-on/);
    await status("You have unsaved changes");
    expect([await title().inputValue(), await url.inputValue()]).toEqual([
      ...["First", "https://images.example/1.webp"],
    ]);

    const update = await holdRequests(page, "PATCH", "**/cms/events/v1/typed-on*");
    const saving = page.waitForRequest((it) => it.method() === "PATCH");
    await save();
    await saving;
    await title().fill("Second");
    await update();
    await status("Saved.");
    expect([await title().inputValue(), await url.inputValue()]).toEqual([
      ...["Second", "https://images.example/1.webp"],
    ]);

    const updateLate = await holdRequests(page, "PATCH", "**/cms/events/v1/typed-on*");
    const response = page.waitForResponse((it) => it.request().method() === "PATCH");
    await save();
    await openEvent("match-2026-103");
    await updateLate();
    await response;
    await openEvent("typed-on");
    expect(await page.getByRole("button", { name: "Save", exact: true }).isDisabled()).toBe(true);
    const event = await readEvent("typed-on");
    expect([event.title.en, event.poster_image_url]).toEqual([
      ...["Second", "https://images.example/1.webp"],
    ]);
  });

  test("case 5: two editors keep both changes of different fields, in a release too", async () => {
    await studio("POST", "/cms/releases/v1?release_id=case-5", {
      project_id: "worldcup",
      name: "Case 5",
    });
    await createEvent("case-5", { title: { en: "Five" }, content_type: "match" });
    for (const release of ["", "case-5"]) {
      const within = release && `?release_id=${release}`;
      await openEvent("case-5", page, release && `?release=${release}`);
      await title().fill(`Mine ${release}`);
      await studio("PATCH", `/cms/events/v1/case-5${within}`, {
        event: { content_type: `theirs-${release}` },
        update_mask: "content_type",
      });
      // The first PATCH has the older ETag.
      await Promise.all([
        page.waitForResponse((it) => it.request().method() === "PATCH" && it.ok()),
        save(),
      ]);
      await status("Saved, together with a change by another person.");
      const { event } = await studio("GET", `/cms/events/v1/case-5${within}`);
      expect([event.title.en, event.content_type]).toEqual([
        `Mine ${release}`,
        `theirs-${release}`,
      ]);
      await openView(page, "#/worldcup/events");
    }
    expect((await readEvent("case-5")).title.en).toBe("Mine ");
  });

  test("case 5: of one field both values are shown, the own one stays until the other is picked", async () => {
    await createEvent("case-5b", { title: { en: "Five" } });
    await openEvent("case-5b");
    await title().fill("Mine");
    await studio("PATCH", "/cms/events/v1/case-5b", {
      event: { title: { en: "Theirs" } },
      update_mask: "title",
    });
    await page.evaluate("scrollTo(0, 9_999)");
    await save();
    const conflicts = page.getByRole("alert", { name: "Another person changed this too" });
    await conflicts.waitFor();
    expect(await conflicts.getByRole("radio").count()).toBe(2);
    expect(await page.evaluate("scrollY")).toBeLessThan(200);
    // A second save without a choice would take back what the other person has written.
    await save();
    await expect.poll(() => page.evaluate("document.activeElement.type")).toBe("radio");
    expect([await title().inputValue(), (await readEvent("case-5b")).title.en]).toEqual([
      "Mine",
      "Theirs",
    ]);
    await expectAccessible(page);
    page.once("dialog", (dialog) => dialog.accept());
    await page.reload();
    await conflicts.getByLabel("Theirs").check();
    await titled("Theirs");
    await conflicts.getByLabel("Yours").check();
    await writeOf(() => save());
    await status("Saved.");
    expect((await readEvent("case-5b")).title.en).toBe("Mine");
  });

  test("case 5: a list that two editors have changed is shown by the names of its rows", async () => {
    const path = "/ott/banner_collections/v2/banners-home";
    const { banner_collection: before } = await studio("GET", path);
    const [first, ...others] = before.banners;
    await openView(page, "#/worldcup/banner-collections/banners-home");
    await page.getByRole("button", { name: `Move ${first.title.en} down` }).click();
    await studio("PATCH", path, {
      ...{ banner_collection: { banners: others }, update_mask: "banners" },
    });
    await save();
    const theirs = page.getByRole("alert").getByLabel("Theirs").locator("..").locator(".value");
    const names = others.map((it: { title: { en: string } }) => it.title.en);
    expect(await theirs.innerText()).toBe(names.join(", "));
    await page.getByLabel("Theirs").check();
    await save();
    await status("the other person's version stays");
  });

  test("the codes of countries are proposed by their names", async () => {
    await openView(page, "#/worldcup/rulesets/new");
    await page
      .getByLabel("Geo restrictions", { exact: true })
      .selectOption("geo_restrictions_allow");
    const proposed = page.getByLabel("Add to country codes").locator("xpath=..").locator("option");
    expect(await proposed.filter({ hasText: "Austria" }).getAttribute("value")).toBe("AT");
    expect(await proposed.count()).toBe(249);
  });

  test("case 5: two members of a oneof, each by one editor, are a conflict", async () => {
    const path = "/streaming/video_protection/v2/rulesets";
    await studio("POST", `${path}?ruleset_id=case-5`, { project_id: "worldcup", name: "Rule" });
    await openView(page, "#/worldcup/rulesets/case-5");
    await page.getByText("More settings").click();
    await page.getByLabel("Domain restrictions").selectOption("Domains");
    const domains = page.getByRole("textbox", { name: "Add to domains" });
    await domains.fill("mine.example");
    await domains.press("Enter");
    await studio("PATCH", `${path}/case-5`, {
      video_protection_ruleset: { allow_all_domains: true },
      update_mask: "allow_all_domains",
    });
    await save();
    const group = page.getByRole("group", { name: "Domains or Allow all domains" });
    await group.getByLabel("Theirs").check();
    await save();
    await status("the other person's version stays");
    const { video_protection_ruleset: saved } = await studio("GET", `${path}/case-5`);
    expect([saved.allow_all_domains, saved.domains]).toEqual([true, undefined]);
  });

  test("case 5: two members of a oneof below the root are a conflict, too", async () => {
    const grid = { type: "content_grid", content_grid: { inline: { filter: "id: base" } } };
    const path = "/ott/page_components/v2";
    await studio("POST", `${path}?page_component_id=grid-5&page_id=page-help`, {
      ...{ project_id: "worldcup", ...grid },
    });
    await openView(page, "#/worldcup/pages/page-help?component=grid-5");
    await page.getByLabel("Inline, filter", { exact: true }).fill("id: mine");
    await studio("PATCH", `${path}/grid-5`, {
      page_component: { content_grid: { reference: { page_component_id: "rail-home-week" } } },
      update_mask: "content_grid",
    });
    await save();
    const group = page.getByRole("group", { name: /Inline or .*Reference/ });
    await group.getByLabel("Yours").check();
    await writeOf(() => save());
    await status("Saved.");
    const read = async () => (await studio("GET", `${path}/grid-5`)).page_component.content_grid;
    expect(await read()).toEqual({ inline: { filter: "id: mine" } });
    await studio("DELETE", `${path}/grid-5`);
  });

  test("of a oneof, another member is saved in the place of the stored one", async () => {
    const path = "/streaming/video_protection/v2/rulesets";
    await studio("POST", `${path}?ruleset_id=replaced`, {
      ...{ project_id: "worldcup", name: "Rule", domains: { domains: ["a.example"] } },
    });
    await openView(page, "#/worldcup/rulesets/replaced");
    await page
      .getByLabel("Domain restrictions", { exact: true })
      .selectOption({ label: "Allow all domains" });
    await writeOf(() => save());
    await status("Saved.");
    const { video_protection_ruleset: saved } = await studio("GET", `${path}/replaced`);
    expect([saved.allow_all_domains, saved.domains]).toEqual([true, undefined]);
  });

  test("case 6: a save in a release leaves public responses byte-equal", async () => {
    const { public: key } = marquee.keys;
    const message = encodeURIComponent(JSON.stringify({ filter: "id: match-2026-103" }));
    const url = `${marquee.url}/svc.cda.cms.event.v1.EventService/ListEvents?encoding=json&message=${message}`;
    const read = async () =>
      (await send("GET", url, { headers: { authorization: `Bearer ${key}` } })).text;
    const before = await read();
    await openEvent("match-2026-103", page, "?release=case-5");
    await title().fill("A draft of the title");
    await page.getByRole("button", { name: "Save as draft" }).click();
    await status("Saved as a draft.");
    expect(await read()).toBe(before);
    const { event } = await studio("GET", "/cms/events/v1/match-2026-103?release_id=case-5");
    expect(event.title.en).toBe("A draft of the title");
  });

  test("case 9: a broken filter is marked at the server's column", async () => {
    await openView(page, RAIL);
    const filter = page.getByLabel("Filter", { exact: true });
    const before = await filter.inputValue();
    await filter.fill("content_type: (match");
    await save();
    const violation = page.locator(".field-code .violation");
    await violation.waitFor();
    const [, text = "", mark = ""] = (await violation.innerText()).split("\n").slice(-3);
    expect([text, mark.indexOf("^")]).toEqual(["content_type: (match", text.length]);
    const style = 'getComputedStyle(document.querySelector(".field-code .violation")).whiteSpace';
    expect(await page.evaluate(style)).toBe("pre");
    await filter.fill(before);
  });

  test("case 10: a deletion names who refers to a resource, by their titles", async () => {
    await studio("POST", "/streaming/videos/v1?video_id=case-10", {
      ...{ project_id: "worldcup", name: "Ten", playlist_url: "https://a.example/t/main.m3u8" },
    });
    await createEvent("case-10", { title: { en: "The tenth" }, video_ids: ["case-10"] });
    const dialog = page.getByRole("dialog", { name: "Delete Ten?" });
    await openView(page, "#/worldcup/videos/case-10");
    await page.getByRole("button", { name: "Delete …" }).click();
    await dialog.getByRole("link", { name: "Event “The tenth”" }).waitFor();
    await dialog.getByRole("button", { name: "Keep it" }).click();
    await studio("GET", "/streaming/videos/v1/case-10");
    await page.getByRole("button", { name: "Delete …" }).click();
    await dialog.getByRole("button", { name: "Delete it anyway" }).click();
    await status("Deleted Ten.");
    await openEvent("case-10");
    await page.locator("summary", { hasText: "Shown by" }).click();
    await page.getByText("Nothing uses it.").waitFor();
    expect((await readEvent("case-10")).video_ids).toEqual(["case-10"]);
  });

  test("a marker after the end of its video is created and saved with a warning", async () => {
    await openView(page, "#/worldcup/annotations/new");
    await page.getByLabel("ID", { exact: true }).fill("late");
    const videos = page.getByRole("combobox", { name: "Search video" });
    await videos.fill("video-match-2018-1");
    await page.getByRole("option", { name: "Russia vs Saudi Arabia" }).click();
    const offset = page.getByRole("textbox", { name: "Offset", exact: true });
    await offset.fill("2:10:01");
    await page.getByRole("button", { name: "Create" }).click();
    await status("Created late. Probably a mistake: annotation.offset: must not be after the end");
    await offset.fill("2:10:02");
    await save();
    await page.getByText("OFFSET_PAST_END").waitFor();
    await offset.fill("2:10:00");
    await save();
    await page.getByText("OFFSET_PAST_END").waitFor({ state: "detached" });
  });

  test("a change that is taken back below the form shows in the form, and so does a save in its history", async () => {
    await createEvent("taken-back", { title: { en: "Earlier" } });
    await openEvent("taken-back");
    await title().fill("Later");
    await page.locator("summary", { hasText: "History" }).click();
    await page.getByText("created event").waitFor();
    await writeOf(() => save());
    await page.getByText("updated event").click();
    await page.getByRole("button", { name: "Take it back" }).click();
    const dialog = page.getByRole("dialog", { name: "Take this change back?" });
    await dialog.getByRole("button", { name: "Take it back" }).click();
    await titled("Earlier");
    expect(await title().inputValue()).toBe("Earlier");
  });

  test("what is discarded after a change was taken back leaves the values that are stored", async () => {
    await createEvent("discarded", { title: { en: "Earlier" } });
    await studio("PATCH", "/cms/events/v1/discarded", {
      event: { title: { en: "Later" } },
      update_mask: "title",
    });
    await openEvent("discarded");
    await page
      .getByLabel("Poster image URL", { exact: true })
      .fill("https://images.example/1.webp");
    await page.locator("summary", { hasText: "History" }).click();
    await page.getByText("updated event").click();
    await page.getByRole("button", { name: "Take it back" }).click();
    await Promise.all([
      page.waitForResponse(/events\/v1\/discarded$/),
      confirm(page, "Take it back"),
    ]);
    await page.getByRole("button", { name: "Discard", exact: true }).click();
    await titled("Earlier");
  });

  test("case 16: the texts of a form stay when the session ends, and are saved after signing in", async () => {
    await createEvent("case-16", { title: { en: "Sixteen" } });
    const { access_token: row, token } = await studio("POST", "/iam/access_tokens/v1", {
      account_id: "account-owner",
      name: "To be revoked",
    });
    const other = await openStudio(browser(), marquee.url, token, "#/worldcup/events/case-16");
    await title(other).fill("Typed before the end");
    await studio("POST", `/iam/access_tokens/v1/${row.id}:revoke`, {});
    await save(other);
    const dialog = other.getByRole("dialog", { name: "Your session has ended" });
    await dialog.waitFor();
    await expectAccessible(other);
    await dialog.getByLabel("Access token").fill(marquee.tokens.owner);
    await dialog.getByRole("button", { name: "Sign in and save" }).click();
    await status("Saved.", other);
    expect((await readEvent("case-16")).title.en).toBe("Typed before the end");
    await other.close();
  });

  /** Counts the searches that a picker sends while a word is typed into it. */
  async function countSearches(of: Locator, word: string): Promise<number> {
    const sent: string[] = [];
    const count = (request: Request) => sent.push(request.url());
    page.on("request", count);
    await of.pressSequentially(word);
    await page.getByRole("option", { name: "Use the ID" }).waitFor();
    await expect.poll(() => page.getByRole("option").count()).toBeGreaterThan(1);
    page.off("request", count);
    return sent.filter((url) => /Service\/List|page_size/.test(url)).length;
  }

  test("a picker shows no hits of another word while it searches", async () => {
    await createEvent("searching");
    await openEvent("searching");
    const url = "**/svc.cda.cms.entity.v1.EntityService/ListEntities";
    const search = await holdRequests(page, "POST", url);
    const picker = page.getByRole("group", { name: "People, teams, places" }).getByRole("combobox");
    const hits = await picker.getAttribute("aria-controls");
    await page.evaluate(`{
      window.optionsSeen = [];
      new MutationObserver((changes) => {
        const added = changes.flatMap((it) => [...it.addedNodes]);
        window.optionsSeen.push(...added.map((it) => it.textContent));
      }).observe(document.getElementById("${hits}"), { childList: true });
    }`);
    await Promise.all([
      page.waitForRequest((it) => it.url().endsWith("ListEntities")),
      picker.pressSequentially("team-bra"),
    ]);
    expect(await page.evaluate("window.optionsSeen")).toEqual([]);
    await search();
    await page.getByRole("option").filter({ hasText: "Brazil" }).waitFor();
  });

  test("case 20: a picker sends two requests for a word, and works by keyboard alone", async () => {
    await createEvent("case-20", { entity_ids: ["team-mex", "nothing-has-this-id"] });
    await openEvent("case-20");
    const group = page.getByRole("group", { name: "People, teams, places" });
    const rows = group.getByRole("listitem");
    await rows.filter({ hasText: "Mexico" }).waitFor();
    await rows.filter({ hasText: "names nothing" }).waitFor();
    const picker = group.getByRole("combobox");
    expect(await countSearches(picker, "brazil")).toBeLessThanOrEqual(2);
    const options = page.getByRole("listbox").getByRole("option");
    await expect.poll(() => options.count()).toBe(11);
    const listed = await options.allInnerTexts();
    expect([listed[0], listed[10]]).toEqual(["Brazil\nteam-bra", "Use the ID\nbrazil"]);
    await picker.press("ArrowDown");
    const active = await picker.getAttribute("aria-activedescendant");
    const second = await options.nth(1).getAttribute("id");
    expect(active).toBe(second);
    await expectAccessible(page);
    await picker.press("Escape");
    // More players than are ranked have Spain in their texts, and ids that come before its own.
    await picker.fill("spain");
    await expect.poll(() => options.first().innerText()).toBe("Spain\nteam-esp");
    await picker.fill("");
    await picker.pressSequentially("team-bra");
    await options.filter({ hasText: "team-bra" }).first().waitFor();
    await picker.press("Enter");
    await rows.filter({ hasText: "Brazil" }).waitFor();
    const up = group.getByRole("button", { name: "Move Brazil up" });
    await up.focus();
    await page.keyboard.press("Enter");
    await status("Brazil is now 2 of 3");
    await page.keyboard.press("Enter");
    await status("Brazil is now 1 of 3");
    const focused = () => page.evaluate("document.activeElement.ariaLabel");
    expect(await focused(), "an arrow at the end keeps the focus").toBe("Move Brazil up");
    await rows.nth(0).getByRole("link").focus();
    await page.keyboard.press("Alt+ArrowDown");
    await status("Brazil is now 2 of 3");
    // The link keeps the focus: Enter opens it, and does not move the row.
    expect(await page.evaluate("document.activeElement.innerText")).toContain("Brazil");
    await page.keyboard.press("Alt+ArrowUp");
    await status("Brazil is now 1 of 3");
    await rows.nth(0).locator(".grip").dragTo(rows.nth(2));
    await status("Brazil is now 3 of 3");
    await writeOf(() => save());
    await status("Saved.");
    const { entity_ids: saved } = await readEvent("case-20");
    expect(saved).toEqual(["team-mex", "nothing-has-this-id", "team-bra"]);
  });

  test("case 21: texts survive a reload and another view, which says so; a sign-out forgets them", async () => {
    await createEvent("case-21", { title: { en: "Twenty-one" } });
    const other = await open("#/worldcup/events/case-21");
    other.on("dialog", (dialog) => dialog.accept());
    await title(other).fill("Half a t");
    // Kept before the browser does anything else: a reload may come next.
    const typeLast = `(async (input) => {
      input.value = "Half a ti";
      input.dispatchEvent(new Event("input", { bubbles: true }));
      await undefined;
      return JSON.stringify(sessionStorage);
    })(document.activeElement)`;
    expect(await other.evaluate(typeLast)).toContain("Half a ti");
    await other.reload();
    await status("You have unsaved changes", other);
    expect(await title(other).inputValue()).toBe("Half a ti");
    await openView(other, "#/worldcup/events");
    await other.getByRole("heading", { level: 1, name: "Events" }).waitFor();
    await openEvent("case-21", other);
    await status("You have unsaved changes", other);
    await other.getByRole("button", { name: "Discard them" }).click();
    await titled("Twenty-one", other);
    await title(other).fill("Half a ti");
    await other.getByRole("button", { name: "Sign out" }).click();
    await other.getByLabel("Access token").fill(marquee.tokens.owner);
    await other.getByRole("button", { name: "Sign in", exact: true }).click();
    await openEvent("case-21", other);
    expect(await title(other).inputValue()).toBe("Twenty-one");
    expect(await other.evaluate("Object.keys(sessionStorage).length")).toBe(1);
    await other.close();
  });

  test("texts that one account has typed are not shown to another one that signs in to the tab", async () => {
    await createEvent("of-editor", { title: { en: "Stored" } });
    const { access_token: row, token } = await studio("POST", "/iam/access_tokens/v1", {
      account_id: "account-editor",
      name: "To be revoked",
    });
    const other = await openStudio(browser(), marquee.url, token, "#/worldcup/events/of-editor");
    other.on("dialog", (dialog) => dialog.accept());
    await title(other).fill("Typed by the editor");
    await studio("POST", `/iam/access_tokens/v1/${row.id}:revoke`, {});
    await other.reload();
    await other.getByLabel("Access token").fill(marquee.tokens.owner);
    await other.getByRole("button", { name: "Sign in", exact: true }).click();
    await titled("Stored", other);
    await other.close();
  });

  test("texts after another account has signed in belong to that one", async () => {
    await createEvent("of-two", { title: { en: "Stored" } });
    const { access_token: row, token } = await studio("POST", "/iam/access_tokens/v1", {
      account_id: "account-editor",
      name: "To be revoked",
    });
    const other = await openStudio(browser(), marquee.url, token, "#/worldcup/events/of-two");
    other.on("dialog", (dialog) => dialog.accept());
    await title(other).fill("Of the editor");
    await studio("POST", `/iam/access_tokens/v1/${row.id}:revoke`, {});
    await save(other);
    const dialog = other.getByRole("dialog", { name: "Your session has ended" });
    await dialog.getByLabel("Access token").fill(marquee.tokens.owner);
    await Promise.all([
      other.waitForResponse(/test_permissions/),
      dialog.getByRole("button", { name: "Sign in and save" }).click(),
    ]);
    await status("Saved.", other);
    await title(other).fill("Of the owner");
    await other.reload();
    await status("You have unsaved changes", other);
    expect(await title(other).inputValue()).toBe("Of the owner");
    await other.close();
  });

  test("a creation whose response is lost is not made twice", async () => {
    await openView(page, "#/worldcup/events/new");
    await title().fill("Created once");
    const lose = async (route: Route) => {
      await route.fetch();
      await route.abort();
    };
    await page.route(/events\/v1\?request_id/, lose, { times: 1 });
    const create = page.getByRole("button", { name: "Create", exact: true });
    await create.click();
    await page.getByRole("alert").filter({ hasText: "The server cannot be reached" }).waitFor();
    expect(await page.getByRole("alert").innerText()).not.toContain("Nothing was saved");
    await create.click();
    await status("Created Created once.");
    const filter = encodeURIComponent('title.en: "Created once"');
    const { events } = await studio("GET", `/cms/events/v1?project_id=worldcup&filter=${filter}`);
    expect(events).toHaveLength(1);
  });

  test("a creation whose response a proxy replaces with HTML is not made twice", async () => {
    await openView(page, "#/worldcup/events/new");
    await title().fill("Created behind a proxy");
    const replace = async (route: Route) => {
      await route.fetch();
      await route.fulfill({ contentType: "text/html", body: "<h1>Sign in to the network</h1>" });
    };
    await page.route(/events\/v1\?request_id/, replace, { times: 1 });
    const create = page.getByRole("button", { name: "Create", exact: true });
    await create.click();
    await page.getByRole("alert").filter({ hasText: "The response is not JSON" }).waitFor();
    await create.click();
    await status("Created Created behind a proxy.");
    const filter = encodeURIComponent('title.en: "Created behind a proxy"');
    const { events } = await studio("GET", `/cms/events/v1?project_id=worldcup&filter=${filter}`);
    expect(events).toHaveLength(1);
  });

  test("a resource is created without TLS, too", async () => {
    const other = await open("#/worldcup/events");
    await other.addInitScript("delete Crypto.prototype.randomUUID");
    await other.reload();
    await openView(other, "#/worldcup/events/new");
    await title(other).fill("Without TLS");
    await other.getByRole("button", { name: "Create", exact: true }).click();
    await status("Created Without TLS.", other);
    await other.close();
  });

  test("more than 100 references are known by their titles", async () => {
    const { entities } = await studio("GET", "/cms/entities/v1?project_id=worldcup&page_size=120");
    const entity_ids = entities.map(({ id }: { id: string }) => id);
    await createEvent("of-many", { entity_ids });
    await openEvent("of-many");
    const rows = page.getByRole("group", { name: "People, teams, places" }).getByRole("listitem");
    await expect.poll(() => rows.getByRole("link").count()).toBe(120);
    expect(await page.getByText("names nothing").count()).toBe(0);
  });

  test("an id that was typed into a picker, and not chosen, is not lost by a save", async () => {
    await createEvent("not-chosen");
    await openEvent("not-chosen");
    await title().fill("With a team");
    const group = page.getByRole("group", { name: "People, teams, places" });
    await group.getByRole("combobox").fill("team-of-tomorrow");
    await page.getByText("0 hits").waitFor();
    await save();
    await expect.poll(() => page.evaluate("document.activeElement.role")).toBe("combobox");
    await page.keyboard.press("ArrowDown");
    await page.getByRole("option", { name: "Use the ID" }).waitFor();
    await page.keyboard.press("Enter");
    await writeOf(() => save());
    expect((await readEvent("not-chosen")).entity_ids).toEqual(["team-of-tomorrow"]);
  });

  test("two texts of one key, and one without a key, are not saved in part", async () => {
    await openView(page, RAIL);
    const group = page.getByRole("group", { name: "Additional filters" });
    const add = page.getByRole("button", { name: "Add to additional filters" });
    await form().waitFor();
    await page.evaluate(
      "document.querySelectorAll('details').forEach((it) => { it.open = true; })",
    );
    const filled = await group.getByLabel(/^Key \d+/).count();
    for (const key of ["mine", "mine", ""]) {
      await add.click();
      const last = group.locator(".pair").last();
      await last.getByPlaceholder("Key").fill(key);
      await last.getByPlaceholder("Text").fill("id: a");
    }
    const isValid = (of: number) =>
      group
        .getByLabel(`Key ${filled + of} of`)
        .evaluate((it) => (it as unknown as { validity: { valid: boolean } }).validity.valid);
    expect([await isValid(1), await isValid(2), await isValid(3)]).toEqual([true, false, false]);
    const focused = () =>
      page.evaluate("document.activeElement.ariaLabel || document.activeElement.textContent");
    await group.getByRole("button", { name: "Remove mine" }).first().press("Enter");
    expect(await focused(), "the text that follows").toBe("Remove mine");
    await group
      .getByRole("button", { name: /^Remove/ })
      .last()
      .press("Enter");
    expect(await focused()).toBe("+ Add to additional filters");
    await page.getByRole("button", { name: "Discard", exact: true }).click();
  });

  test("what is removed from a list passes the focus on", async () => {
    await createEvent("removed", {
      ...{ fields: { a: 1, b: 2 }, entity_ids: ["team-bra", "team-mex"] },
    });
    await openEvent("removed");
    const focused = () =>
      page.evaluate("document.activeElement.ariaLabel || document.activeElement.textContent");
    const remove = async (name: string) => {
      await page.getByRole("button", { name: `Remove ${name}` }).press("Enter");
      return focused();
    };
    await page.getByRole("link", { name: "Mexico" }).waitFor();
    expect(await remove("Brazil")).toContain("Mexico");
    expect(await remove("Mexico")).toBe("Search people, teams, places");
    expect(await remove("Fields, a")).toBe("Fields, b");
    expect(await remove("Fields, b")).toMatch(/^Add /);
    await page.getByRole("button", { name: "Discard", exact: true }).click();
  });

  test("the buttons of a form say why they are off, and the form does not jump when they are on", async () => {
    await createEvent("idle");
    await openEvent("idle");
    for (const name of ["Discard", "Save"]) {
      const button = page.getByRole("button", { name, exact: true });
      expect([await button.isDisabled(), await button.getAttribute("title")]).toEqual([
        true,
        "No changes",
      ]);
    }
    await page.setViewportSize({ width: 320, height: 900 });
    const top = async () => (await title().boundingBox())?.y;
    const before = await top();
    await title().fill("Typed");
    expect(await top()).toBe(before);
    await page.setViewportSize({ width: 1_280, height: 900 });
    await page.getByRole("button", { name: "Discard", exact: true }).press("Enter");
    const focused = await page.evaluate("document.activeElement.textContent");
    expect(focused, "the button keeps the focus").toBe("Discard");
  });

  const form = () => page.locator("form.item");

  test("a text that cannot be read stays when its view is left", async () => {
    await createEvent("half-typed", { content_type: "match", fields: { number: 1 } });
    await openEvent("half-typed");
    await page.getByRole("button", { name: "Fields as text" }).click();
    const text = page.getByLabel("Fields, JSON");
    await text.fill('{"number": 2, ');
    await openView(page, "#/worldcup/events");
    await page.getByRole("heading", { level: 1, name: "Events" }).waitFor();
    await openEvent("half-typed");
    await status("You have unsaved changes");
    expect(await text.inputValue()).toBe('{"number": 2, ');
    await page.getByRole("button", { name: "Discard them" }).click();
    await page.getByLabel("Fields, number", { exact: true }).waitFor();
    expect(await page.evaluate("JSON.stringify(sessionStorage)")).not.toContain("half-typed");
  });

  test("texts for which the tab has no room are said not to be kept", async () => {
    await createEvent("no-room");
    await openEvent("no-room");
    await page.evaluate(`{
      const [more, left] = ["x".repeat(2 ** 20), "y".repeat(2 ** 10)];
      try { for (let at = 0; ; at += 1) sessionStorage.setItem("x" + at, more); } catch {}
      try { for (let at = 0; ; at += 1) sessionStorage.setItem("y" + at, left); } catch {}
    }`);
    await title().fill("z".repeat(1_000));
    await status("This tab has no room");
    await page.evaluate(
      "Object.keys(sessionStorage).forEach((it) => /^[xy]\\d/.test(it) && sessionStorage.removeItem(it))",
    );
    await page.getByRole("button", { name: "Discard", exact: true }).click();
    await page.getByText("This tab has no room").waitFor({ state: "detached" });
  });

  test("a row that was added stays open when it is moved, and the way to a new key keeps the focus", async () => {
    await openView(page, "#/worldcup/banner-collections/banners-home");
    await page.getByRole("button", { name: "Add to banners" }).click();
    const rows = page.locator(".field-rows > [role=group] > .movable > li");
    const opened = rows.locator("> .row > details[open]");
    await opened.waitFor();
    await rows
      .last()
      .getByRole("button", { name: /^Move .* up$/ })
      .last()
      .click();
    await status(/is now \d+ of \d+/);
    expect(await opened.count()).toBe(1);
    await page.getByRole("button", { name: "Discard", exact: true }).click();
    await createEvent("new-key", { fields: { note: "" } });
    await openEvent("new-key");
    await page
      .getByRole("button", { name: "Add another key to Fields", exact: true })
      .press("Enter");
    expect(await page.evaluate("document.activeElement.tagName")).toBe("SELECT");
  });

  test("the values of a release are not shown as those of the current version", async () => {
    await createEvent("of-release", { title: { en: "Current title" } });
    await createRelease("retitled");
    await studio("PATCH", "/cms/events/v1/of-release?release_id=retitled", {
      event: { title: { en: "Draft title" } },
      update_mask: "title",
    });
    await openEvent("of-release", page, "?release=retitled");
    await titled("Draft title");
    const read = await holdRequests(page, "GET", "**/cms/events/v1/of-release*");
    await openView(page, "#/worldcup/events/of-release");
    await page.getByText("Loading …").waitFor();
    await read();
    await titled("Current title");
  });

  test("changes in a release that was applied go on in the current version", async () => {
    await createEvent("after-release", { title: { en: "Before" } });
    await createRelease("over");
    await openEvent("after-release", page, "?release=over");
    await title().fill("Typed in the release");
    await studio("POST", "/cms/releases/v1/over:apply", {});
    await save();
    await status("The release is applied.");
    await page.waitForURL(/after-release$/);
    await titled("Typed in the release");
    await writeOf(() => save());
    await status("Saved.");
    expect((await readEvent("after-release")).title.en).toBe("Typed in the release");
  });

  test("changes that were left in a release before it was applied or deleted are not lost", async () => {
    for (const [id, method, path] of [
      ["left-applied", "POST", "left-applied:apply"],
      ["left-deleted", "DELETE", "left-deleted"],
    ] as const) {
      await createEvent(id, { title: { en: "Before" } });
      await createRelease(id);
      await openEvent(id, page, `?release=${id}`);
      await title().fill("Left in the release");
      await openView(page, "#/worldcup/events");
      await studio(method, `/cms/releases/v1/${path}`, method === "POST" ? {} : undefined);
      const listed = page.waitForResponse(/releases\/v1\?/);
      await page.evaluate("dispatchEvent(new Event('focus'))");
      await listed;
      await openEvent(id);
      await titled("Left in the release");
      await status("You have unsaved changes");
      await page.getByRole("button", { name: "Discard them" }).click();
      await titled("Before");
    }
  });

  test("a release that was deleted is left with the changes, by a save or by a link", async () => {
    await createEvent("orphan", { title: { en: "Before" } });
    await createRelease("orphaned");
    await openEvent("orphan", page, "?release=orphaned");
    await title().fill("Typed in the release");
    await studio("DELETE", "/cms/releases/v1/orphaned");
    await save();
    await status("The release is deleted.");
    await page.waitForURL(/orphan$/);
    await titled("Typed in the release");
    await page.getByRole("button", { name: "Discard them" }).click();
    await openView(page, "#/worldcup/events?release=orphaned");
    await page.getByRole("link", { name: "Go on without the release" }).click();
    await page.getByRole("table").waitFor();
  });

  test("a link that was mangled says that it names nothing", async () => {
    await openView(page, "#/worldcup/events/50%");
    await page.getByRole("heading", { name: "This does not exist" }).waitFor();
  });

  test("the digits of an hour that follow those of a year are not part of the year", async () => {
    await createEvent("typed-time", { start_time: "2026-06-20T10:00:00Z" });
    await openEvent("typed-time");
    const start = page.getByLabel("Start time", { exact: true });
    await start.click({ position: { x: 8, y: 10 } });
    await page.keyboard.type("062120260915");
    expect(await start.inputValue()).toMatch(/^2026-06-21T(09|21):15/);
  });

  test("offline, a save says so, and the texts are saved once the server is back", async () => {
    await createEvent("offline", { title: { en: "Before" } });
    await openEvent("offline");
    await title().fill("Typed offline");
    await page.context().setOffline(true);
    await save();
    await page.getByRole("alert").filter({ hasText: "The server cannot be reached" }).waitFor();
    await page.context().setOffline(false);
    await writeOf(() => save());
    await status("Saved.");
    expect((await readEvent("offline")).title.en).toBe("Typed offline");
  });

  test("proposes the keys of the same content type, and shows 64 KiB as text", async () => {
    await createEvent("proposals", { content_type: "match", fields: { number: 1 } });
    await openEvent("proposals");
    await page.getByRole("button", { name: "Add score to Fields", exact: true }).click();
    await page.getByRole("button", { name: "Add home to Fields, score", exact: true }).click();
    await page.keyboard.type("2");
    await writeOf(() => save());
    await status("Saved.");
    expect((await readEvent("proposals")).fields).toEqual({ number: 1, score: { home: 2 } });
    await createEvent("large", { fields: { text: "x".repeat(70_000) } });
    await openEvent("large");
    await page.getByText("Above 64 KiB").waitFor();
    const text = page.getByLabel("Fields, JSON");
    expect(await text.count()).toBe(1);
    await openEvent("proposals");
    await page.getByRole("button", { name: "Fields as text" }).click();
    await text.fill('{"number": ');
    await page.getByRole("button", { name: "Fields as text" }).click();
    expect(await text.inputValue()).toBe('{"number": ');
    await text.fill('{"number": 3}');
    await page.getByRole("button", { name: "Fields as text" }).click();
    expect(await page.getByLabel("Fields, number", { exact: true }).inputValue()).toBe("3");
  });

  test("a text of a tree keeps the focus while it grows long", async () => {
    await createEvent("grows", { fields: { note: "" } });
    await openEvent("grows");
    const note = page.getByLabel("Fields, note", { exact: true });
    await note.focus();
    await page.keyboard.type("0123456789".repeat(9));
    expect(await note.inputValue()).toHaveLength(90);
    await page.getByRole("button", { name: "Discard", exact: true }).click();
  });

  test("a number whose comma may separate thousands is not read as another one", async () => {
    await createEvent("thousands", { fields: { visitors: 5, price: 5 } });
    await openEvent("thousands");
    const [visitors, price] = ["visitors", "price"].map((it) =>
      page.getByLabel(`Fields, ${it}`, { exact: true }),
    ) as [Locator, Locator];
    await price.fill("9,99");
    await visitors.fill("1,000");
    await page.getByText("A number, such as 2").waitFor();
    await visitors.fill("1000");
    await writeOf(() => save());
    await status("Saved.");
    expect((await readEvent("thousands")).fields).toEqual({ visitors: 1_000, price: 9.99 });
  });

  test("a key that is there keeps its value when it is added again", async () => {
    await createEvent("same-key", { fields: { score: { home: 2 } } });
    await openEvent("same-key");
    await page.getByRole("button", { name: "Add another key to Fields", exact: true }).click();
    await page.getByLabel("Key to add to Fields", { exact: true }).fill("score");
    await page.keyboard.press("Enter");
    expect(await page.getByLabel("Fields, score, home", { exact: true }).inputValue()).toBe("2");
    expect(await page.getByRole("button", { name: "Save", exact: true }).isDisabled()).toBe(true);
  });

  test("case 19: axe finds nothing on forms of all controls, and the policy is kept", async () => {
    for (const view of [
      "#/worldcup/events/match-2026-103",
      "#/worldcup/rulesets/ruleset-finals",
      "#/worldcup/offers/offer-day",
      "#/worldcup/banner-collections/banners-draft",
      RAIL,
      "#/worldcup/webhooks/new",
      "#/worldcup/annotations/new",
      "#/worldcup/actions/new",
    ]) {
      await openView(page, view);
      await page.locator("form.item").waitFor();
      await page.evaluate(
        "document.querySelectorAll('main details').forEach((it) => { it.open = true; })",
      );
      await expectAccessible(page);
    }
    expect(errors).toEqual([]);
  });
});
