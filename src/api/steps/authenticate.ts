import { rejectToken } from "../../auth/jwt.ts";
import { hashToken, isJwtForm, isLive, kindOfToken } from "../../auth/token.ts";
import type { ViewerIdentity, ViewerTokens } from "../../auth/viewer-token.ts";
import { decideAccess } from "../../domain/access/permissions.ts";
import { Code, DomainError, notFound, type Reason } from "../../domain/base/errors.ts";
import type { Account, ProjectKey, StoredToken } from "../../storage/contract/access.ts";
import type { Store } from "../../storage/contract/store.ts";
import { toResponseKey } from "./idempotency.ts";
import type { Caller, RequestHeaders } from "./incoming-call.ts";

/** The header with the project that an account previews with its access token. */
export const PROJECT_HEADER = "x-project-id";

/** The headers with the caller's credentials, and with the revision that the call must see. */
export interface CredentialHeaders extends RequestHeaders {
  readonly authorization?: string | undefined;
}

/** The stored credentials, and the check of viewer tokens. */
export interface CredentialSources {
  readonly access: Pick<Store["access"], "findToken" | "listBindings" | "locate">;
  readonly projectKeys: Pick<ProjectKeys, "find">;
  readonly viewerTokens: Pick<ViewerTokens, "verify">;
}

/** The credentials that a caller sends. */
export interface Credentials {
  readonly authorization: string | null;
  /** The project to preview with an access token; absent: the method does more than read. */
  readonly projectId?: string | undefined;
  /** The session of a browser, which counts where an access token does and there is no Authorization header. */
  readonly session?: string | undefined;
}

/**
 * Authenticates the caller by the Authorization header, before the message is read. UNAUTHENTICATED
 * `CREDENTIALS_MISSING`, `CREDENTIALS_MALFORMED`, `CREDENTIALS_WRONG_KIND` (a project's key where the method takes an
 * access token, or the reverse) or `CREDENTIALS_INVALID` (unknown, deleted, expired or revoked).
 *
 * A viewer token replaces the public key of its project (contract: access 3). An invalid one is rejected with the
 * reasons of `ViewerTokens`, or `AUDIENCE_NOT_ALLOWED` if its project does not exist.
 *
 * An access token replaces the preview key of `projectId` (contract: access 2). NOT_FOUND `RESOURCE_NOT_FOUND` without
 * the permission `iam.projects.preview`.
 */
export async function authenticate(
  { access, projectKeys, viewerTokens }: CredentialSources,
  expected: Caller["kind"],
  { authorization, projectId, session }: Credentials,
  now: Date,
): Promise<Caller> {
  const isSession = authorization === null && session !== undefined;
  const kind = isSession ? "session" : "access";
  const token = isSession ? session : readBearer(authorization);
  if (expected === "account") {
    const account = await requireAccount(access, token, kind, now);
    return {
      kind: "account",
      account,
      isSession,
      // Derived on use: few calls need it.
      get responseKey() {
        return toResponseKey(token);
      },
    };
  }
  if (isJwtForm(token)) {
    const viewer = await viewerTokens.verify(token, now);
    return { kind: "project", key: await requireViewerProject(access, viewer), viewer };
  }
  if (projectId !== undefined && (isSession || kindOfToken(token) === "access")) {
    const account = await requireAccount(access, token, kind, now);
    return { kind: "project", key: await requirePreview(access, account, projectId) };
  }
  return { kind: "project", key: await requireProjectKey(projectKeys, token) };
}

async function requireAccount(
  access: CredentialSources["access"],
  token: string,
  expected: "access" | "session",
  now: Date,
): Promise<Account> {
  const kind = kindOfToken(token);
  if (kind === undefined) throw invalid();
  if (kind !== expected) throw wrongKind("an access token");
  const found = await access.findToken(hashToken(token));
  if (found === undefined || !isLive(found, now)) throw ended(found);
  return found.account;
}

async function requirePreview(
  access: CredentialSources["access"],
  account: Account,
  projectId: string,
): Promise<ProjectKey> {
  const [project] = await access.locate("project", [projectId]);
  const held = project === undefined ? [] : await access.listBindings(account);
  if (project !== undefined && decideAccess(held, project, "iam.projects.preview") === "granted") {
    return { projectId, organizationId: project.organizationId, kind: "preview" };
  }
  throw notFound("project", projectId);
}

async function requireViewerProject(
  access: Pick<Store["access"], "locate">,
  { projectId }: ViewerIdentity,
): Promise<ProjectKey> {
  const [project] = await access.locate("project", [projectId]);
  if (project !== undefined) {
    return { projectId, organizationId: project.organizationId, kind: "public" };
  }
  throw rejectToken("AUDIENCE_NOT_ALLOWED", "the token is for a project that does not exist");
}

