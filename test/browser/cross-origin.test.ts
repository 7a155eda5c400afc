import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectHeaders, getUrl, PROCEDURES } from "../harness/calls.ts";
import { captureLog } from "../harness/captured-log.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { describeInChromium } from "./describe-in-chromium.ts";

const GET_PAGE = "/svc.cda.ott.page.v1.PageService/GetPage";
const HOME = getUrl(GET_PAGE, { slug: "home", includeItems: true, environment: "web" });

const { log, lines } = captureLog();
const marquee = await useMarquee({ log });

/** A request that a page sends, and what it may read of the response. */
interface Call {
  readonly method?: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

describeInChromium("a page on another origin", (browser) => {
  let website: Server;
  let page: Page;
  /** What the browser says is wrong: on its console, of scripts, of requests without a response. */
  const errors: string[] = [];
  /** Method and status of every response on the wire to a path of the service. */
  const responsesTo = (path: string) =>
    lines.filter((line) => line.path === path).map(({ method, status }) => `${method} ${status}`);

  beforeAll(async () => {
    website = createServer((_request, response) => {
      response.setHeader("content-type", "text/html").end('<link rel="icon" href="data:,">');
    });
    await new Promise<void>((resolve) => website.listen(0, "127.0.0.1", resolve));
    page = await browser().newPage();
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) errors.push(message.text());
    });
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("requestfailed", (request) => errors.push(`${request.url()} got no response`));
    await page.goto(`http://127.0.0.1:${(website.address() as AddressInfo).port}/`);
    expect(new URL(page.url()).origin).not.toBe(marquee.server.deliveryUrl);
  });
  afterAll(() => void website?.close());

  /** Sends a request as a script of the page does. */
  const send = (path: string, call: Call) =>
    page.evaluate(
      async ({ url, init }) => {
        const response = await fetch(url, init);
        return {
          status: response.status,
          names: [...response.headers.keys()],
          json: await response.json(),
        };
      },
      { url: marquee.server.deliveryUrl + path, init: call },
    );
  const get = (path: string) =>
    send(path, { headers: { authorization: `Bearer ${marquee.keys.public}` } });

  test("reads by GET after a preflight, with the headers that CORS exposes", async () => {
    const got = await get(HOME);
    expect(got.status).toBe(200);
    expect(got.json).toMatchObject({ page: { slug: "home" } });
    expect(got.names).toEqual(expect.arrayContaining(["cache-control", "content-type", "etag"]));
    await expect.poll(() => responsesTo(GET_PAGE)).toEqual(["OPTIONS 204", "GET 200"]);
  });

  test("asks again with If-None-Match, gets 304 and has the same response", async () => {
    const path = getUrl(PROCEDURES.listEvents, { pageSize: 1 });
    const first = await get(path);
    await page.reload();
    expect((await get(path)).json).toEqual(first.json);
    await expect.poll(() => responsesTo(PROCEDURES.listEvents)).toContain("GET 304");
    const got = responsesTo(PROCEDURES.listEvents).filter((it) => it === "GET 200");
    expect(got).toHaveLength(1);
  });

  test("signs a viewer in by POST, after a preflight", async () => {
    const vendorIdToken = await marquee.identityProvider.sign({
      subject: "viewer-1",
      audience: "marquee-demo",
      issueTime: new Date(),
      expireTime: new Date(Date.now() + 60_000),
    });
    const headers = connectHeaders(marquee.keys.public);
    const body = JSON.stringify({ vendorIdToken });
    const got = await send(PROCEDURES.exchangeToken, { method: "POST", headers, body });
    expect(got.json).toMatchObject({
      userId: "viewer-1",
      token: expect.stringMatching(/^\w+\.\w+\.\S+$/),
    });
    await expect
      .poll(() => responsesTo(PROCEDURES.exchangeToken))
      .toEqual(["OPTIONS 204", "POST 200"]);
  });

  test("has nothing on the browser's console", () => {
    expect(errors).toEqual([]);
  });
});
