import { issueDemoCredentials } from "../../demo/credentials.ts";
import { createRandom, type Random } from "../../demo/data/random.ts";
import { Browser, ORGANIZATION } from "../../test/api/iam/staff-sign-in.ts";
import { FakeProvider, type Person, SHAPES } from "../../test/auth/staff-provider.ts";
import type { OpenFresh } from "../../test/harness/fresh-store.ts";
import { send } from "../../test/harness/http.ts";
import { startOver } from "../../test/harness/marquee.ts";
import { pick } from "./values.ts";

/** How many callbacks of sign-ins are sent. */
export interface CallbackFuzzing {
  readonly openFresh: OpenFresh;
  readonly cases: number;
  readonly seed: number;
  /** Called with each error as soon as it is found. */
  readonly onError?: (error: string) => void;
}

/** The results of a run. */
export interface CallbacksFuzzed {
  readonly cases: number;
  /** The callbacks that opened a session. */
  readonly sessions: number;
  readonly errors: readonly string[];
}

/** A person at the provider, with the id of the account that they are invited to. */
interface Member {
  readonly person: Person;
  /** Empty: the person may not sign in. */
  readonly accountId: string;
}

/** A sign-in of a browser, from its begin to the URL that the provider sends it back to. */
interface BegunSignIn {
  readonly member: Member;
  /** The cookies of the browser at the time. */
  readonly cookies: ReadonlyMap<string, string>;
  readonly callback: URL;
}

/** The time between two callbacks, in milliseconds: an address begins 20 sign-ins in a minute, and one lasts ten minutes. */
const STEP = 10_000;

/** Sign-ins that later callbacks replay and mix: the oldest have ended. */
const MOST_KEPT = 80;

/**
 * Signs people in with providers of each shape, by callbacks that are good, replayed, mixed or forged, with tokens that are
 * not valid, or while the provider is down. A session may open only for a good callback of an invited person, and for
 * no other account. No status may be 500 or more, except 503 while the provider is down.
 */
export async function fuzzCallbacks(fuzzing: CallbackFuzzing): Promise<CallbacksFuzzed> {
  const { openFresh, cases, seed, onError = () => {} } = fuzzing;
  const fresh = await openFresh("demo");
  const { accounts } = await issueDemoCredentials(fresh.store, undefined, new Date());
  let now = Date.now();
  const { studioUrl: url, close } = await startOver(fresh.store, {
    ...{ studio: true, actionsAllowPrivate: true, runsActions: false },
    clock: () => new Date(now),
  });
  const random = createRandom(seed);
  const errors: string[] = [];
  let [sent, sessions] = [0, 0];
  for (const shape of SHAPES) {
    const provider = await new FakeProvider(shape).start();
    const members = await setUp(url, accounts.owner, provider);
    const kept: BegunSignIn[] = [];
    for (let turn = 0; turn < cases / SHAPES.length; turn += 1) {
      now += STEP;
      const move = pick(random, MOVES);
      const signIn = await begin(url, provider, pick(random, members));
      const { browser, callback } = await move.prepare({ random, url, provider, signIn, kept });
      const got = await browser.comeBack(callback);
      await got.arrayBuffer();
      Object.assign(provider, UNCHANGED);
      sent += 1;
      const account = await readAccount(browser);
      if (account !== "") sessions += 1;
      const want = move.isGood ? signIn.member.accountId : "";
      const isFault = got.status >= 500 && !(move.isDown && got.status === 503);
      if (account !== want || isFault) {
        const error = `seed ${seed}, ${shape}, turn ${turn}, ${move.name}: ${got.status}, account '${account}', not '${want}': ${callback.search}`;
        errors.push(error);
        onError(error);
      }
      kept.push(signIn);
      if (kept.length > MOST_KEPT) kept.shift();
    }
    await provider.close();
  }
  await close(1_000);
  await fresh.close();
  return { cases: sent, sessions, errors };
}

/** Lets the organization sign in with a provider. Returns people: invited, uninvited, and with an e-mail that does not count. */
async function setUp(
  url: string,
  token: string,
  { issuer, shape }: FakeProvider,
): Promise<readonly Member[]> {
  const ask = async (line: string, body: object) => {
    const [method = "", path = ""] = line.split(" ");
    const got = await send(method, url + path, { token, body });
    if (got.status !== 200) throw new Error(got.text);
    return got.json;
  };
  const settings = { issuer, client_id: "studio", trusts_email: shape === "Entra" };
  await ask(`PATCH /iam/staff_sign_in/v1/${ORGANIZATION}`, {
    ...{ staff_sign_in: settings, update_mask: Object.keys(settings).join() },
  });
  const members: Member[] = [];
  for (const name of ["ann", "bob", "eve", "mal"]) {
    const email = `${name}-${shape}@example.com`;
    const isInvited = name !== "eve";
    const body = { organization_id: ORGANIZATION, name, email };
    const id = isInvited ? (await ask("POST /iam/accounts/v1", body)).account.id : "";
    // A trusted directory verifies no e-mail, so that there only its absence counts.
    const claims = shape === "Entra" ? {} : { email_verified: name !== "mal" };
    const person = { sub: email, ...(name === "mal" && shape === "Entra" ? {} : { email }) };
    members.push({ person: { ...person, ...claims }, accountId: name === "mal" ? "" : id });
  }
  return members;
}

async function begin(url: string, provider: FakeProvider, member: Member): Promise<BegunSignIn> {
  const browser = new Browser({ url });
  const location = (await browser.begin()).headers.get("location") ?? "";
  const callback = provider.signIn(location, member.person);
  return { member, callback, cookies: browser.cookies };
}

