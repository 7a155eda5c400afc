import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { DemoLink } from "../../demo/demo-link.ts";
import { send } from "../harness/http.ts";
import { startOver } from "../harness/marquee.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { describeStudio } from "./describe-in-chromium.ts";
import { callStudio, confirm, expectAccessible, openStudio, openView, reasonOf } from "./studio.ts";

const FOLDER = join(import.meta.dirname, "../../web/studio");

const marquee = await useMarquee({ studio: true });
const { owner, viewer } = marquee.tokens;

const studio = callStudio(marquee);

describe("the endpoint of the studio", () => {
  test("serves the page with a policy that calls this server alone", async () => {
    const got = await send("GET", `${marquee.url}/studio`);
    expect(got.status).toBe(200);
    expect(got.text).not.toMatch(/<script(?![^>]* src=)|<style|style=| on\w+=/);
    const policy = got.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain("connect-src 'self'");
    const headers = { "if-none-match": got.headers.get("etag") ?? "" };
    expect((await send("GET", `${marquee.url}/studio`, { headers })).status).toBe(304);
  });

  test("case 22: without --studio it is not there; without reflection it has its schema", async () => {
    const off = await startOver(marquee.store, { runsActions: false });
    for (const path of ["/studio", "/studio/studio.js", "/studio/openapi.json"]) {
      expect((await send("GET", off.studioUrl + path)).status).toBe(404);
    }
    await off.close(1_000);
    const quiet = await startOver(marquee.store, {
      ...{ studio: true, reflection: false, runsActions: false },
    });
    expect((await send("GET", `${quiet.studioUrl}/studio/openapi.json`)).status).toBe(200);
    expect((await send("GET", `${quiet.studioUrl}/openapi.json`)).status).toBe(404);
    await quiet.close(1_000);
  });

  test("case 22: has at most 160 kB of JavaScript, compressed", () => {
    const script = readFileSync(join(FOLDER, "dist/studio/studio.js"));
    expect(gzipSync(script).length).toBeLessThan(160_000);
  });
});

