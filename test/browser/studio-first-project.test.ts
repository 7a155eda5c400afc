import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { foundInstallation } from "../../src/auth/found-installation.ts";
import { openFresh } from "../harness/fresh-store.ts";
import { send } from "../harness/http.ts";
import { startOver } from "../harness/marquee.ts";
import { describeStudio } from "./describe-in-chromium.ts";
import { expectAccessible } from "./studio.ts";

const { store, close } = await openFresh();
const names = { organization: "Acme", account: "Anna" };
const { token } = await foundInstallation(store, names, randomUUID, new Date());
const server = await startOver(store, { studio: true, runsActions: false });
afterAll(async () => {
  await server.close(1_000);
  await close();
});

/** From an installation without a project to a film that a site plays, by the words on the screen alone. */
describeStudio("the first project in the studio", (browser) => {
  let page: Page;
  beforeAll(async () => {
    page = await browser().newPage({ viewport: { width: 1_280, height: 900 }, locale: "en-US" });
    await page.goto(`${server.studioUrl}/studio`);
    await page.getByLabel("Access token").fill(token);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
  });

  const label = (text: string) => page.getByLabel(text, { exact: true });
  const click = (role: "button" | "link", name: string) =>
    page.getByRole(role, { name, exact: true }).first().click();
  const choose = (field: string, option: string) => label(field).selectOption({ label: option });
  const created = (name: string) =>
    page
      .getByRole("status")
      .filter({ hasText: `Created ${name}.` })
      .waitFor();
  const startNew = async (list: string, word: string) => {
    await click("link", list);
    await click("link", `New ${word}`);
  };
  const enterTitle = (text: string) =>
    page.getByRole("group", { name: "Title" }).getByRole("textbox").first().fill(text);

  test("is created by an owner, who sees which id is wrong", async () => {
    await page.getByRole("heading", { name: "No project yet" }).waitFor();
    await expectAccessible(page);
    await label("Name").fill("Acme Films");
    await label("ID").fill("ac me");
    await click("button", "Create the project");
    await page.getByRole("alert").filter({ hasText: "ID_INVALID" }).waitFor();
    await label("ID").fill("acme");
    await click("button", "Create the project");
    await page.getByRole("heading", { level: 1, name: "Acme Films" }).waitFor();
    await expectAccessible(page);
  });

  test("gets a video, and a film with a window that names it", async () => {
    await click("link", "Add a video");
    await label("Name").fill("Night Train");
    await label("Playlist URL").fill("https://media.example/night-train/main.m3u8");
    await click("button", "Create");
    await created("Night Train");
    await startNew("Films and shows", "film or show");
    await enterTitle("Night Train");
    await label("Content type").fill("film");
    await choose("Visibility", "Published");
    await label("From").fill("2020-12-01T00:00");
    await page.getByRole("combobox", { name: "Search videos" }).fill("Night");
    await page.getByRole("option", { name: "Night Train" }).click();
    await click("button", "Create");
    await created("Night Train");
  });

  test("gets a price: a missing currency is shown at its field", async () => {
    await startNew("Offers", "offer");
    await label("Name").fill("Rent Night Train");
    await click("button", "+ Add to prices");
    await page.getByRole("textbox", { name: "Amount" }).fill("3.99");
    await choose("Billing period", "One time");
    await choose("Access period", "Week");
    await click("button", "Create");
    await page.getByText("'' must be an ISO 4217 code", { exact: false }).last().waitFor();
    await expect
      .poll(() => page.evaluate("document.activeElement.getAttribute('aria-label')"))
      .toBe("Amount");
    await label("Currency").fill("EUR");
    await click("button", "+ Set opens");
    await page.getByRole("combobox", { name: "Search films and shows" }).fill("Night");
    await page.getByRole("option", { name: "Night Train" }).click();
    await click("button", "Create");
    await created("Rent Night Train");
  });

  test("gets a playback rule: one that lacks another is told so at its field", async () => {
    await startNew("Playback rules", "playback rule");
    await label("Name").fill("Rented only");
    await choose("Require entitlement", "Yes");
    await click("button", "Create");
    await page.getByText("requires require_authentication", { exact: false }).last().waitFor();
    await choose("Require authentication", "Yes");
    await click("button", "Create");
    await created("Rented only");
  });

  test("gets a webhook, whose signing secret is shown once, until it is closed", async () => {
    const secret = label("Signing secret of Purge");
    await startNew("Webhooks", "webhook");
    await label("Name").fill("Purge");
    await label("URL").fill("https://cdn.example/purge");
    await click("button", "Create");
    await created("Purge");
    const first = await secret.inputValue();
    expect(first).toMatch(/^whsec_/);
    await page.getByText("Signing secret", { exact: true }).click();
    await click("button", "New signing secret");
    const dialog = page.getByRole("dialog", { name: "Replace the signing secret?" });
    await dialog.getByRole("button", { name: "New signing secret" }).click();
    await expect.poll(() => secret.inputValue()).not.toBe(first);
    await expectAccessible(page);
    await click("button", "Close");
    await secret.waitFor({ state: "detached" });
  });

  test("gets a page with a rail, and a key that reads it", async () => {
    await startNew("Pages", "page");
    await label("Slug").fill("home");
    await enterTitle("Home");
    await choose("Visibility", "Published");
    await click("button", "Create");
    await created("Home");
    await click("button", "Add a component");
    await page.getByRole("button", { name: /^Rail/ }).click();
    await label("Name").fill("Films");
    await choose("Visibility", "Published");
    await choose("Type", "Creative work");
    await click("button", "Create");
    await created("Films");
    await click("link", "Webhooks");
    await page.getByRole("link", { name: "New webhook" }).click();
    await page.locator("form.item").waitFor();
    await page.setViewportSize({ width: 1_280, height: 400 });
    await page.evaluate("scrollTo(0, 9_999)");
    expect(await page.evaluate("scrollY")).toBeGreaterThan(0);
    await click("link", "Keys");
    await expect.poll(() => page.evaluate("scrollY")).toBe(0);
    await page.setViewportSize({ width: 1_280, height: 900 });
    await label("Purpose of a new key").fill("website");
    await click("button", "New key");
    const key = await label("The new key").inputValue();
    const message = encodeURIComponent(JSON.stringify({ slug: "home", includeItems: true }));
    const path = `svc.cda.ott.page.v1.PageService/GetPage?encoding=json&message=${message}`;
    const headers = { authorization: `Bearer ${key}` };
    const got = await send("GET", `${server.deliveryUrl}/${path}`, { headers });
    expect(got.text).toContain("Night Train");
    await click("link", "Home");
    await page.getByRole("heading", { level: 1, name: "Acme Films" }).waitFor();
    await page.getByText("key “website”").or(page.getByText("component “Films”")).first().waitFor();
    expect(await page.getByRole("heading", { name: "First steps" }).count()).toBe(0);
  });

  test("is not the last: the list of projects creates the next", async () => {
    await choose("Project", "New project …");
    await label("Name").fill("Acme Kids");
    await click("button", "Create the project");
    await page.getByRole("heading", { level: 1, name: "Acme Kids" }).waitFor();
  });
});