/** Returns the id of the account of a browser's session; empty: it has none. */
async function readAccount(browser: Browser): Promise<string> {
  const got = await browser.send("GET", "/iam/auth/v1/me");
  const body = (await got.json()) as { account?: { id: string } };
  return body.account?.id ?? "";
}

/** The parts that moves are made of. */
interface Parts {
  readonly random: Random;
  readonly url: string;
  readonly provider: FakeProvider;
  /** A sign-in that has just begun. */
  readonly signIn: BegunSignIn;
  /** Earlier sign-ins. */
  readonly kept: readonly BegunSignIn[];
}

/** A browser that comes back, and the URL that it opens. */
interface Coming {
  readonly browser: Browser;
  readonly callback: URL;
}

/** A way of a callback. */
interface Move {
  readonly name: string;
  /** True if an invited person is signed in. */
  readonly isGood?: boolean;
  /** True while the provider does not respond as it should. */
  readonly isDown?: boolean;
  prepare(parts: Parts): Coming | Promise<Coming>;
}

const open = (url: string, { cookies }: Pick<BegunSignIn, "cookies">): Browser =>
  new Browser({ url }, new Map(cookies));

const withParameter = (callback: URL, name: string, value: string): URL => {
  const changed = new URL(callback);
  changed.searchParams.set(name, value);
  return changed;
};

/** The provider as it behaves between moves. */
const UNCHANGED: Pick<FakeProvider, "claims" | "failure"> = {
  claims: (claims) => claims,
  failure: undefined,
};

const MOVES: readonly Move[] = [
  {
    ...{ name: "good", isGood: true },
    prepare: ({ url, signIn }) => ({ browser: open(url, signIn), callback: signIn.callback }),
  },
  {
    name: "replayed",
    async prepare({ url, signIn }) {
      await open(url, signIn).comeBack(signIn.callback);
      return { browser: open(url, signIn), callback: signIn.callback };
    },
  },
  {
    name: "in another browser",
    prepare({ random, url, signIn, kept }) {
      const cookies = kept.length > 0 ? pick(random, kept).cookies : new Map<string, string>();
      return { browser: open(url, { cookies }), callback: signIn.callback };
    },
  },
  {
    name: "mixed",
    prepare({ random, url, signIn, kept }) {
      const other = kept.length > 0 ? pick(random, kept) : signIn;
      // The browser has begun both.
      const browser = open(url, { cookies: new Map([...other.cookies, ...signIn.cookies]) });
      const name = pick(random, ["code", "state"]);
      const value = other === signIn ? "x" : (other.callback.searchParams.get(name) ?? "");
      return { browser, callback: withParameter(signIn.callback, name, value) };
    },
  },
  {
    name: "forged",
    prepare({ random, url, signIn }) {
      const callback = new URL(signIn.callback);
      const cookies = new Map(signIn.cookies);
      const [[name, value] = ["", ""]] = cookies;
      const parameter = pick(random, ["cookie", "query", ...callback.searchParams.keys()]);
      if (parameter === "cookie") cookies.set(name, encodeURIComponent(change(value, random)));
      else if (parameter === "query") callback.search = forge(callback.search, random);
      else {
        const text = change(callback.searchParams.get(parameter) ?? "", random);
        callback.searchParams.set(parameter, text);
      }
      return { browser: open(url, { cookies }), callback };
    },
  },
  {
    name: "with claims that are not valid",
    prepare({ random, url, provider, signIn }) {
      const claims = pick(random, [
        { nonce: "other" },
        { aud: "another-app" },
        { aud: ["studio", "another-app"], azp: "another-app" },
        { iss: "https://elsewhere.example" },
        { exp: 1_700_000_000 },
        { iat: undefined },
        { sub: "" },
        { sub: "\ud800" },
        { sub: 7 },
        { padding: "x".repeat(16_384) },
      ]) as object;
      provider.claims = (sent) => ({ ...sent, ...claims });
      return { browser: open(url, signIn), callback: signIn.callback };
    },
  },
  {
    ...{ name: "while the provider is down", isDown: true },
    prepare({ random, url, provider, signIn }) {
      const body = pick(random, ["", "<html>", "{}", "[]", "null", "x".repeat(300_000)]);
      provider.failure = { status: pick(random, [200, 302, 400, 404, 500, 503]), body };
      return { browser: open(url, signIn), callback: signIn.callback };
    },
  },
];

/** Changes a text: empty, cut, with another character or with more of them. */
function change(text: string, random: Random): string {
  const at = random.below(text.length);
  const more = pick(random, ["A", "%00", ".", "=", "é", "'", "<", "x".repeat(2_000)]);
  const other = text[at] === "_" ? "-" : "_";
  return pick(random, [
    "",
    text.slice(0, at),
    `${text.slice(0, at)}${more}`,
    `${text.slice(0, at)}${other}${text.slice(at + 1)}`,
    `${text}${text}`,
  ]);
}

/** Cuts the parameters, or repeats one with another value. */
function forge(search: string, random: Random): string {
  const parameters = search.slice(1).split("&");
  const one = pick(random, parameters);
  return pick(random, [
    parameters.filter((it) => it !== one).join("&"),
    `${search.slice(1)}&${one}x`,
    `${search.slice(1)}&error=${change("access_denied", random)}`,
    `${search.slice(1)}&id_token=${change("e30.e30.", random)}`,
    `${one}%C3&${search.slice(1)}`,
  ]);
}
