import type { Logger } from "pino";
import {
  CALLBACK_PATH,
  SIGN_IN_TIME,
  SIGN_OUT_PATH,
  type StudioSignIns,
} from "../../api/sign-in/studio-sign-ins.ts";
import { isUnforeseen } from "../../api/steps/errors.ts";
import {
  cookieName,
  printCookie,
  readCookies,
  readSession,
  sessionCookie,
} from "../../api/steps/session-cookie.ts";
import { Code, DomainError } from "../../domain/base/errors.ts";
import { clip } from "../../domain/base/text.ts";
import { toAddressBlock } from "../../network/ip-address.ts";
import type { Endpoint, Exchange, HttpResponse, Receiver } from "../listener/exchange.ts";
import { RateLimiter } from "../listener/rate-limits.ts";
import { httpError } from "../listener/rejection.ts";
import { httpStatusOf } from "../rest/status.ts";
import { PLAIN_HEADERS, printPlain } from "./start-page.ts";

/** The path that begins a sign-in. */
const SIGN_IN_PATH = "/studio/sign-in";

/** The most sign-ins that an address or a network of IPv6 begins in a minute, and the most that it finishes. */
const MOST_SIGN_INS = 20;

/** The most sign-ins that a browser keeps at once: 6 KB of cookies with the longest paths to return to. */
const MOST_STARTED = 3;

/** The name of the cookies of sign-ins, before their states. */
const STARTED_COOKIE = "marquee_sign_in_";

/** The paths that sign people in and out. */
export interface SignInEndpoints {
  readonly page: readonly [string, Endpoint];
  readonly receivers: readonly (readonly [string, Receiver])[];
}

/**
 * Creates the paths where browsers sign in and out. A sign-in that fails gets a page that offers to try again. A link of
 * another website gets a page that names the organization: it could sign a person in to its own.
 */
export function signInEndpoints(
  signIns: StudioSignIns,
  { log, clock }: { readonly log: Logger; readonly clock: () => Date },
): SignInEndpoints {
  const beginning = new RateLimiter(MOST_SIGN_INS, clock);
  const finishing = new RateLimiter(MOST_SIGN_INS, clock);

  const begin = async (exchange: Exchange): Promise<HttpResponse> => {
    const parameters = new URLSearchParams(exchange.query);
    const organizationId = parameters.get("organization") ?? "";
    const wayBack = toWayBack(parameters.get("return") ?? "");
    const page: PageContext = { organizationId, wayBack, root: "" };
    return withPage(exchange, page, async () => {
      if (isFromElsewhere(exchange) && organizationId !== "") return askFirst(page);
      takeTurn(beginning, exchange);
      const request = toRequest(exchange);
      const { url, state, sealed } = await signIns.begin(request, { organizationId, wayBack });
      const isSecure = signIns.findUrl(request.headers).startsWith("https:");
      const name = cookieName(`${STARTED_COOKIE}${state}`, isSecure);
      const seconds = SIGN_IN_TIME / 1_000;
      return redirect(url, [
        ...dropStarted(exchange, MOST_STARTED - 1),
        printCookie(name, sealed, { seconds, sameSite: "Lax" }),
      ]);
    });
  };

  const finish = async (exchange: Exchange): Promise<HttpResponse> => {
    const parameters = new URLSearchParams(exchange.query);
    const state = parameters.get("state") ?? "";
    const organizationId = exchange.path.slice(CALLBACK_PATH.length);
    let page: PageContext = { organizationId: "", wayBack: toWayBack(""), root: "../" };
    let dropped: readonly string[] = [];
    const response = await withPage(
      exchange,
      () => page,
      async () => {
        const request = toRequest(exchange);
        const url = signIns.findUrl(request.headers);
        const isSecure = url.startsWith("https:");
        const name = cookieName(`${STARTED_COOKIE}${state}`, isSecure);
        const sealed = readCookies(request.headers).get(name);
        const started = signIns.open(sealed, { organizationId, state }, request.now);
        page = { ...page, ...started };
        dropped = [printCookie(name, "", { seconds: 0, sameSite: "Lax" })];
        takeTurn(finishing, exchange);
        const { token, end } = await signIns.finish(request, started, parameters);
        const seconds = Math.floor((end.getTime() - request.now.getTime()) / 1_000);
        const session = printCookie(sessionCookie(isSecure), token, {
          seconds,
          sameSite: "Strict",
        });
        return redirect(`${url}${started.wayBack}`, [session]);
      },
    );
    return withCookies(response, dropped);
  };

  const signOut = async (exchange: Exchange): Promise<HttpResponse> => {
    if (exchange.path !== SIGN_OUT_PATH) throw httpError.unknownPath(exchange);
    const request = toRequest(exchange);
    const session = readSession(request.headers);
    const headers = { "cache-control": "no-store" };
    const response = { status: 204, headers, body: new Uint8Array() };
    // A page of another site, whose requests lack the cookie, must not delete it.
    if (session === undefined) return response;
    await signIns.signOut(request, session);
    const cookies = [true, false].map((isSecure) =>
      printCookie(sessionCookie(isSecure), "", { seconds: 0, sameSite: "Strict" }),
    );
    return withCookies(response, cookies);
  };

  /** Responds with a page to a sign-in that fails, and logs it without the credentials of the person. */
  async function withPage(
    exchange: Exchange,
    about: PageContext | (() => PageContext),
    respond: () => Promise<HttpResponse>,
  ): Promise<HttpResponse> {
    if (exchange.request.method !== "GET") throw httpError.methodNotAllowed(["GET"]);
    try {
      return await respond();
    } catch (error) {
      if (isUnforeseen(error) || !(error instanceof DomainError)) throw error;
      const context = typeof about === "function" ? about() : about;
      const { organizationId: organization } = context;
      const { reason, message } = error;
      const fields = { request_id: exchange.requestId, organization, reason, problem: message };
      log.warn(fields, "sign-in failed");
      return toPage(error, context);
    }
  }

  return {
    page: [SIGN_IN_PATH, begin],
    receivers: [
      [CALLBACK_PATH, { method: "GET", receive: finish }],
      ["/studio/", { method: "POST", receive: signOut }],
    ],
  };
}

