import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { BrowserContext, Page } from "playwright-core";
import { build, type Rollup } from "vite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { captureLog } from "../harness/captured-log.ts";
import { send } from "../harness/http.ts";
import { ROOT } from "../harness/process.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { describeInChromium } from "./describe-in-chromium.ts";

const { log, lines } = captureLog();
const marquee = await useMarquee({ log });
const EVENT = "match-2026-104";

/** Bundles the client, as a site does. */
async function bundle(): Promise<string> {
  const output = (await build({
    ...{ root: ROOT, configFile: false, logLevel: "silent" },
    build: {
      write: false,
      rollupOptions: {
        input: `${ROOT}packages/client/src/delivery.ts`,
        preserveEntrySignatures: "strict",
      },
    },
  })) as Rollup.RollupOutput;
  return output.output[0].code;
}

/** Shows the score as the title of the page, and keeps all scores that it has shown. */
const script = () => `
  import { createDeliveryClient } from "/client.js";
  const delivery = createDeliveryClient(${JSON.stringify({ url: marquee.url, key: marquee.keys.public })});
  for await (const { event } of delivery.watch.event.getEvent({ id: "${EVENT}" })) {
    document.title = event.fields.score.home;
    (globalThis.shown ??= []).push(document.title);
  }`;

async function score(home: number, event = EVENT): Promise<void> {
  const { status } = await send("PATCH", `${marquee.url}/cms/events/v1/${event}`, {
    token: marquee.tokens.owner,
    headers: { "x-project-id": "worldcup" },
    body: { event: { fields: { score: { home } } }, update_mask: "fields" },
  });
  expect(status).toBe(200);
}

async function countWaiting(): Promise<number> {
  const { text } = await send("GET", `${marquee.url}/metrics`);
  return Number(/^marquee_waiting_requests (\d+)$/m.exec(text)?.[1]);
}

