import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Marquee, startMarquee } from "../harness/marquee.ts";
import { findChromium, isChromiumRequired, launchChromium } from "./chromium.ts";

const chromium = findChromium();
const isSkipped = chromium === undefined && !isChromiumRequired;
if (isSkipped) {
  process.stderr.write("\n*** SKIPPED: the browser tests, as this machine has no Chromium ***\n\n");
}

/** A dot in the ids of Swagger UI, which are escaped, inside a selector, which escapes once more. */
const ESCAPED_DOT = "\\\\.";

describe.skipIf(isSkipped)("/reference", () => {
  let marquee: Marquee;
  let browser: Browser;
  let page: Page;
  /** What the browser says is wrong, and what it asked of other origins. */
  const errors: string[] = [];

  beforeAll(async () => {
    if (chromium === undefined) throw new Error("no Chromium: apt-get install chromium");
    [marquee, browser] = await Promise.all([startMarquee(), launchChromium(chromium)]);
    page = await browser.newPage();
    page.setDefaultTimeout(50_000);
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) errors.push(message.text());
    });
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("request", (request) => {
      const isOwn = request.url().startsWith(marquee.url) || request.url().startsWith("data:");
      if (!isOwn) errors.push(`asked for ${request.url()}`);
    });
    await page.goto(`${marquee.url}/reference`);
    await page.locator(".opblock-tag").first().waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await marquee?.close();
  });

  /** Gives the page a credential for a security scheme. */
  async function authorize(scheme: string, credential: string): Promise<void> {
    await page.locator(".btn.authorize.unlocked, .btn.authorize.locked").first().click();
    const form = page.locator(".auth-container", {
      has: page.locator(`code:text-is("${scheme}")`),
    });
    await form.locator("input").fill(credential);
    await form.locator("button.authorize").click();
    await page.locator(".close-modal").click();
  }

  /** Opens an operation and sends its example; returns the status of the answer and its text. */
  async function execute(tag: string, operationId: string) {
    await page.locator(`[id="operations-tag-${tag.replaceAll(".", ESCAPED_DOT)}"]`).click();
    const id = `operations-${tag}-${operationId}`.replaceAll(".", ESCAPED_DOT);
    const operation = page.locator(`[id="${id}"]`);
    await operation.locator("button").first().click();
    await operation.locator("button.execute").click();
    const response = operation.locator(".live-responses-table .response");
    await response.waitFor();
    const [status, text] = await Promise.all([
      response.locator(".response-col_status").innerText(),
      response.locator("pre").first().innerText(),
    ]);
    return { status: status.trim(), text };
  }

  test("lists the services of both interfaces, without a fault and nothing from elsewhere", async () => {
    const tags = await page.locator(".opblock-tag").allInnerTexts();
    expect(tags.some((it) => it.startsWith("studio.ott.page_component.v2"))).toBe(true);
    expect(tags.some((it) => it.startsWith("cda.cms.event.v1"))).toBe(true);
    expect(errors).toEqual([]);
  });

  test("sends the examples of both interfaces with the credentials given to it", async () => {
    await authorize("projectKey", marquee.keys.public);
    const read = await execute("cda.cms.event.v1", "delivery.ListEvents");
    expect(read.status).toBe("200");
    expect(read.text).toContain('"events"');
    await authorize("accessToken", marquee.tokens.owner);
    const changed = await execute("studio.annotations.annotation.v1", "studio.UpdateAnnotation");
    expect(changed.status).toBe("200");
    expect(changed.text).toContain('"timer_label": "changed"');
    expect(errors).toEqual([]);
  });
});
