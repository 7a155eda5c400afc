import { isJwtForm, refuseToken } from "../auth/jwt.ts";
import { hashToken, kindOfToken } from "../auth/token.ts";
import type { Viewer, ViewerTokens } from "../auth/viewer-token.ts";
import { Code, DomainError } from "../domain/errors.ts";
import type { AccessStore, FoundProjectKey, ProjectKey } from "../storage/store.ts";
import type { AccessRule } from "./access-rule.ts";
import { toSealingKey } from "./answer-encryption.ts";
import type { Caller } from "./caller.ts";

/** What credentials are compared with. */
export interface CredentialSources {
  readonly access: Pick<AccessStore, "findAccount" | "findProjectKey" | "locate">;
  readonly viewerTokens: Pick<ViewerTokens, "verify">;
}

/**
 * Finds out who calls, from the Authorization header and before the body is read. UNAUTHENTICATED
 * `CREDENTIALS_MISSING`, `CREDENTIALS_MALFORMED`, `CREDENTIALS_WRONG_KIND` (a project's key where an
 * access token is needed, or the reverse) or `CREDENTIALS_INVALID` (unknown, expired or revoked).
 *
 * A viewer token stands in for the public key of the project that it is for (SPEC Authentication 3);
 * one that does not hold is refused with the reasons of `ViewerTokens`, or `AUDIENCE_NOT_ALLOWED` if
 * there is no such project.
 */
export async function authenticate(
  { access, viewerTokens }: CredentialSources,
  rule: AccessRule,
  authorization: string | null,
  now: Date,
): Promise<Caller> {
  const token = readBearer(authorization);
  if (rule.case === "projectKey") {
    if (!isJwtForm(token)) return { kind: "project", key: await requireProjectKey(access, token) };
    const viewer = await viewerTokens.verify(token, now);
    return { kind: "project", key: await requireViewerProject(access, viewer), viewer };
  }
  const kind = kindOfToken(token);
  if (kind === undefined) throw invalid();
  if (kind !== "access") throw wrongKind("an access token");
  const account = await access.findAccount(hashToken(token), now);
  if (account === undefined) throw invalid();
  return { kind: "account", account, sealingKey: toSealingKey(token) };
}

/** Finds the public key in an Authorization header; `undefined` for anything else. */
export async function findPublicKey(
  store: Pick<AccessStore, "findProjectKey">,
  authorization: string,
): Promise<FoundProjectKey | undefined> {
  try {
    const key = await requireProjectKey(store, readBearer(authorization));
    return key.kind === "public" ? key : undefined;
  } catch (fault) {
    if (fault instanceof DomainError && fault.code === Code.UNAUTHENTICATED) return undefined;
    throw fault;
  }
}

async function requireViewerProject(
  access: Pick<AccessStore, "locate">,
  { projectId }: Viewer,
): Promise<ProjectKey> {
  const [project] = await access.locate("project", [projectId]);
  if (project !== undefined) {
    return { projectId, organizationId: project.organizationId, kind: "public" };
  }
  throw refuseToken("AUDIENCE_NOT_ALLOWED", "the token is for a project that does not exist");
}

async function requireProjectKey(
  store: Pick<AccessStore, "findProjectKey">,
  token: string,
): Promise<FoundProjectKey> {
  const kind = kindOfToken(token);
  if (kind === undefined) throw invalid();
  if (kind === "access") throw wrongKind("a public key of the project");
  const key = await store.findProjectKey(hashToken(token));
  if (key === undefined || key.kind !== kind) throw invalid();
  return key;
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
  return unauthenticated("CREDENTIALS_WRONG_KIND", `this interface needs ${needed}`);
}

function invalid(): DomainError {
  return unauthenticated("CREDENTIALS_INVALID", "the token is unknown, expired or revoked");
}

function unauthenticated(reason: string, message: string): DomainError {
  return new DomainError(Code.UNAUTHENTICATED, reason, message);
}