describeStudio("the studio", (browser) => {
  let page: Page;
  beforeAll(async () => {
    page = await openStudio(browser(), marquee.url, owner, "#/worldcup/people");
  });

  const heading = (name: string, on = page) => on.getByRole("heading", { level: 1, name });
  const notice = (text: string) => page.getByRole("status").filter({ hasText: text }).waitFor();

  test("is opened by the link of the demo with one click, and once", async () => {
    const link = new DemoLink();
    const options = { studio: true, runsActions: false, endpoints: [link.endpoint] };
    const server = await startOver(marquee.store, options);
    const url = link.create(server.studioUrl, owner, new Date()) ?? "";
    for (const isUsed of [false, true]) {
      const width = isUsed ? 1_280 : 320;
      const other = await browser().newPage({ viewport: { width, height: 700 } });
      await other.goto(url);
      expect(await other.evaluate("document.documentElement.scrollWidth")).toBe(width);
      await other.getByRole("link", { name: "Open the studio" }).click();
      if (isUsed) await other.getByLabel("Access token").waitFor();
      else await heading("World Cup", other).waitFor();
      expect(other.url()).not.toContain("open=");
      await other.close();
    }
    await server.close(1_000);
  });

  test("searches a list and shows a page while the Delivery API has a listener of its own", async () => {
    const separate = { host: "127.0.0.1", port: 0 };
    for (const split of [{ studioListen: separate }, { deliveryListen: separate }]) {
      const server = await startOver(marquee.store, { ...split, studio: true, runsActions: false });
      const view = "#/worldcup/events?q=Egypt";
      const other = await openStudio(browser(), server.studioUrl, viewer, view);
      await other.getByRole("link", { name: "Egypt vs Uruguay" }).waitFor();
      await openView(other, "#/worldcup/pages/page-home");
      const shown = other.getByRole("region", { name: "The page as viewers see it" });
      await shown.getByRole("region", { name: "Matches", exact: true }).waitFor();
      await other.close();
      await server.close(1_000);
    }
  });

  test("says that a token is unknown, and keeps nothing after a sign-out (case 21)", async () => {
    const other = await browser().newPage();
    await other.goto(`${marquee.url}/studio`);
    await other.getByLabel("Access token").fill("mqa_unknown");
    await other.getByRole("button", { name: "Sign in", exact: true }).click();
    await other.getByRole("alert").waitFor();
    await other.getByLabel("Access token").fill(viewer);
    await other.getByRole("button", { name: "Sign in", exact: true }).click();
    await heading("World Cup", other).waitFor();
    await other.reload();
    await heading("World Cup", other).waitFor();
    await other.getByRole("button", { name: "Sign out" }).click();
    await other.getByLabel("Access token").waitFor();
    expect(await other.evaluate("sessionStorage.length")).toBe(0);
    await other.close();
  });

  test("says that a link is to a project that is not there, and leads to another one", async () => {
    await openView(page, "#/lost/events");
    await page.getByRole("heading", { name: "This project does not exist" }).waitFor();
    await page.getByRole("link", { name: "Open World Cup" }).click();
    await heading("World Cup").waitFor();
    await openView(page, "#/worldcup/people");
    await heading("People").waitFor();
  });

  test("adds a person, who signs in with a token, and takes the role away", async () => {
    await page.getByLabel("Name of a new person").fill("Anna Author");
    const form = page.getByRole("form", { name: "Add a person" });
    await form.getByLabel("Role").selectOption("author");
    await form.getByRole("button", { name: "Add" }).click();
    await notice("Anna Author is in");
    const card = page.getByRole("listitem").filter({ hasText: "Anna Author" }).first();
    await card.getByText("Author on the project worldcup").waitFor();
    await card.getByRole("button", { name: "New access token" }).click();
    const token = await page.getByLabel("Access token of Anna Author").inputValue();
    const author = await openStudio(browser(), marquee.url, token, "#/worldcup/events");
    await expectPermissionsNamed(author);
    await author.close();
    await card.getByRole("button", { name: "Take away the role Author" }).click();
    await confirm(page, "Take away");
    await card.getByText("No role yet").waitFor();
  });

  /** Expects that an author may save no current version, and that each such button says why (case 7). */
  async function expectPermissionsNamed(author: Page): Promise<void> {
    const { release } = await studio("POST", "/cms/releases/v1?release_id=of-others", {
      project_id: "worldcup",
      name: "Of others",
    });
    const disabled = async () => {
      const buttons = author.locator("main button[title^='Needs the permission'][aria-disabled]");
      await buttons.first().waitFor();
      return buttons.evaluateAll((all) =>
        all.map((it) => `${it.textContent}: ${(it as unknown as { title: string }).title}`),
      );
    };
    await heading("Events", author).waitFor();
    expect(await disabled()).toEqual(["New event: Needs the permission cms.events.create"]);
    await openView(author, "#/worldcup/events/match-2026-104");
    expect(await disabled()).toEqual([
      "Delete …: Needs the permission cms.events.delete",
      "Save: Needs the permission cms.events.update",
    ]);
    await openView(author, `#/worldcup/releases/${release.id}`);
    await heading("Of others", author).waitFor();
    expect(await disabled()).toContain("Apply now: Needs the permission cms.releases.apply");
    expect(await reasonOf(author, "Apply now")).toBe(
      '"Needs the permission cms.releases.apply" / ""',
    );
    await expectAccessible(author);
    await openView(author, `#/worldcup/events/match-2026-104?release=${release.id}`);
    await author.getByRole("button", { name: "Save as draft" }).waitFor();
    await author.getByRole("button", { name: "Delete …" }).click({ trial: true });
  }

  test("makes a key, shows it once, and deletes it", async () => {
    await openView(page, "#/worldcup/keys");
    await heading("Keys of sites and apps").waitFor();
    await page.getByLabel("Purpose of a new key").fill("kiosk");
    await page.getByRole("button", { name: "New key" }).click();
    expect(await page.getByLabel("The new key").inputValue()).toMatch(/^mqp_/);
    await page.getByRole("button", { name: "Delete the key kiosk" }).click();
    await page.getByRole("heading", { name: "Delete the public key kiosk?" }).waitFor();
    await confirm(page, "Cancel");
    await page.getByText("kiosk").first().waitFor();
    await page.getByRole("button", { name: "Delete the key kiosk" }).click();
    await confirm(page, "Delete");
    await notice("The key is deleted");
    await page.reload();
    await heading("Keys of sites and apps").waitFor();
    expect(await page.getByText("kiosk").count()).toBe(0);
  });

  test("keeps what is typed about the provider, and changes no other value of it", async () => {
    await openView(page, "#/worldcup/sign-in");
    const client = page.getByLabel("Client ID", { exact: true });
    await client.fill("marquee-studio");
    await openView(page, "#/worldcup/people");
    await heading("People").waitFor();
    await openView(page, "#/worldcup/sign-in");
    await client.waitFor();
    expect(await client.inputValue()).toBe("marquee-studio");
    await studio("PATCH", "/iam/staff_sign_in/v1/org-worldcup", {
      staff_sign_in: { session_duration: "7200s" },
      update_mask: "session_duration",
    });
    page.once("dialog", (dialog) => dialog.accept());
    await page.reload();
    await page.getByText("You have unsaved changes").waitFor();
    await studio("PATCH", "/iam/staff_sign_in/v1/org-worldcup", {
      staff_sign_in: { session_duration: "10800s" },
      update_mask: "session_duration",
    });
    const save = page.getByRole("button", { name: "Save", exact: true });
    await save.click();
    await page.getByRole("alert").getByText("ETAG_MISMATCH").waitFor();
    const duration = page.getByLabel("Session duration", { exact: true });
    await expect.poll(() => duration.inputValue()).toBe("3:00:00");
    await save.click();
    await notice("Saved.");
    const { staff_sign_in } = await studio("GET", "/iam/staff_sign_in/v1/org-worldcup");
    expect(staff_sign_in).toMatchObject({
      client_id: "marquee-studio",
      session_duration: "10800s",
    });
    await expect.poll(() => save.isDisabled()).toBe(true);
    await duration.fill("4 hou");
    await openView(page, "#/worldcup/people");
    await heading("People").waitFor();
    await openView(page, "#/worldcup/sign-in");
    await duration.waitFor();
    expect(await duration.inputValue(), "a text that cannot be read").toBe("4 hou");
    await page.getByRole("button", { name: "Discard", exact: true }).click();
    expect(await duration.inputValue()).toBe("3:00:00");
    await openView(page, "#/worldcup/people");
  });

  test("case 19: the settings and the sign-in have no violation", async () => {
    for (const [view, name] of [
      ["#/worldcup/keys", "Keys of sites and apps"],
      ["#/worldcup/people", "People"],
      ["#/worldcup/sign-in", "Sign-in of your people"],
    ] as const) {
      await openView(page, view);
      await heading(name).waitFor();
      await expectAccessible(page);
    }
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Access token").waitFor();
    await expectAccessible(page);
  });
});
