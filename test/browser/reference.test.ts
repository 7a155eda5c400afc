import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { send } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { describeInChromium } from "./describe-in-chromium.ts";

const BUNDLE = join(import.meta.dirname, "../../web/reference/dist");

const marquee = await useMarquee();

describe("the files of /reference", () => {
  test("are loaded under a strict policy, from this server only", async () => {
    const { text, headers } = await send("GET", `${marquee.url}/reference`);
    expect(text).not.toMatch(/<script(?![^>]* src=)|<style|style=| on\w+=/);
    expect(headers.get("content-security-policy")).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
  });

  test("are below 40 kB", () => {
    const names = readdirSync(BUNDLE, { recursive: true, encoding: "utf8" });
    const files = names.map((name) => statSync(join(BUNDLE, name))).filter((it) => it.isFile());
    expect(files).toHaveLength(3);
    expect(files.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(40_000);
  });
});

describeInChromium("/reference", (browser) => {
  let page: Page;
  /** The errors of the browser, and its requests to other origins. */
  const errors: string[] = [];

  async function open(options: BrowserContextOptions = {}): Promise<Page> {
    const opened = await browser().newPage(options);
    opened.setDefaultTimeout(15_000);
    opened.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) errors.push(message.text());
    });
    opened.on("pageerror", (error) => errors.push(String(error)));
    opened.on("request", (request) => {
      const isOwn = request.url().startsWith(marquee.url) || request.url().startsWith("data:");
      if (!isOwn) errors.push(`requested ${request.url()}`);
    });
    await opened.goto(`${marquee.url}/reference`);
    await opened.locator(".operation").first().waitFor();
    return opened;
  }

  /** Opens an operation; returns its form. */
  async function openForm(operationId: string) {
    await page.goto(`${marquee.url}/reference#${operationId}`);
    const form = page.locator(`[id="${operationId}"] form`);
    await form.waitFor();
    return form;
  }

  /** Sends the example of an operation; returns the line about the response, and its body. */
  async function sendExample(operationId: string) {
    const form = await openForm(operationId);
    await form.getByRole("button", { name: "Send" }).click();
    const response = form.getByLabel("Response");
    await response.waitFor();
    return {
      outcome: await form.getByRole("status").locator("p").innerText(),
      body: await response.innerText(),
    };
  }

  function widthOf(opened: Page): Promise<unknown> {
    return opened.evaluate("document.documentElement.scrollWidth");
  }

  async function enter(label: string, text: string): Promise<void> {
    await page.getByLabel(label).fill(text);
    await page.keyboard.press("Tab");
  }

  beforeAll(async () => {
    page = await open();
  });

  test("lists the services of each API by name, in the order of a newcomer", async () => {
    const contents = page.getByRole("navigation", { name: "Contents" });
    expect(await contents.getByRole("heading").allInnerTexts()).toEqual([
      "Delivery API",
      "Studio API",
    ]);
    const names = await contents.getByRole("link").allInnerTexts();
    expect(names.slice(0, 8)).toEqual([
      ...["Pages", "Page components", "Banner collections", "Events", "Creative works"],
      ...["Entities", "Annotations", "Playback"],
    ]);
    expect(names).toContain("Audit log");
    expect(await page.getByRole("heading", { level: 1 }).allInnerTexts()).toEqual(["Start here"]);
  });

  test("asks for a credential before it sends", async () => {
    const form = await openForm("studio.ListProjects");
    await form.getByRole("button", { name: "Send" }).click();
    await form.getByRole("link", { name: "Enter an access token" }).click();
    expect(new URL(page.url()).hash).toBe("#start");
  });

  test("keeps an edited example when a credential is entered", async () => {
    const edited = (await openForm("studio.CreateVideo")).getByLabel("Body");
    await edited.fill('{"name": "edited"}');
    const untouched = (await openForm("studio.CreateOffer")).getByLabel("Body");
    await enter("Project of the examples", "acme");
    expect(await edited.inputValue()).toBe('{"name": "edited"}');
    expect(JSON.parse(await untouched.inputValue()).project_id).toBe("acme");
    await enter("Project of the examples", "worldcup");
    expect(JSON.parse(await untouched.inputValue()).project_id).toBe("worldcup");
  });

  test("sends the examples of both APIs with the credentials given to it", async () => {
    await enter("Project key, for the Delivery API", marquee.keys.public);
    await page.getByText("Examples use the project worldcup.").waitFor();
    const read = await sendExample("delivery.ListEvents");
    expect(read.outcome).toMatch(/^200, \d+ ms, /);
    expect(read.body).toContain('"events": [');
    await enter("Access token, for the Studio API", marquee.tokens.owner);
    await page.getByText("Examples use the project worldcup.").waitFor();
    const changed = await sendExample("studio.UpdateAnnotation");
    expect(changed.outcome).toMatch(/^200, /);
    expect(changed.body).toContain(`"timer_label": "3'"`);
    expect(page.url()).not.toContain(marquee.tokens.owner);
    expect(errors).toEqual([]);
  });

  test("explains the fields of a message, and those of its fields", async () => {
    await openForm("studio.CreateRuleset");
    const operation = page.locator('[id="studio.CreateRuleset"]');
    await operation.getByText("Request fields").click();
    const fields = operation.getByRole("listitem").filter({ hasText: /^geo_restrictions_allow / });
    await fields.first().getByText("Fields", { exact: true }).first().click();
    await operation.getByText("country_codes").first().waitFor();
    await operation.getByText("Errors", { exact: true }).click();
    await operation.getByText("FIELD_REQUIRED").first().waitFor();
  });

  test("filters the methods by words", async () => {
    await page.getByLabel("Filter methods").fill("offers delete");
    const shown = page.locator(".operation:visible b");
    expect(await shown.allInnerTexts()).toEqual(["DeleteOffer"]);
    await page.getByLabel("Filter methods").fill("");
    expect(await shown.count()).toBeGreaterThan(100);
  });

  test("takes the project and the organization of another token into its examples", async () => {
    await enter("Access token, for the Studio API", marquee.tokens.outsider);
    await page.getByText(/Examples use the project (?!worldcup)/).waitFor();
    const project = await page.getByLabel("Project of the examples").inputValue();
    const form = await openForm("studio.CreateEvent");
    expect(JSON.parse(await form.getByLabel("Body").inputValue()).project_id).toBe(project);
    const listed = await sendExample("studio.ListProjects");
    expect(listed.outcome).toMatch(/^200, /);
    expect(listed.body).toContain(`"id": "${project}"`);
  });

  test("keeps the entered credentials in the tab, and takes a project that is typed", async () => {
    await enter("Project of the examples", "acme");
    await page.reload();
    const form = await openForm("studio.CreateEvent");
    expect(JSON.parse(await form.getByLabel("Body").inputValue()).project_id).toBe("acme");
    expect(await form.locator("pre").first().textContent()).toContain("Bearer $ACCESS_TOKEN");
  });

  test("takes credentials that are entered one right after the other", async () => {
    const token = page.getByLabel("Access token, for the Studio API");
    await enter("Project of the examples", "acme");
    await page.route("**/iam/organizations/v1", async (route) => {
      await page.waitForTimeout(300);
      await route.continue();
    });
    // The organization of the token before is that of the examples until then.
    const found = page.waitForResponse("**/iam/projects/v1?*");
    await token.fill(marquee.tokens.owner);
    await page.keyboard.press("Tab");
    await enter("Project key, for the Delivery API", marquee.keys.sandbox);
    await page.getByText("Examples use the project sandbox.").waitFor();
    await (await found).finished();
    expect(await token.inputValue()).toBe(marquee.tokens.owner);
    expect((await sendExample("delivery.ListEvents")).outcome).toMatch(/^200, /);
    expect((await sendExample("studio.ListProjects")).outcome).toMatch(/^200, /);
    await page.unroute("**/iam/organizations/v1");
  });

  test("shows the message of the server for a wrong credential", async () => {
    await enter("Project key, for the Delivery API", "mqp_wrong");
    await page.locator("#owner").filter({ hasText: "unknown or deleted" }).waitFor();
    // The browser reports the rejected call.
    expect(errors.filter((it) => !it.includes("401"))).toEqual([]);
  });

  test("draws the code in every comment that it shows", async () => {
    const marked = "[...document.querySelectorAll('.prose, .operation')].map((it) => it.innerText)";
    const texts = (await page.evaluate(marked)) as string[];
    expect(texts.join("\n")).toContain("Updates the fields of an event that update_mask names");
    expect(texts.filter((it) => it.includes("`"))).toEqual([]);
  });

  test.each([320, 1280])(
    "shows the whole operation of a URL at a width of %i pixels",
    async (width) => {
      const opened = await open({ viewport: { width, height: 700 } });
      await opened.goto(`${marquee.url}/reference#studio.CreateEvent`);
      const operation = opened.locator("[id='studio.CreateEvent']");
      await operation.getByRole("form").waitFor();
      const { y = 0 } = (await operation.boundingBox()) ?? {};
      const header = (await opened.getByRole("searchbox").boundingBox()) ?? { y: 0, height: 0 };
      const outline = (await opened.locator("#outline").boundingBox()) ?? { y: 0, height: 0 };
      const end = width < 768 ? Math.max(header.y + header.height, outline.y + outline.height) : 0;
      expect(y).toBeGreaterThan(end);
      expect(y).toBeLessThan(200);
      expect(await widthOf(opened)).toBe(width);
      await opened.close();
    },
  );

  test("fits a width of 390 pixels, in light and in dark", async () => {
    const narrow = await open({ viewport: { width: 390, height: 844 } });
    expect(await widthOf(narrow)).toBe(390);
    const events = narrow.locator("nav").getByText("Events").last();
    expect(await events.isVisible()).toBe(false);
    await narrow.getByText("Contents").click();
    await events.click();
    expect(await events.isVisible()).toBe(false);
    await narrow.getByRole("region", { name: "Events" }).last().getByText("CreateEvent").click();
    await narrow.getByRole("form", { name: "CreateEvent" }).waitFor();
    for (const [colorScheme, want] of [
      ["light", "rgb(21, 26, 34)"],
      ["dark", "rgb(233, 237, 243)"],
    ] as const) {
      await narrow.emulateMedia({ colorScheme });
      expect(await widthOf(narrow)).toBe(390);
      expect(await narrow.evaluate("getComputedStyle(document.body).color")).toBe(want);
    }
    await narrow.close();
  });
});
