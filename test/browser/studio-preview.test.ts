import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LiveMatch } from "../../demo/live-match.ts";
import { getUrl } from "../harness/calls.ts";
import { send } from "../harness/http.ts";
import { startOver } from "../harness/marquee.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { describeStudio } from "./describe-in-chromium.ts";
import { expectAccessible, openStudio, openView, signIn } from "./studio.ts";

/** During the last World Cup, so that matches are to come. */
const NOW = new Date("2026-06-20T12:00:00Z");

const GET_PAGE = "/svc.cda.ott.page.v1.PageService/GetPage";

const marquee = await useMarquee({ studio: true, clock: () => NOW });

test("/preview, which was a page of its own, leads to the studio where that is on", async () => {
  const got = await send("GET", `${marquee.url}/preview`);
  expect([got.status, got.headers.get("location")]).toEqual([308, "studio"]);
  const server = await startOver(marquee.store, { clock: () => NOW, runsActions: false });
  expect((await send("GET", `${server.studioUrl}/preview`)).status).toBe(404);
  await server.close(1_000);
});

test("the listener of the Studio API reads pages for the studio, and without it none", async () => {
  for (const studio of [true, false]) {
    const deliveryListen = { host: "127.0.0.1", port: 0 };
    const options = { studio, deliveryListen, clock: () => NOW, runsActions: false };
    const server = await startOver(marquee.store, options);
    const url = server.studioUrl + getUrl(GET_PAGE, { slug: "home" });
    const got = await send("GET", url, { token: marquee.keys.preview });
    expect([studio, got.status]).toEqual([studio, studio ? 200 : 404]);
    await server.close(1_000);
  }
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

describeStudio("the preview of the studio", (browser) => {
  let page: Page;
  /** What the browser says is wrong. */
  const errors: string[] = [];
  const collectErrors = () => {
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) errors.push(message.text());
    });
  };
  const region = (name: string) => page.getByRole("region", { name, exact: true });
  const choice = (name: string) => page.getByRole("combobox", { name, exact: true });
  const heading = (name: string) => page.getByRole("heading", { level: 1, name, exact: true });
  const more = (on = page) => on.locator(".choices summary").press("Enter");
  /** Waits until the page that was last chosen is drawn. */
  const isShown = () => page.locator(".drawing:not([aria-busy])").waitFor();
  const statusOf = (text: RegExp) => page.getByRole("status").filter({ hasText: text }).waitFor();

  beforeAll(async () => {
    // No test looks at the demo's pictures, whose URL is that of another port.
    page = await browser().newPage({ timezoneId: "UTC", locale: "en" });
    page.setDefaultTimeout(15_000);
    collectErrors();
    await signIn(page, marquee.url, marquee.keys.preview);
    await heading("Home").waitFor();
  });

  test("keeps the key out of the address, and has nothing that a key may not do", async () => {
    expect(page.url()).toBe(`${marquee.url}/studio#/worldcup/preview`);
    expect(await page.getByRole("navigation").count()).toBe(0);
    expect(await page.getByRole("link", { name: "Edit" }).count()).toBe(0);
    await openView(page, "#/worldcup/preview?page=help");
    await heading("Help").waitFor();
    await expectAccessible(page);
    await openView(page, "#/worldcup/events");
    await heading("Home").waitFor();
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

  test("keeps the chosen day of a calendar when the calendar changes", async () => {
    const calendar = (name: string) => region(name).getByLabel("Day", { exact: true });
    await calendar("Match calendar").fill("2026-07-19");
    const url = `${marquee.url}/ott/page_components/v2/calendar-home`;
    const rename = async (name: string) => {
      const body = { page_component_update: { name }, update_mask: "name" };
      const got = await send("PATCH", url, { token: marquee.tokens.owner, body });
      expect(got.status, got.text).toBe(200);
    };
    await rename("All matches by day");
    await region("All matches by day").getByText("Sunday, July 19, 2026").waitFor();
    expect(await calendar("All matches by day").inputValue()).toBe("2026-07-19");
    await rename("Match calendar");
    await calendar("Match calendar").fill("");
  });

  test("marks what is not open at the time that is shown", async () => {
    const url = `${marquee.url}/cms/events/v1/match-2018-1`;
    const change = async (availability: object) => {
      const body = { event: { availability }, update_mask: "availability" };
      expect((await send("PATCH", url, { token: marquee.tokens.owner, body })).status).toBe(200);
    };
    const mark = () => region("Opening matches").locator(".badge");
    const before = await mark().allInnerTexts();
    const [start, end] = ["2027-01-01T00:00:00Z", "2027-02-01T00:00:00Z"];
    await change({ start_time: start, end_time: end });
    for (const [time, want] of [
      ["", ["not yet"]],
      ["2027-01-15T12:00", []],
      ["2027-02-15T12:00", ["over"]],
    ] as const) {
      await page.getByLabel("Time", { exact: true }).fill(time);
      await page.keyboard.press("Tab");
      await expect.poll(() => mark().allInnerTexts()).toEqual([...before, ...want]);
    }
    await page.getByLabel("Time", { exact: true }).fill("");
    await page.keyboard.press("Tab");
    await change({});
  });

  test("chooses a country by its name", async () => {
    await page.getByText("More", { exact: true }).click();
    const asked = page.waitForRequest((it) => it.headers()["x-preview-country"] === "AT");
    await page.getByLabel("Country").selectOption({ label: "Austria" });
    await asked;
    await page.getByLabel("Country").selectOption({ label: "Here" });
    await page.getByText("More", { exact: true }).click();
  });

  test("opens the calendar on the day of the browser, and draws posters tall", async () => {
    const poster = region("Highlights").locator(".art").first();
    const shape = async () => {
      const { width = 0, height = 0 } = (await poster.boundingBox()) ?? {};
      return height / width;
    };
    // The page is drawn again after an earlier choice.
    await expect.poll(shape).toBeCloseTo(1.5, 1);
    // The clock of a page is that of its context.
    const other = await browser().newPage({ timezoneId: "UTC", locale: "en" });
    await other.clock.setFixedTime(NOW);
    await signIn(other, marquee.url, marquee.keys.preview);
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
      await expect.poll(() => chip.getAttribute("aria-pressed")).toBe(pressed);
      await isShown();
      expect(decodeURIComponent(page.url()).includes('"stage":"knockout"')).toBe(isNarrowed);
      expect(await region("Today and tonight").getByText("Hidden:").count()).toBe(+isNarrowed);
      expect(await finals.count()).toBe(1);
    }
  });

  test("explains a component: its filter, what the session drops, times and surrogate keys", async () => {
    await choice("Season").selectOption("2022");
    await isShown();
    await page.getByLabel("Inspect All matches").press("Enter");
    const matches = region("Matches");
    await matches.getByText('content_type: match AND fields.season.id: "2022"').waitFor();
    await matches.getByText("worldcup/page_components/rail-home-matches").waitFor();
    const text = await matches.innerText();
    expect(text).toMatch(/entity_ids: \{team\.ids\}\s+UNSET/);
    expect(text).toMatch(/\d ms in the browser, [\d.]+ ms to the first byte/);
    expect(text).toContain("Not known: sign in with an access token");
    await more();
    await page.getByLabel("What the viewer has chosen").fill("shoe");
    await page.keyboard.press("Tab");
    await page.getByText("Must be a JSON object").waitFor();
    await page.getByLabel("What the viewer has chosen").fill('{"shoe": 1}');
    await page.keyboard.press("Tab");
    await region("Finals").waitFor();
    await region("Matches").getByText("Hidden: the session sets shoe").first().waitFor();
    await page.getByLabel("What the viewer has chosen").fill("");
    await page.keyboard.press("Tab");
    await page.waitForURL((url) => !url.hash.includes("shoe"));
    await more();
  });

  test("changes environment and page by the keyboard", async () => {
    await region("Every goal, every match").waitFor();
    await choice("Platform").focus();
    await page.keyboard.type("tvos");
    await statusOf(/^Home: 16 components/);
    expect(await region("Every goal, every match").count()).toBe(0);
    await choice("Page").focus();
    await page.keyboard.type("Player");
    await statusOf(/^Player: /);
    const dropped = await page.getByRole("table", { name: "Dropped components" }).innerText();
    expect(dropped).toContain("VARIABLE_UNRESOLVED: a variable has no value: {id}");
    expect(dropped).toContain("Profile (profile-player)");
    expect(await page.locator(":focus").inputValue()).toBe("player");
  });

  test("shows a player's chapters, and the playback decision with its rules for a viewer", async () => {
    page = await openStudio(
      browser(),
      marquee.url,
      marquee.tokens.owner,
      '#/worldcup/preview?page=match&parameters={"id":"match-2026-104"}',
    );
    collectErrors();
    await heading("Match: Spain vs Argentina").waitFor();
    await page.getByText("type-goal 106′").waitFor();
    await page.getByLabel("Inspect Match player").press("Enter");
    const rules = page.getByRole("table", { name: "Rules, in order of evaluation" });
    await rules.getByText("geo_restrictions").waitFor();
    expect(await rules.getByRole("row").count()).toBe(8);
    expect(await region("Match player").innerText()).toContain("✓ Plays");
    const owner = { token: marquee.tokens.owner };
    const { json } = await send("GET", `${marquee.url}/cms/events/v1/match-2026-104`, owner);
    const url = `${marquee.url}/streaming/videos/v1/${json.event.video_ids[0]}`;
    const change = (availability: object) =>
      send("PATCH", url, {
        ...owner,
        body: { video: { availability }, update_mask: "availability" },
      });
    expect((await change({ start_time: "2099-01-01T00:00:00Z" })).status).toBe(200);
    await page.reload();
    await page.getByLabel("Inspect Match player").press("Enter");
    await region("Match player").getByText("✕ Does not play: VIDEO_NOT_AVAILABLE").waitFor();
    await change({});
    await page.reload();
    await page.getByText("type-goal 106′").waitFor();
  });

  test("axe finds nothing, wide and narrow, light and dark, and every control has a name", {
    timeout: 60_000,
  }, async () => {
    await more();
    await expectAccessible(page);
    const tree = await page.locator("body").ariaSnapshot();
    expect(tree).toMatch(/- combobox "Platform"/);
    expect(tree).not.toMatch(
      /- (?:button|checkbox|combobox|form|link|region|searchbox|table|textbox)\b(?! ")/,
    );
    expect(await page.getByRole("heading", { level: 1 }).count()).toBe(1);
    await openView(page, "#/worldcup/preview?page=home");
    await region("Stage").waitFor();
    await expectAccessible(page);
  });

  test("shows a new score of the live match without a reload", async () => {
    await openView(page, '#/worldcup/preview?page=match&parameters={"id":"match-2022-64"}');
    const { url: studioUrl, tokens } = marquee;
    const match = new LiveMatch({ studioUrl, accessToken: tokens.owner });
    for (const score of ["0", "1"]) {
      await match.next();
      const term = region("Match player").getByText("home score", { exact: true });
      await term.locator(`xpath=following-sibling::dd[1][text()="${score}"]`).waitFor();
    }
  });

  test("proposes the items of a page that has none, in its field and as links", async () => {
    await choice("Page").selectOption("team");
    const links = page.locator(".suggestions a");
    await links.first().waitFor();
    const options = page.locator("#composer-proposals option");
    expect(await options.allInnerTexts()).toEqual(await links.allInnerTexts());
    const ids = await options.evaluateAll((all) => all.map((it) => it.getAttribute("value")));
    expect(ids).toEqual(Array(5).fill(expect.stringMatching(/^team-/)));
    const name = await links.first().innerText();
    await links.first().click();
    await page.getByRole("heading", { level: 1, name: `Team: ${name}` }).waitFor();
    expect(await page.getByLabel("Entity", { exact: true }).inputValue()).toBe(ids[0]);
    expect(await links.count()).toBe(0);
    await choice("Page").selectOption("home");
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

  test("a component whose items the server did not read in time says so", async () => {
    await page.route("**/svc.cda.ott.page.v1.PageService/GetPage", async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      for (const it of json.components) {
        if (it.items?.length > 0) Object.assign(it, { items: [], itemsNextPageToken: "next" });
      }
      await route.fulfill({ response, json });
    });
    await page.reload();
    await region("Finals").getByText("The server is busy: its items took too long.").waitFor();
    await page.unrouteAll({ behavior: "wait" });
  });

  test("a page that another choice overtakes is not drawn", async () => {
    const late = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    await page.route("**/svc.cda.ott.page.v1.PageService/GetPage", async (route) => {
      const isOvertaken = route.request().postData()?.includes("page-team");
      if (isOvertaken) await late.promise;
      // A request that was aborted has nowhere to go.
      await route.continue().catch(() => {});
      const response = isOvertaken ? await route.request().response() : undefined;
      await response?.finished();
      if (isOvertaken) ended.resolve();
    });
    const asked = page.waitForRequest((it) => it.postData()?.includes("page-team") ?? false);
    await choice("Page").selectOption("team");
    await asked;
    await choice("Page").selectOption("home");
    await isShown();
    await statusOf(/^Home/);
    late.resolve();
    await ended.promise;
    await page.evaluate("new Promise((drawn) => setTimeout(drawn, 100))");
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("Home");
    await page.unrouteAll({ behavior: "wait" });
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

  test("keeps the choices when the skip button is used", async () => {
    const { hash } = new URL(page.url());
    expect(hash).toContain("home");
    await page.getByRole("button", { name: "Skip to the content" }).press("Enter");
    expect(await page.locator(":focus").getAttribute("id")).toBe("view");
    expect(new URL(page.url()).hash).toBe(hash);
  });

  test("follows a link of the time when it was a page of its own", async () => {
    const other = await browser().newPage({ locale: "en" });
    await signIn(other, marquee.url, marquee.keys.preview);
    await other.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    const old = {
      ...{ slug: "match", parameters: { id: "match-2026-104" }, environment: "tvos" },
      ...{ language: "de", country: "DE", session: { season: "2022" }, releases: ["a", "b"] },
      ...{ moment: "2026-06-21T08:00", viewer: { userId: "v", vpn: true } },
    };
    await other.goto("about:blank");
    await other.goto(`${marquee.url}/preview#${encodeURIComponent(JSON.stringify(old))}`);
    await other.waitForURL(/#\/worldcup\/preview\?/);
    const { hash, pathname } = new URL(other.url());
    expect([pathname, Object.fromEntries(new URLSearchParams(hash.split("?")[1]))]).toEqual([
      "/studio",
      {
        ...{ page: "match", parameters: '{"id":"match-2026-104"}', environment: "tvos" },
        ...{ language: "de", country: "DE", session: '{"season":"2022"}', release: "a,b" },
        ...{ time: "2026-06-21T08:00", viewer: '{"userId":"v","vpn":true}' },
      },
    ]);
    // Malformed choices are the first ones.
    await other.goto("about:blank");
    await other.goto(`${marquee.url}/preview#%7B%22slug%22:%2`);
    await other.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    await other.close();
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
      opened = await browser().newPage();
      opened.setDefaultTimeout(15_000);
      await signIn(opened, marquee.url, key);
    });
    afterAll(() => opened?.close());

    test("without pages says so, and how to create one", async () => {
      await opened.getByRole("heading", { name: "No pages yet" }).waitFor();
      expect(await opened.getByRole("main").innerText()).toContain("POST /ott/pages/v1");
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
        await opened.goto(`${marquee.url}/studio#`);
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
    await openView(page, "#/worldcup/preview?page=home");
    await statusOf(/^Home/);
    const shown = region("Footer").locator(".link");
    await expect.poll(() => shown.allInnerTexts()).toEqual(links.map(() => title.en));
    const hrefs = await shown.evaluateAll((all) => all.map((it) => it.getAttribute("href")));
    expect(hrefs).toEqual(["https://good.example/", null, null, null, null, null]);
  });

  test("says that no page has the slug of a link", async () => {
    await openView(page, "#/worldcup/preview?page=nowhere");
    await page.getByRole("alert").filter({ hasText: "No page has the slug nowhere." }).waitFor();
    await openView(page, "#/worldcup/preview?page=home");
    await page.getByRole("alert").waitFor({ state: "detached" });
  });

  test("says what is wrong with a key", async () => {
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Access token or preview key").fill("mqv_wrong");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").filter({ hasText: "CREDENTIALS" }).waitFor();
    // What the browser says of the rejected call.
    expect(errors.filter((it) => !it.includes("401"))).toEqual([]);
  });
});
