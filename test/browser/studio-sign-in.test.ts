import { request } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ORGANIZATION, useStaffSignIn } from "../api/iam/staff-sign-in.ts";
import { startOver } from "../harness/marquee.ts";
import { CERTIFICATE, KEY } from "../outbox/receiver.ts";
import { describeInChromium } from "./describe-in-chromium.ts";

/** A response on its way through the proxy. */
interface Passed {
  readonly line: string;
  readonly site: string | undefined;
  readonly status: number | undefined;
  readonly cookies: readonly string[];
}
const passed: Passed[] = [];

/** Ends TLS in front of the service; every host but the studio's is a website with an empty page. */
const proxy = createServer({ cert: CERTIFICATE, key: KEY }, (incoming, response) => {
  const { method, url = "", headers } = incoming;
  if (headers.host !== HOST) {
    response.setHeader("content-type", "text/html").end('<link rel="icon" href="data:,">');
    return;
  }
  const sent = request(marquee.url + url, { method: String(method), headers }, (got) => {
    const { statusCode: status, headers: fields } = got;
    const { "sec-fetch-site": site } = headers as Record<string, string>;
    const cookies = fields["set-cookie"] ?? [];
    passed.push({ line: `${method} ${url}`, site, status, cookies });
    response.writeHead(status ?? 502, fields);
    got.pipe(response);
  });
  incoming.pipe(sent);
});
const PORT = await listen(proxy);
/** Browsers look for these names on this machine, but they are none that Marquee takes for it. */
const HOST = `studio.acme.localhost:${PORT}`;
const SIBLING = `https://blog.acme.localhost:${PORT}`;
const STUDIO_URL = `https://${HOST}`;

const { marquee, provider, invite } = await useStaffSignIn({ studioUrl: STUDIO_URL });
afterAll(() => {
  proxy.close();
  return provider.close();
});

const HALF_A_DAY = 43_200;

async function listen(server: Server): Promise<number> {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return (server.address() as AddressInfo).port;
}

/** Signs in as a new person of the organization would, with the provider of the company. */
async function signIn(page: Page, url: string, name: string): Promise<void> {
  const email = `${name}@example.com`;
  await invite(email);
  provider.person = { sub: name, email, email_verified: true };
  await page.goto(`${url}/studio#/worldcup/history`);
  await page.getByLabel("Organization").fill(ORGANIZATION);
  await page.getByRole("button", { name: "Sign in with your company’s account" }).click();
  await history(page);
}

const history = (page: Page) => page.getByRole("heading", { level: 1, name: "History" }).waitFor();
const signInForm = (page: Page) => page.getByLabel("Organization").waitFor();

