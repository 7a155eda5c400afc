import { request } from "node:http";
import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";
import { fuzzCallbacks } from "../../../tools/fuzz/callbacks.ts";
import { FakeProvider, SHAPES } from "../../auth/staff-provider.ts";
import { connectHeaders, getUrl } from "../../harness/calls.ts";
import { openFresh } from "../../harness/fresh-store.ts";
import { rejection, send } from "../../harness/http.ts";
import { sampleOf } from "../method-samples.ts";
import { findMethods, procedureOf } from "../methods.ts";
import { ok } from "./iam.ts";
import { Browser, ORGANIZATION, reasonOfPage, useStaffSignIn } from "./staff-sign-in.ts";

let now = new Date();
const { marquee, call, make, provider, set, invite } = await useStaffSignIn({
  clock: () => now,
  location: { trustedProxies: [{ address: "127.0.0.1", prefix: 32 }] },
});
const providers = [provider];
afterAll(() => Promise.all(providers.map((it) => it.close())));

const verified = (sub: string, email = `${sub}@example.com`) => ({
  ...{ sub, email },
  email_verified: true,
});

const SIGN_IN = `/studio/sign-in?organization=${ORGANIZATION}`;

/** Gets the text of a page by the name of a host. */
function askAs(host: string, url: string): Promise<string> {
  return new Promise((done, fail) => {
    const sent = request(url, { headers: { host } }, async (response) => {
      let text = "";
      for await (const chunk of response) text += chunk;
      done(text);
    });
    sent.on("error", fail).end();
  });
}

/** Uses another provider for the sign-ins of the organization. */
async function use(other: FakeProvider): Promise<FakeProvider> {
  await other.start();
  providers.push(other);
  ok(await set({ issuer: other.issuer }));
  return other;
}

beforeEach(async () => {
  // An address begins at most 20 sign-ins in a minute.
  now = new Date(now.getTime() + 61_000);
  provider.claims = (claims) => claims;
  ok(await set({ issuer: provider.issuer, trusts_email: false }));
});

describe.each(SHAPES)("with a provider like %s (case 12)", (shape) => {
  test("an invited person signs in, whatever the case of the e-mail", async () => {
    const at = await use(new FakeProvider(shape));
    if (shape === "Entra") ok(await set({ trusts_email: true }));
    const sub = `in-${shape}`;
    const id = await invite(`${sub}@Example.com`);
    const person = { sub, email: `${sub.toUpperCase()}@example.com` };
    const browser = new Browser(marquee);
    const got = await browser.signIn(
      at,
      shape === "Entra" ? person : { ...person, email_verified: true },
      "/studio#/worldcup/events?filter=id",
    );
    expect(got.status, await got.text()).toBe(303);
    expect(got.headers.get("location")).toBe(`${marquee.url}/studio#/worldcup/events?filter=id`);
    expect(got.headers.get("cache-control")).toBe("no-store");
    expect([...browser.cookies.keys()]).toEqual(["marquee_session"]);
    const me = await browser.send("GET", "/iam/auth/v1/me");
    expect(me.headers.get("cache-control")).toBe("private, no-store");
    const { account } = (await me.json()) as { account: Record<string, unknown> };
    expect(account).toMatchObject({ id, last_sign_in: { issuer: at.issuer, subject: sub } });
  });

  test("an uninvited person and one without a verified e-mail do not", async () => {
    const at = await use(new FakeProvider(shape));
    const sub = `out-${shape}`;
    const uninvited = await new Browser(marquee).signIn(at, verified(sub));
    expect(await reasonOfPage(uninvited)).toEqual([403, "ACCOUNT_NOT_INVITED"]);
    await invite(`${sub}@example.com`);
    for (const email_verified of [undefined, false, "false"]) {
      const browser = new Browser(marquee);
      const person = { sub, email: `${sub}@example.com`, email_verified };
      const got = await browser.signIn(at, person);
      expect(await reasonOfPage(got)).toEqual([403, "EMAIL_NOT_VERIFIED"]);
      expect(browser.cookies.size).toBe(0);
    }
    expect((await new Browser(marquee).signIn(at, verified(sub))).status).toBe(303);
  });
});