async function requireProjectKey(
  projectKeys: CredentialSources["projectKeys"],
  token: string,
): Promise<ProjectKey> {
  const kind = kindOfToken(token);
  if (kind === undefined) throw invalid();
  if (kind === "access" || kind === "session") throw wrongKind("a public key of the project");
  const key = await projectKeys.find(token);
  if (key === undefined || key.kind !== kind) throw invalid();
  return key;
}

/**
 * Returns the Authorization header equivalent to a key in the URL. UNAUTHENTICATED `CREDENTIALS_WRONG_KIND` for a
 * secret, which must not be in a URL, and `CREDENTIALS_MALFORMED` together with an Authorization header or another key.
 */
export function authorizationOfKey(keys: readonly string[], header: string | undefined): string {
  const [key = "", ...others] = keys;
  if (header !== undefined) {
    throw unauthenticated(
      "CREDENTIALS_MALFORMED",
      "a key in the URL replaces the Authorization header; send one of them",
    );
  }
  if (others.some((other) => other !== key)) {
    throw unauthenticated("CREDENTIALS_MALFORMED", "the URL has two different keys; send one");
  }
  const kind = kindOfToken(key);
  if (kind === undefined && !isJwtForm(key)) throw invalid();
  if (kind !== "public") {
    throw unauthenticated("CREDENTIALS_WRONG_KIND", "only a public key may be in the URL");
  }
  return `Bearer ${key}`;
}

function readBearer(authorization: string | null): string {
  if (authorization === null || authorization.trim() === "") {
    throw unauthenticated("CREDENTIALS_MISSING", "the Authorization header is missing");
  }
  const [scheme, token, ...rest] = authorization.trim().split(/ +/);
  if (scheme?.toLowerCase() !== "bearer" || token === undefined || rest.length > 0) {
    throw unauthenticated(
      "CREDENTIALS_MALFORMED",
      "the Authorization header must be 'Bearer <token>'",
    );
  }
  return token;
}

function wrongKind(needed: string): DomainError {
  return unauthenticated("CREDENTIALS_WRONG_KIND", `this API needs ${needed}`);
}

function invalid(description = "the key or token is unknown or deleted"): DomainError {
  return unauthenticated("CREDENTIALS_INVALID", description);
}

/** Creates the error of an access token that stands for no account, by its end. */
function ended({ expireTime, revokeTime }: Partial<StoredToken> = {}): DomainError {
  if (revokeTime) return invalid(`the access token was revoked at ${printTime(revokeTime)}`);
  if (expireTime) return invalid(`the access token expired at ${printTime(expireTime)}`);
  return invalid("the access token is unknown or deleted");
}

/** Prints a time in seconds, such as `2026-07-19T19:00:00Z`. */
function printTime(time: Date): string {
  return `${time.toISOString().slice(0, -".000Z".length)}Z`;
}

function unauthenticated(reason: Reason, message: string): DomainError {
  return new DomainError(Code.UNAUTHENTICATED, reason, message);
}

/** The most project keys cached in memory. */
const MOST_KEYS = 10_000;

/** A project key with the version of access before it was read. */
interface KnownKey {
  readonly key: ProjectKey;
  readonly version: number;
}

type KeyStore = Pick<Store, "accessVersion" | "knownRevision"> & {
  readonly access: Pick<Store["access"], "findProjectKey">;
  readonly delivery?: { readonly access: Pick<Store["access"], "findProjectKey"> };
};

/**
 * Looks up project keys, each hashed and read once until a key of its project changes: changes of content must not matter,
 * because the Delivery API works without the primary.
 */
export class ProjectKeys {
  readonly #store: KeyStore;
  readonly #keys = new Map<string, KnownKey>();

  constructor(store: KeyStore) {
    this.#store = store;
  }

  /** Finds the project key of a token; undefined if there is none. */
  async find(token: string): Promise<ProjectKey | undefined> {
    const known = this.#keys.get(token);
    if (known !== undefined) {
      const { key } = known;
      const revision = this.#store.knownRevision(key.projectId);
      // Read after the revision: a key that is still there is valid at it.
      if (this.#store.accessVersion(key.projectId) <= known.version) {
        return revision === undefined ? key : { ...key, revision };
      }
      this.#keys.delete(token);
    }
    const version = this.#store.accessVersion();
    const { access } = this.#store.delivery ?? this.#store;
    const key = await access.findProjectKey(hashToken(token));
    if (this.#keys.size >= MOST_KEYS) this.#keys.clear();
    if (key !== undefined) this.#keys.set(token, { key, version });
    return key;
  }
}