describeInChromium("a sign-in by https, through a proxy", (browser) => {
  let context: BrowserContext;
  let page: Page;
  beforeAll(async () => {
    context = await browser().newContext({ ignoreHTTPSErrors: true });
    page = await context.newPage();
    await signIn(page, STUDIO_URL, "ann");
  });

  test("comes back to the view where it began, with a cookie that is bound to the host", async () => {
    expect(page.url()).toBe(`${STUDIO_URL}/studio#/worldcup/history`);
    const [cookie, ...others] = await context.cookies();
    expect(others).toEqual([]);
    expect(cookie).toMatchObject({
      ...{ name: "__Host-marquee_session", domain: "studio.acme.localhost", path: "/" },
      ...{ httpOnly: true, secure: true, sameSite: "Strict" },
    });
    expect((cookie?.expires ?? 0) - Date.now() / 1_000).toBeCloseTo(HALF_A_DAY, -2);
  });

  test("keeps what it needs in a cookie of ten minutes, until the session", async () => {
    const setting = passed.filter(({ cookies }) => cookies.length > 0);
    const [begun, finished, ...others] = setting.map(({ line, status, cookies }) => [
      ...[line.replace(/\?.*/, ""), status],
      ...cookies.map((it) => it.replace(/_sign_in_[^=]+=[\w.-]*/, "_sign_in_STATE=…")),
    ]);
    const started = "__Host-marquee_sign_in_STATE=…; Path=/; HttpOnly; Secure; SameSite=Lax";
    expect(begun).toEqual(["GET /studio/sign-in", 303, `${started}; Max-Age=600`]);
    expect(finished).toEqual([
      ...[`GET /studio/callback/${ORGANIZATION}`, 303],
      expect.stringMatching(
        /^__Host-marquee_session=mqs_\S+; Path=\/; HttpOnly; Secure; SameSite=Strict; Max-Age=43[12]\d\d$/,
      ),
      `${started}; Max-Age=0`,
    ]);
    expect(others).toEqual([]);
  });

  test("lasts when a link of another site leads to the studio", async () => {
    await page.goto(provider.issuer);
    await page.evaluate(`location.href = "${STUDIO_URL}/studio#/worldcup/history"`);
    await history(page);
  });

  test("case 14: pages of a sibling domain and of another site read and write nothing", async () => {
    for (const [url, site, ofSignOut] of [
      [SIBLING, "same-site", 401],
      // Its requests lack the cookie.
      [provider.issuer, "cross-site", 204],
    ] as const) {
      const other = await context.newPage();
      await other.goto(url);
      const from = passed.length;
      const script = `(async () => {
        const options = { mode: "no-cors", credentials: "include" };
        await fetch("${STUDIO_URL}/iam/auth/v1/me", options);
        await fetch("${STUDIO_URL}/studio/sign-out", { ...options, method: "POST" });
        document.body.innerHTML = '<form method="post" action="${STUDIO_URL}/studio/sign-out">';
        document.forms[0].submit();
      })()`;
      // The page that it runs in is left: its result may never come.
      void other.evaluate(script).catch(() => {});
      await expect
        .poll(() => passed.slice(from).map((it) => Object.values(it)))
        .toEqual([
          ["GET /iam/auth/v1/me", site, 401, []],
          ["POST /studio/sign-out", site, ofSignOut, []],
          ["POST /studio/sign-out", site, ofSignOut, []],
        ]);
    }
    await page.reload();
    await history(page);
  });

  test("case 14: a cookie that a sibling domain sets is no session", async () => {
    const [{ value } = { value: "" }] = await context.cookies();
    expect(value).toMatch(/^mqs_/);
    const other = await browser().newContext({ ignoreHTTPSErrors: true });
    const planted = await other.newPage();
    await planted.goto(SIBLING);
    await planted.evaluate(`for (const prefix of ["", "__Host-"]) {
      document.cookie = prefix + "marquee_session=${value}; Domain=acme.localhost; Path=/; Secure";
    }`);
    expect(await other.cookies(STUDIO_URL)).toMatchObject([{ name: "marquee_session", value }]);
    await planted.goto(`${STUDIO_URL}/studio`);
    await signInForm(planted);
    await other.close();
  });

  test("is not used by a tab of another account", async () => {
    const first = await context.newPage();
    await invite("carol@example.com");
    provider.person = { sub: "carol", email: "carol@example.com", email_verified: true };
    const query = new URLSearchParams({ organization: ORGANIZATION, return: "/studio" });
    await first.goto(`${STUDIO_URL}/studio/sign-in?${query}`);
    await first.getByRole("heading", { level: 1, name: "World Cup" }).waitFor();
    await page.getByRole("link", { name: "Releases" }).click();
    await page.getByRole("alert").getByText("Another tab has signed in").waitFor();
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { level: 1, name: "Releases" }).waitFor();
    await first.close();
  });

  test("ends with the cookie when the person signs out", async () => {
    await page.getByRole("button", { name: "Sign out" }).click();
    await signInForm(page);
    expect(await context.cookies()).toEqual([]);
    await page.reload();
    await signInForm(page);
  });

  test("by http on this machine has a cookie without the prefix", async () => {
    const here = await startOver(marquee.store, {
      ...{ studio: true, runsActions: false, actionsAllowPrivate: true },
    });
    const url = here.studioUrl.replace("127.0.0.1", "localhost");
    await signIn(page, url, "bob");
    expect(page.url()).toBe(`${url}/studio#/worldcup/history`);
    expect(await context.cookies()).toMatchObject([
      {
        ...{ name: "marquee_session", domain: "localhost", path: "/" },
        ...{ httpOnly: true, secure: false, sameSite: "Strict" },
      },
    ]);
    await page.getByRole("button", { name: "Sign out" }).click();
    await signInForm(page);
    expect(await context.cookies()).toEqual([]);
    await here.close(1_000);
  });
});
