import { createHmac, hash, timingSafeEqual } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  AccessTokenKind,
  AccessTokenSchema,
} from "../../../gen/svc/studio/iam/access_token/v1/access_token_pb.ts";
import { type Account, SignInSchema } from "../../../gen/svc/studio/iam/account/v1/account_pb.ts";
import {
  rejected,
  type SignInSecrets,
  type StaffApplication,
  type StaffIdentity,
  type StaffProvider,
} from "../../auth/staff-provider.ts";
import { createToken, hashToken, isLive } from "../../auth/token.ts";
import { revokeAccessToken } from "../../domain/access/access-token.ts";
import { foldEmail, sessionDurationOf, toIdentity } from "../../domain/access/staff-sign-in.ts";
import { Code, DomainError, isAlreadyExists, type Reason } from "../../domain/base/errors.ts";
import { isLoopback } from "../../domain/base/loopback.ts";
import type { StaffSignInSettings } from "../../storage/contract/sign-in.ts";
import type { Store } from "../../storage/contract/store.ts";
import type { RequestHeaders } from "../steps/incoming-call.ts";
import { hostOf } from "../steps/session-cookie.ts";
import { runAudited } from "../steps/unit-of-work.ts";

/** The path that the provider sends browsers back to, followed by the id of the organization. */
export const CALLBACK_PATH = "/studio/callback/";

/** The path that ends a session. */
export const SIGN_OUT_PATH = "/studio/sign-out";

/** The time for a person to sign in at the provider, in milliseconds. */
export const SIGN_IN_TIME = 600_000;

/** The most calls of the provider of an organization in this process: of sign-ins that begin, and of others that end. */
const MOST_CALLS = 20;

/** The most sessions of an account. */
const MOST_SESSIONS = 50;

/** A sign-in that the browser keeps in a cookie while the person is at the provider. */
interface StartedSignIn extends SignInSecrets {
  readonly organizationId: string;
  /** The path in the studio to return to. */
  readonly wayBack: string;
  /** In milliseconds since 1970. */
  readonly end: number;
}

interface BrowserRequest {
  readonly headers: RequestHeaders;
  readonly now: Date;
  readonly requestId: string;
}

/** The dependencies of sign-ins. */
interface SignInDependencies {
  readonly store: Store;
  readonly provider: StaffProvider;
  readonly createId: () => string;
  /** Seals the cookies of sign-ins. */
  readonly key: Uint8Array;
  /** The URL of this server for browsers, without a slash at its end; absent: the host of the request, on this machine only. */
  readonly studioUrl?: string | undefined;
}

/** Signs the people of organizations in to the studio, with the identity providers of their companies. */
export class StudioSignIns {
  readonly #dependencies: SignInDependencies;
  /** The calls of providers in progress. */
  readonly #calls = new Map<string, number>();

  constructor(dependencies: SignInDependencies) {
    this.#dependencies = dependencies;
  }

  /** Returns the URL of this server for browsers. FAILED_PRECONDITION `SIGN_IN_NOT_CONFIGURED`. */
  findUrl(headers: RequestHeaders): string {
    const { studioUrl } = this.#dependencies;
    const host = hostOf(headers);
    if (studioUrl !== undefined) return studioUrl;
    if (isLoopback(host)) return `http://${host}`;
    throw notConfigured("the URL of the studio is unknown; start Marquee with --studio-url");
  }