describe("the account of a person", () => {
  test("is found by the subject after the first sign-in, and the e-mail counts no longer", async () => {
    const id = await invite("subject@example.com");
    expect((await new Browser(marquee).signIn(provider, verified("subject"))).status).toBe(303);
    const moved = { sub: "subject", email: "moved@example.com" };
    expect((await new Browser(marquee).signIn(provider, moved)).status).toBe(303);
    const thief = verified("thief", "subject@example.com");
    const got = await new Browser(marquee).signIn(provider, thief);
    expect(await reasonOfPage(got)).toEqual([403, "ACCOUNT_NOT_INVITED"]);
    // Another e-mail makes the next sign-in a first one.
    const body = { account: { email: "thief@example.com" }, update_mask: "email" };
    const { account } = ok(await call(`PATCH /iam/accounts/v1/${id}`, { body }));
    expect(account.last_sign_in).toBeUndefined();
    const old = await new Browser(marquee).signIn(provider, verified("subject"));
    expect(await reasonOfPage(old)).toEqual([403, "ACCOUNT_NOT_INVITED"]);
    expect((await new Browser(marquee).signIn(provider, verified("thief"))).status).toBe(303);
  });

  test("has a subject of at most 255 characters", async () => {
    await invite("long@example.com");
    const person = verified("s".repeat(255), "long@example.com");
    expect((await new Browser(marquee).signIn(provider, person)).status).toBe(303);
  });

  test("is another at another issuer, and the e-mail counts again", async () => {
    await invite("issuer@example.com");
    expect((await new Browser(marquee).signIn(provider, verified("issuer"))).status).toBe(303);
    const other = await use(new FakeProvider("Google"));
    const got = await new Browser(marquee).signIn(other, verified("issuer", "else@example.com"));
    expect(await reasonOfPage(got)).toEqual([403, "ACCOUNT_NOT_INVITED"]);
    const person = verified("other", "issuer@example.com");
    expect((await new Browser(marquee).signIn(other, person)).status).toBe(303);
  });

  test("is no other person's whose e-mail looks alike, is quoted, or has a space or a second @", async () => {
    await invite("kate@example.com");
    for (const email of [
      "\u212aate@example.com",
      "kate@example.com ",
      " kate@example.com",
      '"kate"@example.com',
      "<kate@example.com>",
      "kate@example.com,eve@evil.example",
      "eve@evil.example@example.com",
      "kate@example.com\0",
      "kate\ud800@example.com",
    ]) {
      const got = await new Browser(marquee).signIn(provider, verified("lookalike", email));
      expect([email, ...(await reasonOfPage(got))]).toEqual([email, 403, "ACCOUNT_NOT_INVITED"]);
    }
    const kate = verified("kate\0", "kate@example.com");
    for (let turn = 0; turn < 2; turn += 1) {
      expect((await new Browser(marquee).signIn(provider, kate)).status).toBe(303);
    }
  });

  test("has an e-mail that is valid and that no other account has", async () => {
    await invite("taken@example.com");
    const create = (email: string) =>
      call("POST /iam/accounts/v1", { body: { organization_id: ORGANIZATION, name: "A", email } });
    expect(rejection(await create("Taken@Example.com"))).toEqual([409, "EMAIL_TAKEN"]);
    ok(await create("taken+tag@example.com"));
    for (const email of ["taken", "a@b@c", "a b@c", `${"a".repeat(251)}@b.c`]) {
      expect(rejection(await create(email))).toEqual([400, "EMAIL_INVALID"]);
    }
  });
});

