import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { send } from "../harness/http.ts";
import { expectWithin, MACHINE } from "../harness/turns.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { describeStudio } from "./describe-in-chromium.ts";
import { callStudio, expectAccessible, holdRequests, openStudio, openView } from "./studio.ts";

/** 300 ms on a machine of 2025. */
const QUICK = 90 * MACHINE;

const marquee = await useMarquee({ studio: true });

const studio = callStudio(marquee);

const createPage = (id: string, parameters: readonly string[] = []) =>
  studio("POST", `/ott/pages/v1?page_id=${id}`, {
    ...{ project_id: "worldcup", slug: id, title: { en: `Page ${id}` } },
    ...{ parameters, visibility: "VISIBILITY_PUBLISHED" },
  });

const createText = (pageId: string, id: string, more: object = {}) =>
  studio("POST", `/ott/page_components/v2?page_id=${pageId}&page_component_id=${id}`, {
    ...{ project_id: "worldcup", name: `Text ${id}`, type: "text", text: { text: { en: id } } },
    ...{ visibility: "VISIBILITY_PUBLISHED", ...more },
  });

const orderOf = async (pageId: string) =>
  (
    await studio("GET", `/ott/page_components/v2?page_id=${pageId}&page_size=100`)
  ).page_components.map(({ id }: { id: string }) => id);

/** Returns the text of a page as the public sees it. */
async function readPublic(slug: string): Promise<string> {
  const message = encodeURIComponent(JSON.stringify({ slug, includeItems: true }));
  const path = `svc.cda.ott.page.v1.PageService/GetPage?encoding=json&message=${message}`;
  const got = await send("GET", `${marquee.url}/${path}`, { token: marquee.keys.public });
  expect(got.status).toBe(200);
  return got.text;
}

await createPage("tried");
for (const id of ["a", "b", "c"]) await createText("tried", id);
for (const id of ["d", "e"]) await createText("tried", id, { group_id: "pair" });
await studio("POST", "/cms/releases/v1?release_id=evening", {
  ...{ project_id: "worldcup", name: "Evening" },
});