describeInChromium("the client in a browser", (browser) => {
  let website: Server;
  let context: BrowserContext;
  let url = "";

  beforeAll(async () => {
    const client = await bundle();
    website = createServer(({ url }, response) => {
      const isScript = url === "/client.js";
      response
        .setHeader("content-type", isScript ? "text/javascript" : "text/html")
        .end(
          isScript
            ? client
            : `<link rel="icon" href="data:,">${url === "/" ? `<script type="module">${script()}</script>` : ""}`,
        );
    });
    await new Promise<void>((resolve) => website.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(website.address() as AddressInfo).port}/`;
    context = await browser().newContext();
    // As the browsers of televisions from 2020 to 2024.
    await context.addInitScript(`
      for (const name of ["canParse", "parse"]) delete URL[name];
      for (const name of ["any", "timeout"]) delete AbortSignal[name];
      for (const name of ["at", "findLast", "toSorted", "toReversed"]) delete Array.prototype[name];
      for (const name of ["isWellFormed", "toWellFormed"]) delete String.prototype[name];
      for (const name of ["hasOwn", "groupBy"]) delete Object[name];
      delete globalThis.structuredClone;`);
  });
  afterAll(() => void website?.close());

  const open = async (): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(url);
    return page;
  };
  const hide = (page: Page, isHidden: boolean) =>
    page.evaluate(`
      Object.defineProperty(document, "hidden", { value: ${isHidden}, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));`);

  test("reads a change at once, although the browser has a response that may be served while it is stale", async () => {
    const event = "match-2026-103";
    const page = await open();
    const read = () =>
      page.evaluate(`(async () => {
        const { createDeliveryClient } = await import("/client.js");
        const options = ${JSON.stringify({ url: marquee.url, key: marquee.keys.public })};
        const { event } = await createDeliveryClient(options).event.getEvent({ id: "${event}" });
        return event.fields.score.home;
      })()`);
    for (const home of [1, 2, 3]) {
      await score(home, event);
      expect(await read()).toBe(home);
    }
    await page.close();
  });

  test("ends a stream although the page is left at the same moment", async () => {
    const page = await open();
    await page.evaluate(`(async () => {
      const { createDeliveryClient } = await import("/client.js");
      const options = ${JSON.stringify({ url: marquee.url, key: marquee.keys.public })};
      const { playback } = createDeliveryClient(options);
      const { sessionKey } = await playback.authorizePlayback({ videoId: "video-match-2026-104" });
      addEventListener("pagehide", () => { playback.stopPlayback({ sessionKey }); });
    })()`);
    await page.goto("about:blank");
    const isStopped = () =>
      lines.some(({ path, method }) => String(path).endsWith("/StopPlayback") && method === "POST");
    await expect.poll(isStopped, { timeout: 3_000 }).toBe(true);
    await page.close();
  });

  test("25: a watch in two tabs sends one request, which moves when its tab closes or is hidden", async () => {
    await score(1);
    const first = await open();
    await expect.poll(countWaiting).toBe(1);
    const second = await open();
    await expect.poll(() => second.title()).toBe("1");
    await score(2);
    for (const page of [first, second]) await expect.poll(() => page.title()).toBe("2");
    await expect.poll(countWaiting).toBe(1);

    await hide(first, true);
    await expect.poll(countWaiting, { timeout: 2_000 }).toBe(1);
    await hide(second, true);
    await expect.poll(countWaiting, { timeout: 2_000 }).toBe(0);
    await hide(first, false);
    await expect.poll(countWaiting, { timeout: 2_000 }).toBe(1);
    await hide(second, false);

    await first.close();
    await score(3);
    await expect.poll(() => second.title(), { timeout: 3_000 }).toBe("3");
    await expect.poll(countWaiting).toBe(1);
    await second.close();
  });

  test("a new tab shows nothing that a hidden one has from before", async () => {
    await score(4);
    const first = await open();
    await expect.poll(() => first.title()).toBe("4");
    await hide(first, true);
    await expect.poll(countWaiting, { timeout: 2_000 }).toBe(0);
    await score(5);
    const second = await open();
    await expect.poll(() => second.title()).toBe("5");
    await expect.poll(countWaiting).toBe(1);
    // The messages of the tabs have arrived.
    await second.waitForTimeout(200);
    expect(await second.evaluate("shown")).toEqual(["5"]);
    for (const page of [first, second]) await page.close();
  });

  test("two tabs with previews of their own show each its own", async () => {
    const { tokens, url: api } = marquee;
    const change = async (method: string, path: string, body: object) =>
      expect((await send(method, api + path, { token: tokens.owner, body })).status).toBe(200);
    await score(6);
    await change("POST", "/cms/releases/v1?release_id=goals", {
      ...{ project_id: "worldcup", name: "Goals" },
    });
    await change("PATCH", `/cms/events/v1/${EVENT}?release_id=goals`, {
      ...{ event: { fields: { score: { home: 7 } } }, update_mask: "fields" },
    });
    const openPreview = async (options: object) => {
      const page = await context.newPage();
      await page.goto(`${url}empty`);
      await page.evaluate(`(async () => {
        const { createDeliveryClient, preview } = await import("/client.js");
        const interceptors = [preview(${JSON.stringify(options)})];
        const options = ${JSON.stringify({ url: api, key: marquee.keys.preview })};
        const delivery = createDeliveryClient({ ...options, interceptors });
        globalThis.shown = [];
        const run = async () => {
          for await (const { event } of delivery.watch.event.getEvent({ id: "${EVENT}" })) {
            shown.push(event.fields.score.home);
          }
        };
        run();
      })()`);
      return page;
    };
    const pages = [await openPreview({}), await openPreview({ release: "goals" })];
    const shown = () => Promise.all(pages.map((page) => page.evaluate("shown")));
    await expect.poll(shown).toEqual([[6], [7]]);
    // The messages of the tabs have arrived.
    await pages[0]?.waitForTimeout(200);
    expect(await shown()).toEqual([[6], [7]]);
    for (const page of pages) await page.close();
  });
});