describe("a sign-in ends without a session (case 13)", () => {
  const begin = async (browser: Browser) => (await browser.begin()).headers.get("location") ?? "";

  test("with a code that was used, or in another browser", async () => {
    await invite("replay@example.com");
    const browser = new Browser(marquee);
    const callback = provider.signIn(await begin(browser), verified("replay"));
    const other = new Browser(marquee);
    const invalid = [401, "SIGN_IN_STATE_INVALID"];
    expect(await reasonOfPage(await other.comeBack(callback))).toEqual(invalid);
    const kept = new Map(browser.cookies);
    expect((await browser.comeBack(callback)).status).toBe(303);
    expect(await reasonOfPage(await browser.comeBack(callback))).toEqual(invalid);
    for (const [name, value] of kept) other.cookies.set(name, value);
    expect(await reasonOfPage(await other.comeBack(callback))).toEqual([401, "SIGN_IN_REJECTED"]);
    expect(other.cookies.has("marquee_session")).toBe(false);
  });

  test("with a cookie that was used, though the provider accepts its code again", async () => {
    await invite("copied@example.com");
    const browser = new Browser(marquee);
    const callback = provider.signIn(await begin(browser), verified("copied"));
    const copy = new Browser(marquee, new Map(browser.cookies));
    expect((await browser.comeBack(callback)).status).toBe(303);
    expect((await browser.send("POST", "/studio/sign-out")).status).toBe(204);
    expect((await browser.signIn(provider, verified("copied"))).status).toBe(303);
    provider.forgetUses();
    const invalid = [401, "SIGN_IN_STATE_INVALID"];
    expect(await reasonOfPage(await copy.comeBack(callback))).toEqual(invalid);
    expect(copy.cookies.has("marquee_session")).toBe(false);
  });

  test("with a cookie that was used, although 50 newer sessions have ended its own", async () => {
    await invite("pushed@example.com");
    const browser = new Browser(marquee);
    const callback = provider.signIn(await begin(browser), verified("pushed"));
    const copy = new Browser(marquee, new Map(browser.cookies));
    expect((await browser.comeBack(callback)).status).toBe(303);
    for (let turn = 0; turn < 50; turn += 1) {
      if (turn % 15 === 0) now = new Date(now.getTime() + 61_000);
      expect((await new Browser(marquee).signIn(provider, verified("pushed"))).status).toBe(303);
    }
    expect((await browser.send("GET", "/iam/auth/v1/me")).status).toBe(401);
    provider.forgetUses();
    const invalid = [401, "SIGN_IN_STATE_INVALID"];
    expect(await reasonOfPage(await copy.comeBack(callback))).toEqual(invalid);
  });

  test("ten minutes after it began, and no sooner", async () => {
    await invite("slow@example.com");
    const finishAfter = async (ms: number) => {
      const browser = new Browser(marquee);
      const callback = provider.signIn(await begin(browser), verified("slow"));
      now = new Date(now.getTime() + ms);
      return browser.comeBack(callback);
    };
    expect((await finishAfter(599_999)).status).toBe(303);
    expect(await reasonOfPage(await finishAfter(600_000))).toEqual([401, "SIGN_IN_STATE_INVALID"]);
  });

  test("with the state of another sign-in, or a changed cookie", async () => {
    await invite("state@example.com");
    const [mine, theirs] = [new Browser(marquee), new Browser(marquee)];
    const callback = provider.signIn(await begin(mine), verified("state"));
    const foreign = provider.signIn(await begin(theirs), verified("state"));
    callback.searchParams.set("state", foreign.searchParams.get("state") ?? "");
    expect(await reasonOfPage(await mine.comeBack(callback))).toEqual([
      ...[401, "SIGN_IN_STATE_INVALID"],
    ]);
    for (const [name, value] of theirs.cookies) {
      theirs.cookies.set(name, `${value[0] === "e" ? "f" : "e"}${value.slice(1)}`);
    }
    expect(await reasonOfPage(await theirs.comeBack(foreign))).toEqual([
      ...[401, "SIGN_IN_STATE_INVALID"],
    ]);
  });

  test.each([
    ["a wrong nonce", { nonce: "other" }],
    ["a wrong audience", { aud: "another-app" }],
    ["another authorized party", { azp: "another-app" }],
    ["several audiences", { aud: ["studio", "another-app"] }],
    ["a wrong issuer", { iss: "https://elsewhere.example" }],
    ["an end in the past", { exp: 1_700_000_000 }],
    ["no subject", { sub: undefined as never }],
    ["an empty subject", { sub: "" }],
    ["a subject of 256 characters", { sub: "s".repeat(256) }],
    ["a token of 16 KiB", { padding: "x".repeat(16_384) }],
  ])("with %s", async (_name, claims) => {
    const browser = new Browser(marquee);
    provider.claims = (sent) => ({ ...sent, ...claims });
    const got = await browser.signIn(provider, verified("claims"));
    expect(await reasonOfPage(got)).toEqual([401, "SIGN_IN_REJECTED"]);
    expect(browser.cookies.size).toBe(0);
  });

  test("when the provider of another organization sends a person to theirs", async () => {
    await invite("mixed@example.com");
    const { organization } = ok(
      await call("POST /iam/organizations/v1", { body: { name: "Other" } }),
    );
    const evil = await new FakeProvider("Google").start();
    providers.push(evil);
    const body = {
      staff_sign_in: { issuer: evil.issuer, client_id: "evil" },
      update_mask: "issuer,client_id",
    };
    ok(await call(`PATCH /iam/staff_sign_in/v1/${organization.id}`, { body }));
    // Providers such as Entra do not name themselves in the callback.
    const honest = await use(new FakeProvider("Google"));
    const [attacker, person] = [new Browser(marquee), new Browser(marquee)];
    const own = new URL(await begin(attacker));
    const lured = new URL((await person.begin(organization.id)).headers.get("location") ?? "");
    const sent = new URL(own);
    sent.searchParams.set("state", lured.searchParams.get("state") ?? "");
    const back = honest.signIn(sent.href, verified("mixed"));
    const got = await person.comeBack(back);
    back.searchParams.set("state", own.searchParams.get("state") ?? "");
    back.searchParams.set("code", evil.codes[0] ?? "");
    expect((await attacker.comeBack(back)).status).toBe(401);
    expect(evil.codes).toEqual([]);
    expect(await reasonOfPage(got)).toEqual([401, "SIGN_IN_STATE_INVALID"]);
  });

  test("which begins again and again, and the cookies still fit into a request", async () => {
    await invite("again@example.com");
    const browser = new Browser(marquee);
    for (const character of ['"', "\\", "~"]) {
      const wayBack = `/studio#${character.repeat(1_024)}`;
      for (let turn = 0; turn < 5; turn += 1) await browser.begin(ORGANIZATION, wayBack);
      // Proxies such as nginx accept 8 KiB.
      expect([...browser.cookies].map((it) => it.join("=")).join("; ").length).toBeLessThan(7_000);
    }
    const begun = [await browser.begin(ORGANIZATION), await browser.begin(ORGANIZATION)];
    expect((await browser.signIn(provider, verified("again"))).status).toBe(303);
    // Three that have begun are kept, and it is the oldest that give way.
    for (const { headers } of begun) {
      const back = provider.signIn(headers.get("location") ?? "", verified("again"));
      expect((await browser.comeBack(back)).status).toBe(303);
    }
  });

  test.each(["cross-site", "same-site"])(
    "which a %s page links to until the person has seen the organization",
    async (site) => {
      await invite(`${site}@example.com`);
      const browser = new Browser(marquee);
      const wayBack = "/studio#/worldcup/events?filter=id&x=%22";
      const query = new URLSearchParams({ organization: ORGANIZATION, return: wayBack });
      const headers = { "sec-fetch-site": site };
      const asked = await browser.send("GET", `/studio/sign-in?${query}`, { headers });
      expect(asked.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
      const text = await asked.text();
      expect([asked.status, browser.cookies.size]).toEqual([200, 0]);
      expect(text).toContain(`<code>${ORGANIZATION}</code>`);
      const [, link = ""] = /href="(sign-in[^"]*)"/.exec(text) ?? [];
      const begun = await browser.send("GET", `/studio/${link.replaceAll("&#38;", "&")}`);
      const location = begun.headers.get("location") ?? "";
      const got = await browser.comeBack(provider.signIn(location, verified(site)));
      expect(got.headers.get("location")).toBe(`${marquee.url}${wayBack}`);
    },
  );

  test("whose organization another website names at length, or with tags", async () => {
    const query = new URLSearchParams({ organization: `<b>${"x".repeat(200)}`, return: "" });
    const headers = { "sec-fetch-site": "cross-site" };
    const asked = await new Browser(marquee).send("GET", `/studio/sign-in?${query}`, { headers });
    expect(await asked.text()).toContain(`<code>&#60;b&#62;${"x".repeat(97)}…</code>`);
  });

  test("with the clock of the provider a minute ahead it succeeds, and with keys that are new", async () => {
    await invite("clock@example.com");
    provider.claims = ({ iat = 0, exp = 0, ...sent }) => ({
      ...sent,
      iat: iat + 55,
      exp: exp + 55,
    });
    const browser = new Browser(marquee);
    const callback = provider.signIn(await begin(browser), verified("clock"));
    await provider.rotateKeys();
    expect((await browser.comeBack(callback)).status).toBe(303);
  });

  test("with an error of the provider, which the page shows as text", async () => {
    const browser = new Browser(marquee);
    const { searchParams } = new URL(await begin(browser));
    const query = new URLSearchParams({
      state: searchParams.get("state") ?? "",
      ...{ error: "access_denied", error_description: "<script>alert(1)</script>" },
    });
    const got = await browser.comeBack(
      new URL(`${marquee.url}/studio/callback/${ORGANIZATION}?${query}`),
    );
    const text = await got.clone().text();
    expect(await reasonOfPage(got)).toEqual([401, "SIGN_IN_REJECTED"]);
    expect(text).toContain("access_denied, &#60;script&#62;");
    expect(text).toContain(`href="../sign-in?organization=${ORGANIZATION}&#38;return=%2Fstudio"`);
    expect(got.headers.get("content-security-policy")).toContain("default-src 'none'");
  });

  test("while the provider is down or lies, and sessions go on", async () => {
    await invite("down@example.com");
    const browser = new Browser(marquee);
    expect((await browser.signIn(provider, verified("down"))).status).toBe(303);
    for (const failure of [
      { status: 500, body: "" },
      { status: 200, body: "<html>" },
      { status: 200, body: "{}" },
      { status: 200, body: "x".repeat(300_000) },
      { status: 200, body: JSON.stringify({ issuer: "https://elsewhere.example" }) },
      ...["javascript:alert(1)", "login", undefined].map((authorization_endpoint) => ({
        status: 200,
        body: JSON.stringify({ issuer: provider.issuer, authorization_endpoint }),
      })),
    ]) {
      provider.failure = failure;
      const got = await new Browser(marquee).begin();
      expect(await reasonOfPage(got)).toEqual([503, "ISSUER_UNREACHABLE"]);
    }
    provider.failure = undefined;
    expect((await browser.send("GET", "/iam/auth/v1/me")).status).toBe(200);
  });

  test("in an organization without a provider, and on another host than this machine", async () => {
    const got = await new Browser(marquee).begin("org-elsewhere");
    expect(await reasonOfPage(got)).toEqual([400, "SIGN_IN_NOT_CONFIGURED"]);
    const unknown = await new Browser(marquee).begin("nobody");
    expect(await reasonOfPage(unknown)).toEqual([400, "SIGN_IN_NOT_CONFIGURED"]);
    const elsewhere = await askAs("studio.example.com", `${marquee.url}${SIGN_IN}`);
    expect(elsewhere).toContain("--studio-url");
  });

  test("and returns only to the studio", async () => {
    await invite("back@example.com");
    for (const wayBack of [
      "//evil.example",
      "https://evil.example",
      "/studio/../x",
      "/studioX",
      "",
    ]) {
      now = new Date(now.getTime() + 61_000);
      const got = await new Browser(marquee).signIn(provider, verified("back"), wayBack);
      expect(got.headers.get("location")).toBe(`${marquee.url}/studio`);
    }
  });
});