  /**
   * Begins a sign-in to an organization. Returns the URL of the provider, and the state and the text to keep in the browser.
   * FAILED_PRECONDITION `SIGN_IN_NOT_CONFIGURED`, UNAVAILABLE `ISSUER_UNREACHABLE`.
   */
  async begin(
    { headers, now }: BrowserRequest,
    { organizationId, wayBack }: Pick<StartedSignIn, "organizationId" | "wayBack">,
  ): Promise<{ readonly url: string; readonly state: string; readonly sealed: string }> {
    const redirectUrl = this.#toRedirectUrl(headers, organizationId);
    const { application } = await this.#findSettings(organizationId);
    const { provider } = this.#dependencies;
    const { url, secrets } = await this.#ask(`begin ${organizationId}`, () =>
      provider.begin(application, redirectUrl),
    );
    const end = now.getTime() + SIGN_IN_TIME;
    const sealed = this.#seal({ organizationId, wayBack, end, ...secrets });
    return { url: url.href, state: secrets.state, sealed };
  }

  /**
   * Opens the sign-in of a callback that this browser began to the same organization: the provider of another one must not get
   * the code. UNAUTHENTICATED `SIGN_IN_STATE_INVALID` if there is none, or if its time is over.
   */
  open(
    sealed: string | undefined,
    { organizationId, state }: Pick<StartedSignIn, "organizationId" | "state">,
    now: Date,
  ): StartedSignIn {
    const started = sealed === undefined ? undefined : this.#unseal(sealed);
    const isOwn = started?.state === state && started.organizationId === organizationId;
    if (isOwn && started.end > now.getTime()) return started;
    throw invalidState();
  }

  /**
   * Finishes a sign-in with the parameters that the provider added to the callback. Returns the token of a new session and its
   * end. Fails like `StaffProvider`, and with PERMISSION_DENIED `EMAIL_NOT_VERIFIED` or `ACCOUNT_NOT_INVITED`, or UNAUTHENTICATED
   * `SIGN_IN_STATE_INVALID` for a sign-in that has opened a session.
   */
  async finish(
    request: BrowserRequest,
    started: StartedSignIn,
    parameters: URLSearchParams,
  ): Promise<{ readonly token: string; readonly end: Date }> {
    const error = parameters.get("error");
    if (error !== null) {
      throw rejected([error, parameters.get("error_description")].filter(Boolean).join(", "));
    }
    const { organizationId } = started;
    const { application, settings } = await this.#findSettings(organizationId);
    const redirectUrl = this.#toRedirectUrl(request.headers, organizationId);
    const callback = new URL(`${redirectUrl}?${parameters}`);
    const { provider } = this.#dependencies;
    const identity = await this.#ask(`finish ${organizationId}`, () =>
      provider.finish(application, callback, started),
    );
    try {
      return await this.#openSession(request, settings, identity, toSessionId(started));
    } catch (error) {
      throw isAlreadyExists(error) ? invalidState() : error;
    }
  }

  /** Ends the session of a token, if it has not ended. */
  async signOut({ now, requestId }: BrowserRequest, token: string): Promise<void> {
    const { store, createId } = this.#dependencies;
    const found = await store.access.findToken(hashToken(token));
    if (!found?.isSession || !isLive(found, now)) return;
    const { id: sessionId, account } = found;
    const { organizationId } = account;
    await runAudited(store, { scope: { organizationId }, createId }, async (unit, audit) => {
      const { access_token: tokens } = unit.in(organizationId).documents;
      // Its account may have been deleted since.
      if ((await tokens.getMany([sessionId])).length === 0) return;
      await tokens.update(sessionId, ({ value }) => revokeAccessToken(value, now));
      await audit(toEntry(account, SIGN_OUT_PATH, sessionId, { now, requestId }));
    });
  }

  /** Tests the sign-in of an organization: the redirect URL to register, and the problems. */
  async test(
    organizationId: string,
    headers: RequestHeaders,
  ): Promise<{ readonly redirectUrl: string; readonly problems: string[] }> {
    const redirectUrl = this.#toRedirectUrl(headers, organizationId);
    const { application } = await this.#findSettings(organizationId);
    const { provider } = this.#dependencies;
    const problems = await this.#ask(`begin ${organizationId}`, () => provider.test(application));
    return { redirectUrl, problems };
  }

  /** Calls a provider. RESOURCE_EXHAUSTED `SIGN_IN_LIMIT` while too many calls of a name are in progress. */
  async #ask<T>(name: string, call: () => Promise<T>): Promise<T> {
    const count = this.#calls.get(name) ?? 0;
    if (count >= MOST_CALLS) throw limited();
    this.#calls.set(name, count + 1);
    try {
      return await call();
    } finally {
      const left = (this.#calls.get(name) ?? 0) - 1;
      if (left > 0) this.#calls.set(name, left);
      else this.#calls.delete(name);
    }
  }

  #toRedirectUrl(headers: RequestHeaders, organizationId: string): string {
    return `${this.findUrl(headers)}${CALLBACK_PATH}${organizationId}`;
  }

  async #findSettings(organizationId: string): Promise<{
    readonly settings: StaffSignInSettings["signIn"];
    readonly application: StaffApplication;
  }> {
    const stored = await this.#dependencies.store.staffSignIns.find(organizationId);
    const { signIn, secret } = stored?.value ?? {};
    if (!signIn?.issuer) throw notConfigured("the organization has no identity provider");
    const { issuer, clientId } = signIn;
    return { settings: signIn, application: { issuer, clientId, clientSecret: secret ?? "" } };
  }

  /** Creates a session of the account of a person; the oldest end if there are too many. */
  #openSession(
    { now, requestId }: BrowserRequest,
    settings: StaffSignInSettings["signIn"],
    { subject, ...identity }: StaffIdentity,
    sessionId: string,
  ): Promise<{ readonly token: string; readonly end: Date }> {
    const { store, createId } = this.#dependencies;
    const { organizationId, issuer } = settings;
    const token = createToken("session");
    const end = new Date(now.getTime() + Number(sessionDurationOf(settings).seconds) * 1_000);
    return runAudited(store, { scope: { organizationId }, createId }, async (unit, audit) => {
      const account =
        (await unit.staffSignIns.findAccount(organizationId, {
          identity: toIdentity({ issuer, subject }),
        })) ?? (await findInvited(unit, settings, identity));
      const { documents } = unit.in(organizationId);
      const time = timestampFromDate(now);
      const lastSignIn = create(SignInSchema, { issuer, subject, time });
      await documents.account.update(account.id, ({ value }) => ({ ...value, lastSignIn }));
      await endOldest(unit, account, now);
      const session = create(AccessTokenSchema, {
        ...{ id: sessionId, accountId: account.id, name: "Studio", createTime: time },
        ...{ expireTime: timestampFromDate(end), kind: AccessTokenKind.SESSION },
      });
      await documents.access_token.create(session, { hash: hashToken(token) });
      await audit(
        toEntry(account, `${CALLBACK_PATH}${organizationId}`, session.id, { now, requestId }),
      );
      return { token, end };
    });
  }

  #seal(started: StartedSignIn): string {
    const text = Buffer.from(JSON.stringify(started)).toString("base64url");
    return `${text}.${this.#sign(text)}`;
  }

  #unseal(sealed: string): StartedSignIn | undefined {
    const [text = "", signature = ""] = sealed.split(".");
    const want = Buffer.from(this.#sign(text));
    const got = Buffer.from(signature);
    if (got.length !== want.length || !timingSafeEqual(got, want)) return undefined;
    return JSON.parse(Buffer.from(text, "base64url").toString());
  }

  #sign(text: string): string {
    return createHmac("sha256", this.#dependencies.key).update(text).digest("base64url");
  }
}

