import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { getUrl } from "../../harness/calls.ts";
import { type ServiceProcess, serveDatabase } from "../../harness/service-process.ts";
import { ok } from "./iam.ts";
import { Browser, ORGANIZATION, useStaffSignIn } from "./staff-sign-in.ts";

/** The URL of both processes for browsers, as behind a balancer. */
const STUDIO_URL = "http://localhost";

/** People sign in at this process, and are seen by another one of the same database. */
const { marquee, call, make, provider, invite } = await useStaffSignIn({ studioUrl: STUDIO_URL });
let other: ServiceProcess;
beforeAll(async () => {
  other = await serveDatabase(marquee.address, [
    ...["--studio", "--actions-allow-private", "--studio-url", STUDIO_URL],
  ]);
});
afterAll(async () => {
  await other.stop();
  await provider.close();
});

const PROJECT = "/iam/projects/v1/worldcup";
const EVENTS = getUrl("/svc.cda.cms.event.v1.EventService/ListEvents", { pageSize: 1 });
const PREVIEW = { headers: { "x-project-id": "worldcup" } };

const person = (name: string) => ({
  ...{ sub: name, email: `${name}@example.com` },
  email_verified: true,
});

/** Returns the same browser at the other process: cookies know no ports. */
function goOver(browser: Browser, url: string): Browser {
  return new Browser({ url }, browser.cookies);
}

/** Signs a viewer of the organization in; both processes have seen the session. */
async function signIn(name: string) {
  const account = await invite(`${name}@example.com`);
  const here = new Browser(marquee);
  expect((await here.signIn(provider, person(name))).status).toBe(303);
  const there = goOver(here, other.studioUrl);
  for (const browser of [here, there]) expect(await readStatuses(browser)).toEqual([200, 200]);
  return { account, here, there };
}

/** Reads a project, and a list as a preview. */
async function readStatuses(browser: Browser): Promise<readonly number[]> {
  const got = [await browser.send("GET", PROJECT), await browser.send("GET", EVENTS, PREVIEW)];
  return got.map(({ status }) => status);
}

test("a sign-in that begins at one process ends at another", async () => {
  await invite("moves@example.com");
  const here = new Browser(marquee);
  const location = (await here.begin()).headers.get("location") ?? "";
  const there = goOver(here, other.studioUrl);
  const got = await there.comeBack(provider.signIn(location, person("moves")));
  expect(got.status, await got.text()).toBe(303);
  expect(await readStatuses(here)).toEqual([200, 200]);
});

describe("a session counts no longer in another process (case 16)", () => {
  test("when it is revoked", async () => {
    const { account, there } = await signIn("revoked");
    const [session] = ok(
      await call(`GET /iam/access_tokens/v1?account_id=${account}`),
    ).access_tokens;
    ok(await call(`POST /iam/access_tokens/v1/${session.id}:revoke`, { body: {} }));
    expect(await readStatuses(there)).toEqual([401, 401]);
  });

  test("when its person signs out", async () => {
    const { here, there } = await signIn("leaves");
    const kept = new Map(there.cookies);
    expect((await there.send("POST", "/studio/sign-out")).status).toBe(204);
    for (const [name, value] of kept) here.cookies.set(name, value);
    expect(await readStatuses(here)).toEqual([401, 401]);
  });

  test("when its account is deleted", async () => {
    const { account, there } = await signIn("deleted");
    ok(await call(`DELETE /iam/accounts/v1/${account}`, { query: { force: true } }));
    expect(await readStatuses(there)).toEqual([401, 401]);
  });

  test("when the role of its account is taken away", async () => {
    const { account, there } = await signIn("role");
    const query = { organization_id: ORGANIZATION, filter: `account_id: ${account}` };
    const { bindings } = ok(await call("GET /iam/bindings/v1", { query }));
    ok(await call(`DELETE /iam/bindings/v1/${bindings[0].id}`));
    expect(await readStatuses(there)).toEqual([404, 404]);
    await make.binding(account, "viewer");
    expect(await readStatuses(there)).toEqual([200, 200]);
  });
});