test("callbacks of each kind sign in only the people who did so, and cause no fault (case 13)", async () => {
  // A sample of `npm run fuzz`, which sends far more.
  const { cases, sessions, errors } = await fuzzCallbacks({ openFresh, cases: 180, seed: 13 });
  expect(errors).toEqual([]);
  expect(cases).toBe(180);
  expect(sessions).toBeGreaterThan(10);
});

describe("a session", () => {
  const signIn = async (name: string) => {
    const id = await invite(`${name}@example.com`);
    const browser = new Browser(marquee);
    expect((await browser.signIn(provider, verified(name))).status).toBe(303);
    return { id, browser };
  };
  const ME = "/iam/auth/v1/me";
  const reasonOf = async (response: Response) => {
    const body = (await response.json()) as { details?: { reason?: string }[]; code?: unknown };
    return [response.status, body.details?.find(({ reason }) => reason)?.reason];
  };

  test("counts only in requests of the same origin (case 14)", async () => {
    const { browser } = await signIn("origin");
    for (const site of ["cross-site", "same-site", "none", ""]) {
      const headers = { "sec-fetch-site": site };
      const body = { organization_id: ORGANIZATION, name: "A" };
      for (const got of [
        await browser.send("GET", ME, { headers }),
        await browser.send("POST", "/iam/accounts/v1", { headers, body }),
        await browser.send("POST", "/studio/sign-out", { headers }),
      ]) {
        expect(await reasonOf(got)).toEqual([401, "SESSION_ORIGIN_INVALID"]);
      }
    }
    expect((await browser.send("GET", ME)).status).toBe(200);
  });

  test("is in a cookie of exactly its name, which a sibling domain cannot set", async () => {
    const { browser } = await signIn("exact");
    const token = browser.cookies.get("marquee_session");
    browser.cookies.clear();
    for (const name of ["marquee_session", "__Host-marquee_session"]) {
      const ask = async (sent: string) =>
        (await browser.send("GET", ME, { headers: { cookie: `a=b; ${sent}=${token}` } })).status;
      expect(await ask(name)).toBe(200);
      for (const other of [`\u00a0${name}`, `${name}\u00a0`, `\u0085${name}`]) {
        expect([other, await ask(other)]).toEqual([other, 401]);
      }
      expect(await ask(name.toUpperCase())).toBe(401);
    }
  });

  test("is no access token, and an access token is no session", async () => {
    const { browser } = await signIn("kinds");
    const token = browser.cookies.get("marquee_session") ?? "";
    const got = await send("GET", `${marquee.url}${ME}`, { token });
    expect(rejection(got)).toEqual([401, "CREDENTIALS_WRONG_KIND"]);
    browser.cookies.set("marquee_session", marquee.tokens.owner);
    expect(await reasonOf(await browser.send("GET", ME))).toEqual([401, "CREDENTIALS_WRONG_KIND"]);
    // A header wins.
    const headers = { authorization: `Bearer ${marquee.tokens.owner}`, "sec-fetch-site": "none" };
    const { account } = (await (await browser.send("GET", ME, { headers })).json()) as {
      account: { id: string };
    };
    expect(account.id).toBe("account-owner");
  });

  test("ends when it is revoked, and by signing out", async () => {
    const { id, browser } = await signIn("revoked");
    const list = () => call(`GET /iam/access_tokens/v1?account_id=${id}`);
    const [session] = ok(await list()).access_tokens;
    expect(session).toMatchObject({ kind: "ACCESS_TOKEN_KIND_SESSION", account_id: id });
    ok(await call(`POST /iam/access_tokens/v1/${session.id}:revoke`, { body: {} }));
    expect(await reasonOf(await browser.send("GET", ME))).toEqual([401, "CREDENTIALS_INVALID"]);
    expect((await browser.signIn(provider, verified("revoked"))).status).toBe(303);
    expect((await browser.send("GET", ME)).status).toBe(200);
    const kept = new Map(browser.cookies);
    now = new Date(now.getTime() + 1_000);
    expect((await browser.send("POST", "/studio/sign-out")).status).toBe(204);
    expect(browser.cookies.size).toBe(0);
    for (const [name, value] of kept) browser.cookies.set(name, value);
    expect(await reasonOf(await browser.send("GET", ME))).toEqual([401, "CREDENTIALS_INVALID"]);
    const { entries } = ok(
      await call(`GET /iam/audit/v1/entries?organization_id=${ORGANIZATION}&page_size=2`),
    );
    expect(entries[0]).toMatchObject({ account_id: id, method: "/studio/sign-out" });
  });

  test("signing out without a session ends nothing, not even a token in its cookie", async () => {
    const { id, browser } = await signIn("out-twice");
    const kept = [...browser.cookies];
    const signOut = (cookies: readonly (readonly [string, string])[]) =>
      new Browser(marquee, new Map(cookies)).send("POST", "/studio/sign-out");
    expect((await signOut(kept)).status).toBe(204);
    expect((await signOut(kept)).status).toBe(204);
    const token = await make.token(id);
    expect((await signOut([["marquee_session", token]])).status).toBe(204);
    ok(await call(`GET ${ME}`, { token }));
  });

  test("has ended if its account was deleted while its person signs out", async () => {
    const { id, browser } = await signIn("deleted");
    const { store } = marquee;
    const transaction = store.transaction.bind(store);
    vi.spyOn(store, "transaction").mockImplementationOnce(async (scope, run) => {
      ok(await call(`DELETE /iam/accounts/v1/${id}?force=true`));
      return transaction(scope, run);
    });
    expect((await browser.send("POST", "/studio/sign-out")).status).toBe(204);
    expect(browser.cookies.size).toBe(0);
  });

  test("ends when its account gets another e-mail, because its holder is another person", async () => {
    const { id, browser } = await signIn("moving");
    const token = await make.token(id);
    const path = `PATCH /iam/accounts/v1/${id}`;
    const update = (account: object, more: object = {}) =>
      call(path, { body: { account, update_mask: Object.keys(account).join(), ...more } });
    ok(await update({ name: "Moving", email: "moving@example.com" }));
    ok(await update({ email: "else@example.com" }, { validate_only: true }));
    expect((await browser.send("GET", ME)).status).toBe(200);
    ok(await update({ email: "else@example.com" }));
    expect(await reasonOf(await browser.send("GET", ME))).toEqual([401, "CREDENTIALS_INVALID"]);
    expect((await send("GET", `${marquee.url}${ME}`, { token })).status).toBe(200);
  });

  test("ends with its account, and loses what its account loses", async () => {
    const { id, browser } = await signIn("leaving");
    const other = new Browser(marquee);
    expect((await other.signIn(provider, verified("leaving"))).status).toBe(303);
    const list = () => browser.send("GET", "/iam/roles/v1?organization_id=org-worldcup");
    expect((await list()).status).toBe(200);
    const query = { organization_id: ORGANIZATION, filter: `account_id: "${id}"` };
    const { bindings } = ok(await call("GET /iam/bindings/v1", { query }));
    for (const binding of bindings) ok(await call(`DELETE /iam/bindings/v1/${binding.id}`));
    expect((await list()).status).toBe(404);
    ok(await call(`DELETE /iam/accounts/v1/${id}?force=true`));
    for (const it of [browser, other]) expect((await it.send("GET", ME)).status).toBe(401);
    const again = await new Browser(marquee).signIn(provider, verified("leaving"));
    expect(await reasonOfPage(again)).toEqual([403, "ACCOUNT_NOT_INVITED"]);
  });

  test("passes where an access token of its account passes, and nowhere else (case 18)", async () => {
    const { id, browser } = await signIn("walk");
    const token = await make.token(id);
    const methods = (await findMethods()).filter(
      ({ parent, name }) => parent.typeName.startsWith("svc.studio.") && name !== "GetMe",
    );
    expect(methods.length).toBeGreaterThan(100);
    for (const method of methods) {
      const path = `/${procedureOf(method)}`;
      const body = { ...(await sampleOf(marquee, method)) };
      const headers = { "connect-protocol-version": "1" };
      const want = await send("POST", `${marquee.url}${path}`, {
        ...{ headers: { ...connectHeaders(token) }, body },
      });
      const got = await browser.send("POST", path, { headers, body });
      expect([method.name, got.status]).toEqual([method.name, want.status]);
    }
  });

  test("is one of at most 50 of an account: the oldest ends", async () => {
    const { id, browser } = await signIn("many");
    const last = new Browser(marquee);
    for (let turn = 0; turn < 50; turn += 1) {
      if (turn % 15 === 0) now = new Date(now.getTime() + 61_000);
      expect((await last.signIn(provider, verified("many"))).status).toBe(303);
    }
    const query = `account_id=${id}&page_size=1000`;
    const list = async () => {
      const { access_tokens } = ok(await call(`GET /iam/access_tokens/v1?${query}`));
      return access_tokens.map((it: { revoke_time?: string }) => it.revoke_time === undefined);
    };
    expect((await list()).filter(Boolean)).toHaveLength(50);
    expect((await browser.send("GET", ME)).status).toBe(401);
    expect((await last.send("GET", ME)).status).toBe(200);
    // Sessions that ended are deleted once their sign-ins have passed.
    now = new Date(now.getTime() + 600_000);
    expect((await last.signIn(provider, verified("many"))).status).toBe(303);
    expect(await list()).toEqual(Array(50).fill(true));
  });

  test("previews as a preview key does, with X-Project-Id (case 17)", async () => {
    const { id, browser } = await signIn("preview");
    const path = `/${getUrl("svc.cda.cms.event.v1.EventService/ListEvents", { pageSize: 5 })}`;
    const want = await send("GET", `${marquee.url}${path}`, { token: marquee.keys.preview });
    const headers = { "x-project-id": "worldcup" };
    const got = await browser.send("GET", path, { headers });
    expect([got.status, await got.text()]).toEqual([200, want.text]);
    expect(got.headers.get("cache-control")).toBe("private, no-store");
    expect((await browser.send("GET", path)).status).toBe(401);
    const cross = { ...headers, "sec-fetch-site": "cross-site" };
    expect((await browser.send("GET", path, { headers: cross })).status).toBe(401);
    const elsewhere = { "x-project-id": "elsewhere" };
    expect((await browser.send("GET", path, { headers: elsewhere })).status).toBe(404);
    expect(id).not.toBe("");
  });

  test.each([
    ["at an address", () => "192.0.2.1"],
    ["in a network of 64 bits", (turn: number) => `2001:db8::${turn}`],
  ])("begins at most 20 times a minute %s", async (_, addressAt) => {
    const statuses: number[] = [];
    for (let turn = 0; turn < 22; turn += 1) {
      const headers = { "x-forwarded-for": addressAt(turn) };
      statuses.push((await new Browser(marquee).send("GET", SIGN_IN, { headers })).status);
    }
    expect(statuses).toEqual([...Array(20).fill(303), 429, 429]);
  });

  test("is one of 20 of its organization that wait for a provider, and others go on", async () => {
    const { browser } = await signIn("slots");
    const held = new Browser(marquee);
    const callback = provider.signIn((await held.begin()).headers.get("location") ?? "", {
      ...verified("slots"),
    });
    const begin = (address: number) => {
      const headers = { "x-forwarded-for": `192.0.2.${address}` };
      return new Browser(marquee).send("GET", SIGN_IN, { headers });
    };
    provider.hangs = true;
    const waiting = Array.from({ length: 20 }, (_, address) => begin(address));
    await vi.waitFor(() => expect(provider.open).toBe(20));
    expect(await reasonOfPage(await begin(20))).toEqual([429, "SIGN_IN_LIMIT"]);
    const test = await call(`POST /iam/staff_sign_in/v1/${ORGANIZATION}:test`, { body: {} });
    expect(rejection(test)).toEqual([429, "SIGN_IN_LIMIT"]);
    expect((await browser.send("GET", ME)).status).toBe(200);
    provider.hangs = false;
    // Nor do they hold up the end of a sign-in.
    expect((await held.comeBack(callback)).status).toBe(303);
    provider.disconnect();
    for (const got of await Promise.all(waiting)) expect(got.status).toBe(503);
    expect((await begin(20)).status).toBe(303);
  });
});