describeStudio("the composer", (browser) => {
  let page: Page;
  /** What the browser says is wrong, an error of the server that a test provokes apart. */
  const errors: string[] = [];
  beforeAll(async () => {
    page = await openStudio(browser(), marquee.url, marquee.tokens.owner, "#/worldcup/pages/tried");
    page.setDefaultTimeout(15_000);
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("console", (message) => {
      if (message.text().includes("Content Security Policy")) errors.push(message.text());
    });
  });

  const parts = () => page.getByRole("region", { name: "Components", exact: true });
  const form = () => page.getByRole("region", { name: "Form", exact: true });
  const shown = () => page.getByRole("region", { name: "The page as viewers see it" });
  const drawn = (name: string) => shown().getByRole("region", { name, exact: true });
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const notice = (text: string) => page.getByRole("status").filter({ hasText: text }).waitFor();
  const listed = () => parts().getByRole("listitem").locator("a").allInnerTexts();
  const open = async (view: string, heading: string) => {
    await openView(page, `#/worldcup/pages/${view}`);
    await page.getByRole("heading", { level: 1, name: heading, exact: true }).waitFor();
  };
  /** Waits until an order is stored, because a move is shown before it is. */
  const isStored = (want: string) =>
    expect.poll(async () => (await orderOf("tried")).join("")).toBe(want);

  test("lists the components in order, in an editor's words, beside the page as viewers see it", async () => {
    await open("tried", "Page tried");
    await drawn("Text e").waitFor();
    expect(await listed()).toEqual(["Text a", "Text b", "Text c", "Text d", "Text e"]);
    expect(await parts().getByRole("listitem").first().locator("small").innerText()).toBe("Text");
    expect(await drawn("Text b").innerText()).toContain("b");
  });

  test("shows what others change on the page without a reload", async () => {
    const write = (en: string) =>
      studio("PATCH", "/ott/page_components/v2/b", {
        ...{ page_component_update: { text: { text: { en } } }, update_mask: "text" },
      });
    await write("By another");
    await drawn("Text b").getByText("By another").waitFor();
    await write("b");
  });
  test("case 19: components move by the keyboard alone, keep the focus, and past groups", async () => {
    await button("Move Text a down").focus();
    for (let step = 0; step < 3; step += 1) await page.keyboard.press("Enter");
    await notice("Text a is now 5 of 5");
    await isStored("bcdea");
    expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe(
      "Move Text a down",
    );
    await parts().getByRole("link", { name: "Text e" }).focus();
    await page.keyboard.press("Alt+ArrowDown");
    await isStored("bcade");
    await page.keyboard.press("Alt+ArrowUp");
    await isStored("bcaed");
    // Enter opens the form of the moved component, and does not move it again.
    expect(await page.evaluate("document.activeElement.id")).toMatch(/^row-/);
    await expect
      .poll(async () => (await shown().getByRole("heading").allInnerTexts()).join())
      .toBe("Text b,Text c,Text a,Text e,Text d");
  });

  test("components move by dragging; a torn group is explained and stays", async () => {
    const row = (name: string) => parts().getByRole("listitem").filter({ hasText: name });
    await row("Text a").dragTo(row("Text b"));
    await isStored("abced");
    await row("Text a").dragTo(row("Text e"));
    await page.getByText("Components of one group stay next to each other").waitFor();
    await expect.poll(listed).toEqual(["Text a", "Text b", "Text c", "Text e", "Text d"]);
    await isStored("abced");
  });

  test("a move of another person is not overwritten", async () => {
    const path = "/ott/pages/v1/tried:reorderComponents";
    // The other person is a moment faster.
    await page.route(`**${path}*`, async (route) => {
      await studio("POST", path, { page_component_ids: [..."bcaed"] });
      await route.continue();
    });
    await button("Move Text b down").click();
    await page.getByText("Another person has changed this page").waitFor();
    await page.unrouteAll({ behavior: "wait" });
    await expect.poll(listed).toEqual(["Text b", "Text c", "Text a", "Text e", "Text d"]);
    await isStored("bcaed");
  });

  test("the list shows what others add, and a row that is dragged meanwhile stays the dragged one", async () => {
    await createPage("shared");
    for (const id of ["x", "y", "z"]) await createText("shared", id);
    await open("shared", "Page shared");
    const drag = (name: string, ...types: string[]) =>
      parts()
        .getByRole("listitem")
        .filter({ hasText: name })
        .evaluate((row, all) => {
          for (const type of all) row.dispatchEvent(new Event(type, { bubbles: true }));
        }, types);
    await parts().getByRole("link", { name: "Text x" }).waitFor();
    await drag("Text x", "dragstart");
    await createText("shared", "w", { name: "Text w" });
    await studio("POST", "/ott/pages/v1/shared:reorderComponents", {
      page_component_ids: ["w", "x", "y", "z"],
    });
    await expect.poll(listed).toEqual(["Text w", "Text x", "Text y", "Text z"]);
    await drag("Text z", "dragover", "drop");
    await expect.poll(() => orderOf("shared")).toEqual(["w", "y", "z", "x"]);
  });

  test("what another person has hidden already is hidden, without an error", async () => {
    // Each read of the page, and of its components by one that has begun.
    const reads = /\/ott\/(pages\/v1\/shared|page_components\/v2\?)/;
    const read = await holdRequests(page, "GET", reads);
    await studio("PATCH", "/ott/page_components/v2/w", {
      ...{ page_component_update: { visibility: "VISIBILITY_HIDDEN" }, update_mask: "visibility" },
    });
    await button("Hide Text w").click();
    await notice("Hidden: Text w");
    await read();
    await button("Publish Text w").waitFor();
    const focused = await page.evaluate("document.activeElement.getAttribute('aria-label')");
    expect(focused, "the button keeps the focus").toBe("Publish Text w");
    await open("tried", "Page tried");
  });

  test("a click on the page opens the form of a component, and a choice scrolls to it", async () => {
    await drawn("Text e").getByText("e", { exact: true }).click();
    await form().getByRole("heading", { name: "Text e" }).waitFor();
    expect(page.url()).toContain("component=e");
    await openView(page, "#/worldcup/pages/page-home?component=rail-home-teams");
    const teams = drawn("Teams");
    await teams.waitFor();
    await expect.poll(async () => (await teams.boundingBox())?.y ?? 0).toBeLessThan(400);
    await teams.getByText("Algeria", { exact: true }).click();
    expect(page.url()).toContain("component=rail-home-teams");
  });

  test("a component is added where it is wanted, shown before it is saved, published, hidden and deleted", async () => {
    await open("tried", "Page tried");
    await button("Add a component").click();
    await page.getByLabel("Place").selectOption({ label: "After Text c" });
    await page.getByRole("button", { name: /^Text A text block\.$/ }).click();
    await form().getByLabel("ID", { exact: true }).fill("fresh");
    await form().getByLabel("Name", { exact: true }).fill("Fresh text");
    await drawn("Fresh text").waitFor();
    expect(await orderOf("tried")).toHaveLength(5);
    const titles = await shown().getByRole("heading").allInnerTexts();
    expect(titles.slice(1, 3)).toEqual(["Text c", "Fresh text"]);
    await button("Create").click();
    await notice("Created Fresh text");
    await isStored("bcfreshaed");
    expect(page.url()).toContain("component=fresh");
    await page.getByRole("link", { name: "← Components of Page tried" }).click();
    await button("Publish Fresh text").click();
    await notice("Published: Fresh text");
    expect(await readPublic("tried")).toContain("Fresh text");
    await button("Hide Fresh text").click();
    await notice("Hidden: Fresh text");
    expect(await readPublic("tried")).not.toContain("Fresh text");
    await parts().getByRole("link", { name: "Fresh text" }).click();
    await page.locator("summary", { hasText: "Shown by" }).click();
    const uses = page.locator(".referrers").getByRole("link", { name: "Page “Page tried”" });
    await uses.waitFor();
    await button("Delete …").click();
    await expect.poll(() => uses.count()).toBe(2);
    await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
    await notice("Deleted Fresh text");
    await expect.poll(listed).toEqual(["Text b", "Text c", "Text a", "Text e", "Text d"]);
    await isStored("bcaed");
  });

  test("case 6: nothing public changes while a release is composed, which the page marks", async () => {
    const before = await readPublic("tried");
    await open("tried?release=evening", "Page tried");
    await button("Move Text d up").click();
    await notice("Text d is now 4 of 5");
    await button("Hide Text c").click();
    await notice("Hidden as a draft: Text c");
    await parts().getByRole("link", { name: "Text b" }).click();
    await form().getByLabel("Name", { exact: true }).fill("Text of the evening");
    await button("Save as draft").click();
    await notice("Saved as a draft");
    await page.getByRole("link", { name: "← Components of Page tried" }).click();
    const row = (name: string) => parts().getByRole("listitem").filter({ hasText: name });
    await row("Text of the evening").getByText("changed", { exact: true }).waitFor();
    await row("Text c").getByText("hidden", { exact: true }).waitFor();
    await parts().getByText("moved", { exact: true }).waitFor();
    expect(await readPublic("tried")).toBe(before);
    await parts().getByRole("link", { name: "Text a" }).click();
    await button("Delete …").click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
    await notice("Deleted Text a");
    await drawn("Text a").getByText("removed", { exact: true }).waitFor();
    expect(await drawn("Text a").getByRole("button").count()).toBe(0);
    expect(await readPublic("tried")).toBe(before);
    await isStored("bcaed");
  });

  test("a page is copied with new ids, and is hidden; not in a release", async () => {
    await open("tried?release=evening", "Page tried");
    expect(await button("Copy the page").count()).toBe(0);
    await openView(page, "#/worldcup/pages/tried");
    const before = await readPublic("tried");
    await button("Copy the page").click();
    await notice("Copied.");
    const slug = form().getByLabel("Slug", { exact: true });
    await expect.poll(() => slug.inputValue()).toMatch(/^tried-[\da-f]{8}$/);
    const [, id = ""] = /pages\/([\da-f]{32})/.exec(page.url()) ?? [];
    await page.getByRole("link", { name: "← Components of Page tried" }).click();
    const names = ["Text b", "Text c", "Text a", "Text e", "Text d"];
    await expect.poll(listed).toEqual(names);
    const copies = await orderOf(id);
    expect(copies.filter((it: string) => it.length > 1)).toHaveLength(names.length);
    const { page: copy } = await studio("GET", `/ott/pages/v1/${id}`);
    expect([copy.visibility, copy.title]).toEqual(["VISIBILITY_HIDDEN", { en: "Page tried" }]);
    expect(await readPublic("tried")).toBe(before);
    await isStored("bcaed");
  });

  test("a copy whose response is lost is not made twice", async () => {
    await openView(page, "#/worldcup/pages/shared");
    await page.route(
      "**/records/v1:write",
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await button("Copy the page").click();
    await page.getByRole("alert").filter({ hasText: "The server cannot be reached" }).waitFor();
    await button("Copy the page").click();
    await notice("Copied.");
    const { pages } = await studio("GET", "/ott/pages/v1?project_id=worldcup&page_size=100");
    const copies = pages.filter(({ slug }: { slug: string }) => slug.startsWith("shared-"));
    expect(copies).toHaveLength(1);
    expect(await orderOf(copies[0].id)).toHaveLength(4);
  });

  test("the settings of a page name the release that will change it, and when it is scheduled, too", async () => {
    const schedule = { release: { apply_time: "2030-01-01T20:00:00Z" }, update_mask: "apply_time" };
    for (const body of [undefined, schedule]) {
      if (body !== undefined) await studio("PATCH", "/cms/releases/v1/evening", body);
      await open("tried", "Page tried");
      await page.getByRole("link", { name: "Settings of the page" }).click();
      await form().getByRole("link", { name: "Evening", exact: true }).waitFor();
    }
  });

  test("case 8: the items of a rail follow its filter within 300 ms, and nothing is written", async () => {
    const count = async () => {
      const audit = await studio("GET", "/iam/audit/v1/entries?organization_id=org-worldcup");
      const changes = await studio("GET", "/cms/changes/v1?project_id=worldcup");
      const drafts = await studio("GET", "/cms/releases/v1/evening");
      return JSON.stringify([audit, changes, drafts]);
    };
    await openView(page, "#/worldcup/pages/page-home?component=rail-home-teams");
    await drawn("Teams").getByText("Algeria", { exact: true }).waitFor();
    await form().getByLabel("Filter", { exact: true }).waitFor();
    const before = await count();
    const times: number[] = [];
    for (const [team, name] of TEAMS) {
      times.push(await page.evaluate<number>(typeFilter(`id: ${team}`, name)));
      expect(await drawn("Teams").getByRole("listitem").count()).toBe(1);
    }
    expectWithin(Math.min(...times), QUICK);
    await page.evaluate(typeFilter("id: (", "Shown as before"));
    expect(await drawn("Teams").getByRole("listitem").count()).toBe(1);
    expect(await count()).toBe(before);
    await button("Discard").click();
    await drawn("Teams").getByText("Algeria", { exact: true }).waitFor();
  });

  test("a page about an item shows one of them, and the item that is chosen", async () => {
    await open("page-match", "Match");
    await drawn("Match player").waitFor();
    await page.getByLabel("Event", { exact: true }).fill("match-2022-64");
    await page.keyboard.press("Enter");
    await drawn("Match player").getByText("Argentina vs France").first().waitFor();
    expect(page.url()).toContain("match-2022-64");
  });

  test("components for other platforms are not shown, and a component that lacks a value says so", async () => {
    await createPage("narrow", ["team"]);
    await createText("narrow", "tv", { environments: ["tvos"] });
    await studio("POST", "/ott/page_components/v2?page_id=narrow&page_component_id=needy", {
      ...{ project_id: "worldcup", name: "Needy", type: "rail" },
      rail: { type: "BASE_TYPE_EVENT", filter: "id: {parameter.team}" },
    });
    await open("narrow", "Page narrow");
    await drawn("Text tv").waitFor();
    await page.getByRole("combobox", { name: "Platform" }).selectOption("web");
    await drawn("Text tv").waitFor({ state: "detached" });
    expect(await listed()).toEqual(["Text tv", "Needy"]);
    await parts().getByText("only tvos").waitFor();
    await parts()
      .getByText(/Not shown: a variable has no value/)
      .waitFor();
    // What is mended is drawn at its place.
    await page.getByRole("combobox", { name: "Platform" }).selectOption("");
    await parts().getByRole("link", { name: "Needy" }).click();
    await form().getByLabel("Filter", { exact: true }).fill("id: team-mex");
    await drawn("Needy").waitFor();
    expect(await shown().getByRole("heading", { level: 2 }).allInnerTexts()).toEqual([
      ...["Text tv", "Needy"],
    ]);
    await button("Discard").click();
  });

  test("a page of 100 components is listed, drawn and reordered", async () => {
    await createPage("long");
    const ids = Array.from({ length: 100 }, (_, index) => `long-${index}`);
    for (const id of ids) await createText("long", id);
    await open("long", "Page long");
    await drawn("Text long-99").waitFor();
    expect(await listed()).toHaveLength(100);
    await button("Move Text long-99 up").click();
    await expect.poll(async () => (await orderOf("long")).at(-1)).toBe("long-98");
  });

  test("a component of a type that the bundle does not draw shows its JSON", async () => {
    await page.route("**/svc.cda.ott.page.v1.PageService/GetPage", async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace('"text":{"text"', '"hologram":{"text"');
      await route.fulfill({ response, body: body.replace('"type":"text"', '"type":"hologram"') });
    });
    await open("tried", "Page tried");
    await drawn("Text b").getByText("Only clients draw components of the type hologram").waitFor();
    expect(await drawn("Text b").locator("pre").innerText()).toContain('"en": "b"');
    await page.unrouteAll({ behavior: "wait" });
  });

  test("case 7: without the permissions nothing can be changed, and each button names what it needs", async () => {
    const other = await openStudio(
      ...([browser(), marquee.url, marquee.tokens.viewer, "#/worldcup/pages/tried"] as const),
    );
    const disabled = ["Move Text b down", "Hide Text b", "Add a component", "Copy the page"];
    const titles = disabled.map(async (name) => {
      const it = other.getByRole("button", { name, exact: true });
      await it.waitFor();
      expect(await it.isDisabled()).toBe(true);
      return it.getAttribute("title");
    });
    expect(await Promise.all(titles)).toEqual([
      "Needs the permission ott.pages.update",
      "Needs the permission ott.page_components.update",
      "Needs the permission ott.page_components.create",
      "Needs the permission ott.pages.create",
    ]);
    await other.close();
  });

  test("case 19: axe finds nothing, wide and narrow, light and dark", {
    timeout: 60_000,
  }, async () => {
    await open("tried?release=evening", "Page tried");
    await drawn("Text d").waitFor();
    await expectAccessible(page);
    await openView(page, "#/worldcup/pages/page-home?component=rail-home-teams");
    await form().getByRole("heading").first().waitFor();
    await drawn("Teams").waitFor();
    await expectAccessible(page);
    await open("tried", "Page tried");
    await button("Add a component").click();
    await expectAccessible(page);
    expect(errors).toEqual([]);
  });
});

const TEAMS = [
  ["team-mex", "Mexico"],
  ["team-bra", "Brazil"],
  ["team-ger", "Germany"],
  ["team-esp", "Spain"],
] as const;

/** Types the filter of the open rail; returns the milliseconds until the page has a text. */
function typeFilter(filter: string, text: string): string {
  return `new Promise((resolve) => {
    const area = document.getElementById("page_component.rail.filter");
    const start = performance.now();
    const drawn = document.querySelector("[data-component=rail-home-teams]");
    const isThere = () => drawn.innerText.includes(${JSON.stringify(text)}) && !drawn.innerText.includes("Algeria");
    new MutationObserver((_, observer) => {
      if (!isThere()) return;
      observer.disconnect();
      resolve(performance.now() - start);
    }).observe(drawn, { childList: true, subtree: true, characterData: true });
    area.value = ${JSON.stringify(filter)};
    area.dispatchEvent(new Event("input", { bubbles: true }));
  })`;
}