/** Finds the account that a person signs in to for the first time. */
async function findInvited(
  unit: Store,
  { organizationId, issuer, trustsEmail }: StaffSignInSettings["signIn"],
  { email, isVerified }: Omit<StaffIdentity, "subject">,
): Promise<Account> {
  if (email === "") throw denied("ACCOUNT_NOT_INVITED", "the provider sent no e-mail");
  if (!isVerified && !trustsEmail) {
    throw denied("EMAIL_NOT_VERIFIED", "the provider does not say that the e-mail is verified");
  }
  const account = await unit.staffSignIns.findAccount(organizationId, { email: foldEmail(email) });
  // From the first sign-in on, only the subject counts.
  if (account !== undefined && account.lastSignIn?.issuer !== issuer) return account;
  throw denied("ACCOUNT_NOT_INVITED", "no account of the organization is for this person");
}

/** Returns the id of the only session of a sign-in: the provider alone may not reject a code that was used. */
function toSessionId({ state }: StartedSignIn): string {
  return hash("sha256", state).slice(0, 32);
}

/** Ends the oldest sessions of an account, so that one more fits, and deletes those whose sign-ins cannot be used again. */
async function endOldest(unit: Store, account: Account, now: Date): Promise<void> {
  const { access_token: tokens } = unit.in(account.organizationId).documents;
  const sessions = await unit.access.listSessions(account);
  const isOpen = ({ expireTime, revokeTime }: (typeof sessions)[number]) =>
    revokeTime === undefined && expireTime !== undefined && timestampDate(expireTime) > now;
  // The id of a session is taken while its sign-in could be used again.
  const isEarly = ({ createTime }: (typeof sessions)[number]) =>
    createTime !== undefined && now.getTime() - timestampDate(createTime).getTime() < SIGN_IN_TIME;
  const kept = new Set(sessions.filter(isOpen).slice(-(MOST_SESSIONS - 1)));
  for (const session of sessions) {
    if (kept.has(session)) continue;
    if (!isEarly(session)) await tokens.delete(session.id, () => {});
    else if (session.revokeTime === undefined)
      await tokens.update(session.id, ({ value }) => revokeAccessToken(value, now));
  }
}

/** Creates the audit entry of a session. */
function toEntry(
  { id: accountId, organizationId }: Pick<Account, "id" | "organizationId">,
  path: string,
  sessionId: string,
  { now, requestId }: Pick<BrowserRequest, "now" | "requestId">,
) {
  return {
    ...{ organizationId, accountId, requestId, time: timestampFromDate(now), method: path },
    ...{ projectId: "", resourceType: "access_token", resourceId: sessionId },
    ...{ updatedFields: [], releaseId: "" },
  };
}

function denied(reason: Reason, message: string): DomainError {
  return new DomainError(Code.PERMISSION_DENIED, reason, message);
}

function invalidState(): DomainError {
  const message =
    "the sign-in took longer than ten minutes, was used before, or began in another browser";
  return new DomainError(Code.UNAUTHENTICATED, "SIGN_IN_STATE_INVALID", message);
}

function limited(): DomainError {
  const message = `${MOST_CALLS} sign-ins of the organization wait for its identity provider`;
  return new DomainError(Code.RESOURCE_EXHAUSTED, "SIGN_IN_LIMIT", message, { retryAfter: 5 });
}

function notConfigured(message: string): DomainError {
  return new DomainError(Code.FAILED_PRECONDITION, "SIGN_IN_NOT_CONFIGURED", message);
}