/** The sign-in that a page offers to begin. */
interface PageContext {
  /** Empty: unknown. */
  readonly organizationId: string;
  readonly wayBack: string;
  /** The relative path to `/studio/`, so that the page also works below a path of a proxy. */
  readonly root: "" | "../";
}

function toRequest({ request, now, requestId }: Exchange) {
  return { headers: request.headers, now, requestId };
}

/** Counts a sign-in of an address. RESOURCE_EXHAUSTED `SIGN_IN_LIMIT`. */
function takeTurn(limiter: RateLimiter, { address }: Exchange): void {
  const { isOver, reset } = limiter.take(toAddressBlock(address) ?? "");
  if (!isOver) return;
  const message = `more than ${MOST_SIGN_INS} sign-ins from this address in a minute`;
  throw new DomainError(Code.RESOURCE_EXHAUSTED, "SIGN_IN_LIMIT", message, { retryAfter: reset });
}

/** Returns the path in the studio that a browser returns to: any other, or one with `"` or `\`, is replaced. */
function toWayBack(text: string): string {
  return /^\/studio(?:[?#][\x21\x23-\x5b\x5d-\x7e]{0,1024})?$/.test(text) ? text : "/studio";
}

/** Prints cookies that delete all started sign-ins of a browser but some. */
function dropStarted({ request }: Exchange, most: number): readonly string[] {
  const names = [...readCookies(request.headers).keys()];
  const started = names.filter((it) => it.replace("__Host-", "").startsWith(STARTED_COOKIE));
  return started.slice(most).map((name) => printCookie(name, "", { seconds: 0, sameSite: "Lax" }));
}

function redirect(location: string, cookies: readonly string[]): HttpResponse {
  const headers = { location, "cache-control": "no-store", "referrer-policy": "no-referrer" };
  return withCookies({ status: 303, headers, body: new Uint8Array() }, cookies);
}

function withCookies(response: HttpResponse, cookies: readonly string[]): HttpResponse {
  return { ...response, cookies: [...(response.cookies ?? []), ...cookies] };
}

/** Reports whether a page of another website led a browser here. */
function isFromElsewhere({ request }: Exchange): boolean {
  return /^(?:cross-site|same-site)$/.test(String(request.headers["sec-fetch-site"]));
}

/** Creates the page where a person decides on a sign-in that another website began. */
function askFirst(context: PageContext): HttpResponse {
  const body = printPage(context, {
    title: "Sign in",
    heading: "Sign in to the studio",
    text: "Another website sent you here to sign in to this organization:",
    code: clip(context.organizationId),
    action: "Sign in",
  });
  return { status: 200, headers: PLAIN_HEADERS, body };
}

function toPage({ code, reason, message }: DomainError, context: PageContext): HttpResponse {
  const body = printPage(context, {
    title: "Sign-in failed",
    heading: "You are not signed in",
    text: message,
    code: reason,
    action: "Try again",
  });
  return { status: httpStatusOf(code), code, headers: PLAIN_HEADERS, body };
}

/** Prints a page whose only link begins the sign-in of its context. */
function printPage(
  { organizationId, wayBack, root }: PageContext,
  texts: Readonly<Record<"title" | "heading" | "text" | "code" | "action", string>>,
): Uint8Array {
  const query = new URLSearchParams({ organization: organizationId, return: wayBack });
  const link = `${root}${organizationId === "" ? "../studio" : `sign-in?${query}`}`;
  const content = `<p>${escapeHtml(texts.text)}</p>
<p><code>${escapeHtml(texts.code)}</code></p>
<ul><li><a href="${escapeHtml(link)}"><strong>${texts.action}</strong></a></li></ul>`;
  return printPlain(`${texts.title} – Marquee`, texts.heading, content);
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