describe("the provider of an organization (case 15)", () => {
  test("is set with the permissions of every account with an e-mail", async () => {
    const editor = await make.caller(["iam.staff_sign_in.update", "iam.accounts.update"]);
    const issuer = { issuer: provider.issuer };
    expect(rejection(await set(issuer, editor.token))).toEqual([403, "PERMISSION_NOT_HELD"]);
    const body = { account: { email: "evil@example.com" }, update_mask: "email" };
    const { token } = editor;
    const change = await call("PATCH /iam/accounts/v1/account-owner", { body, token });
    expect(rejection(change)).toEqual([403, "PERMISSION_NOT_HELD"]);
    const name = { account: { name: "Olga" }, update_mask: "name" };
    ok(await call("PATCH /iam/accounts/v1/account-owner", { body: name, token }));
    const own = { account: { email: "editor@example.com" }, update_mask: "email" };
    ok(await call(`PATCH /iam/accounts/v1/${editor.id}`, { body: own, token }));
  });

  test("shows no secret, and has defaults and rules", async () => {
    const path = `/iam/staff_sign_in/v1/${ORGANIZATION}`;
    const { staff_sign_in: shown } = ok(await set({ client_secret: "hush-hush" }));
    expect(shown).toMatchObject({ has_client_secret: true, session_duration: "43200s" });
    expect(JSON.stringify(ok(await call(`GET ${path}`)))).not.toContain("hush-hush");
    ok(await set({ client_secret: "" }));
    for (const [fields, reason] of [
      [{ issuer: "login.example.com" }, "ISSUER_INVALID"],
      [{ issuer: "https://login.example.com?tenant=a" }, "ISSUER_INVALID"],
      [{ issuer: "https://login.microsoftonline.com/common/v2.0" }, "ISSUER_INVALID"],
      [{ client_id: "" }, "FIELD_REQUIRED"],
      [{ session_duration: "3599s" }, "SESSION_DURATION_INVALID"],
      [{ session_duration: "86400.5s" }, "SESSION_DURATION_INVALID"],
      [{ has_client_secret: true }, "UPDATE_MASK_INVALID"],
    ] as const) {
      expect(rejection(await set(fields))).toEqual([400, reason]);
    }
    const stale = await call(`PATCH ${path}`, {
      body: { staff_sign_in: { trusts_email: true }, update_mask: "trusts_email" },
      headers: { "if-match": '"1"' },
    });
    expect(rejection(stale)).toEqual([409, "ETAG_MISMATCH"]);
  });

  test("is tested: the redirect URL, and problems", async () => {
    const path = `POST /iam/staff_sign_in/v1/${ORGANIZATION}:test`;
    expect(ok(await call(path, { body: {} }))).toEqual({
      redirect_url: `${marquee.url}/studio/callback/${ORGANIZATION}`,
      problems: [],
    });
    provider.failure = { status: 500, body: "" };
    const listProblems = async () => ok(await call(path, { body: {} })).problems;
    expect(await listProblems()).toHaveLength(1);
    provider.failure = undefined;
    for (const [published, ...problems] of [
      [{ authorization_endpoint: undefined }, "There is no authorization endpoint."],
      [{ token_endpoint: undefined }, "There is no token endpoint."],
      [{ scopes_supported: ["openid"] }, "The scope email is not offered."],
      // Not all providers list their scopes.
      [{ scopes_supported: undefined }],
      [{ keys: [] }, "The issuer publishes no keys."],
      [{ keys: "none" }, "The issuer publishes no keys."],
    ] as const) {
      provider.published = published;
      expect(await listProblems()).toEqual(problems);
    }
    provider.published = {};
  });
});
