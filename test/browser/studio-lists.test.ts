import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { send } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { describeStudio } from "./describe-in-chromium.ts";
import { expectAccessible, holdRequests, openStudio, openView } from "./studio.ts";

const marquee = await useMarquee({ studio: true });

async function get(path: string) {
  const got = await send("GET", marquee.url + path, { token: marquee.tokens.owner });
  expect(got.status, got.text).toBe(200);
  return got.json;
}

describeStudio("lists in the studio", (browser) => {
  let page: Page;
  beforeAll(async () => {
    page = await openStudio(browser(), marquee.url, marquee.tokens.editor, "#/worldcup/events");
  });

  const rows = () => page.getByRole("row");
  const notice = (text: string) => page.getByRole("status").filter({ hasText: text }).waitFor();
  const link = (name: string) => page.getByRole("link", { name, exact: true });

  test("are searched, filtered and turned, and each state is a link", async () => {
    await page.getByLabel("Search").fill("Egypt");
    await page.getByRole("button", { name: "Apply" }).click();
    await link("Egypt vs Uruguay").waitFor();
    await link("Portugal vs Spain").waitFor({ state: "detached" });
    expect(page.url()).toContain("q=Egypt");
    await page.getByLabel("Search").fill("");
    await page.getByLabel("Filter").fill("fields.season.id: 2022");
    await page.getByLabel("Filter").press("Enter");
    await link("Qatar vs Ecuador").waitFor();
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByText("Page 2").waitFor();
    await link("Qatar vs Ecuador").waitFor({ state: "detached" });
    await page.goBack();
    await link("Egypt vs Uruguay").waitFor();
  });

  test("show in the search what they are searched for, also after a link to all items", async () => {
    await page.getByLabel("Search").fill("No such match");
    await page.getByLabel("Search").press("Enter");
    await link("Show all").click();
    await rows().nth(1).waitFor();
    expect(await page.getByLabel("Search").inputValue()).toBe("");
  });

  test("turn one page by a double click, and forget what is chosen once the next page is there", async () => {
    await openView(page, "#/worldcup/events?filter=content_type:%20match");
    await page.getByRole("button", { name: "Next" }).waitFor();
    const load = await holdRequests(page, "POST", "**/ListEvents");
    await page.getByRole("button", { name: "Next" }).dblclick();
    await rows().nth(1).getByRole("checkbox").check();
    await page.getByText("1 chosen").waitFor();
    await load();
    await page.getByText("1 chosen").waitFor({ state: "detached" });
    await page.getByText("Page 2").waitFor();
    await openView(page, "#/worldcup/events?q=Egypt");
    await page.getByText("Page 2").waitFor({ state: "detached" });
  });

  test("that cannot be read because the session has ended lead to the sign-in", async () => {
    await page.route("**/ListEvents", (route) => route.fulfill({ status: 401, json: {} }), {
      times: 1,
    });
    await openView(page, "#/worldcup/events?q=Iran");
    await page.getByRole("alert").getByRole("button", { name: "Sign in" }).click();
    await link("Morocco vs Iran").waitFor();
    await openView(page, "#/worldcup/events?q=Egypt");
    await link("Egypt vs Uruguay").waitFor();
  });

  test("stay when they cannot be read again without a connection, which is said", async () => {
    await openView(page, "#/worldcup/events?q=Iran");
    await link("Morocco vs Iran").waitFor();
    await page.context().setOffline(true);
    await page.evaluate("dispatchEvent(new Event('focus'))");
    await page.getByRole("status").filter({ hasText: "No connection" }).waitFor();
    expect(await link("Morocco vs Iran").count()).toBe(1);
    await openView(page, "#/worldcup/events?q=Egypt");
    await page.getByRole("alert").getByRole("heading", { name: "No connection" }).waitFor();
    await page.context().setOffline(false);
    await page.getByRole("button", { name: "Try again" }).click();
    await link("Egypt vs Uruguay").waitFor();
    expect(await page.title()).toBe("Events · World Cup · Marquee Studio");
  });

  test("case 9: a broken filter is marked at the server's column", async () => {
    await page.getByLabel("Search").fill("");
    await page.getByLabel("Filter").fill("content_type: (");
    await page.getByLabel("Filter").press("Enter");
    const mark = page.locator("pre.violation");
    await mark.waitFor();
    expect(await mark.innerText()).toContain("content_type: (\n---------------^");
  });

  test("of videos, pages and offers are searched by names and titles, which a filter narrows", async () => {
    for (const [section, q, name, other, filter] of [
      [
        "videos",
        "uruguay vs france",
        /^Highlights: Uruguay vs France/,
        /^Highlights: Sweden vs Switzerland/,
        "name: *2018",
      ],
      ["pages", "hom", /^Home$/, /^Match$/, "slug: home"],
      ["offers", "year p", /^Year Pass$/, /^Day Pass$/, "name: year-pass"],
    ] as const) {
      await openView(page, `#/worldcup/${section}`);
      await page.getByRole("heading", { level: 1, name: section }).waitFor();
      const found = rows().getByRole("link", { name });
      for (const narrowed of ["", filter, "id: nothing"]) {
        await page.getByRole("searchbox").fill(q);
        await page.getByLabel("Filter").fill(narrowed);
        await page.getByLabel("Filter").press("Enter");
        await found.waitFor(narrowed === "id: nothing" ? { state: "detached" } : {});
        await rows().getByRole("link", { name: other }).waitFor({ state: "detached" });
      }
    }
    await openView(page, "#/worldcup/transactions");
    await page.getByRole("heading", { level: 1, name: "Transactions" }).waitFor();
    expect(await page.getByRole("searchbox").count()).toBe(0);
  });

  test("of markers name their types and videos", async () => {
    await openView(page, "#/worldcup/annotations?filter=id:%20goal-2018-18-1");
    const cells = rows().filter({ hasText: "goal-2018-18-1" }).getByRole("cell");
    await cells.filter({ hasText: "Portugal vs Morocco" }).waitFor();
    expect(await cells.allInnerTexts()).toEqual([
      "goal-2018-18-1",
      "goal",
      "240s",
      "Portugal vs Morocco, Matchday 7, World Cup 2018",
    ]);
  });

  test("say what is missing: an empty search, and a role that may not", async () => {
    await openView(page, "#/worldcup/events?q=zzzz");
    await page.getByRole("heading", { name: "Nothing matches" }).waitFor();
    await page.getByRole("link", { name: "Show all" }).click();
    await link("Egypt vs Uruguay").waitFor();
    for (const [section, heading] of [
      ["events", "Events"],
      ["pages", "Pages"],
      ["releases", "Releases"],
    ] as const) {
      await openView(page, `#/worldcup/${section}/gone`);
      await page.getByRole("alert").getByRole("link", { name: "Back to the list" }).click();
      await page.getByRole("heading", { level: 1, name: heading }).waitFor();
    }
    await openView(page, "#/worldcup/events");
    await link("Egypt vs Uruguay").waitFor();
  });

  test("change chosen items together, and leave the others", async () => {
    const place = async () => (await link("Morocco vs Iran").boundingBox())?.y;
    const before = await place();
    for (const name of ["Egypt vs Uruguay", "Morocco vs Iran"]) {
      await page.getByLabel(`Choose ${name}`).check();
    }
    // What is shown for the chosen ones does not move the list below the pointer.
    expect(await place()).toBe(before);
    await page.getByRole("button", { name: "Hide" }).click();
    await notice("Hid 2 of 2.");
    const visibilityOf = async (id: string) => (await get(`/cms/events/v1/${id}`)).event.visibility;
    expect(
      await Promise.all(["match-2018-2", "match-2018-3", "match-2018-4"].map(visibilityOf)),
    ).toEqual(["VISIBILITY_HIDDEN", "VISIBILITY_HIDDEN", "VISIBILITY_PUBLISHED"]);
    await rows().filter({ hasText: "Egypt vs Uruguay" }).getByText("hidden").waitFor();
  });

  test("set the availability after a question that says what it replaces", async () => {
    // Those of the test before are still chosen.
    await page.getByLabel("Choose France vs Australia").check();
    await page.getByLabel("Until", { exact: true }).fill("2099-01-01T00:00");
    const stored = async () => (await get("/cms/events/v1/match-2018-5")).event.availability;
    for (const [words, effect] of [
      ["Set the availability", /from the beginning until Jan 1, 2099.*replaces/],
      ["Always available", /from the beginning for ever.*replaces/],
    ] as const) {
      await page.getByRole("button", { name: words }).click();
      const dialog = page.getByRole("dialog", { name: `${words}?` });
      await dialog.getByText(effect).waitFor();
      await dialog.getByRole("button", { name: words }).click();
      await notice("Set the availability of 3 of 3.");
      const isSet = words === "Set the availability";
      await expect.poll(async () => Boolean((await stored())?.end_time)).toBe(isSet);
    }
  });

  test("change all that match, step by step, and stop on demand", async () => {
    await openView(
      page,
      `#/worldcup/events?filter=${encodeURIComponent("fields.season.id: 2022")}`,
    );
    await link("Qatar vs Ecuador").waitFor();
    await page.getByLabel("Choose Qatar vs Ecuador").check();
    await page.getByLabel("All that match").check();
    let isFirst = true;
    await page.route("**/cms/records/v1:write", async (route) => {
      if (isFirst) await page.getByRole("button", { name: "Stop" }).click();
      isFirst = false;
      await route.continue();
    });
    await page.getByRole("button", { name: "Hide" }).click();
    await notice("Hid 50 of 64, then stopped.");
    await page.unroute("**/cms/records/v1:write");
    const filter = encodeURIComponent("fields.season.id: 2022 and visibility: VISIBILITY_HIDDEN");
    const path = `/cms/events/v1?project_id=worldcup&page_size=100&filter=${filter}`;
    expect((await get(path)).events).toHaveLength(50);
  });

  test("that turn while their items change keep the progress, and say how far a failure came", async () => {
    const write = "**/cms/records/v1:write";
    const held = Promise.withResolvers<void>();
    let count = 0;
    await page.route(write, async (route) => {
      count += 1;
      if (count === 2) return route.fulfill({ status: 500, json: { message: "Broken" } });
      await held.promise;
      await route.continue();
    });
    await page.getByLabel("All that match").check();
    await page.getByRole("button", { name: "Publish" }).click();
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByText("Page 2").waitFor();
    await page.getByRole("button", { name: "Stop" }).waitFor();
    held.resolve();
    await notice("Published 50 of 64, then failed.");
    await page.unroute(write);
  });

  test("change no items together in a release, and say so: drafts are written one by one", async () => {
    await send("POST", `${marquee.url}/cms/releases/v1?release_id=later`, {
      ...{ token: marquee.tokens.owner, body: { project_id: "worldcup", name: "Later" } },
    });
    await openView(page, "#/worldcup/events?release=later");
    await page.getByLabel("Choose Egypt vs Uruguay").check();
    await page.getByText("in the current version alone").waitFor();
    expect(await page.getByRole("button", { name: "Hide", exact: true }).isDisabled()).toBe(true);
    const filter = encodeURIComponent("fields.season.id: 2022");
    await openView(page, `#/worldcup/events?filter=${filter}`);
    await link("Egypt vs Uruguay").waitFor({ state: "detached" });
  });

  test("case 19: a list with chosen items has no violation", async () => {
    await page.getByLabel("Choose Qatar vs Ecuador").check();
    await expectAccessible(page);
  });
});
