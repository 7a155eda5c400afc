import { hash } from "node:crypto";
import { isIP } from "node:net";
import type { FetchImplementation, JWTPayload, JWTVerifyGetKey } from "jose";
import { Code, DomainError } from "../domain/base/errors.ts";
import { clip } from "../domain/base/text.ts";
import { sendRequest } from "../network/http.ts";
import {
  createResolveName,
  NAME_LIMIT,
  type ResolveName,
  SLOW_NAME,
  toLookup,
} from "../network/resolve-name.ts";
import { loadJose, readIssuer, rejectToken, toTokenError } from "./jwt.ts";

/** A third-party identity provider: the `iss` of its tokens and the URL of its key set. */
export interface IdentityIssuer {
  readonly issuer: string;
  readonly jwksUrl: string;
  /** True if its subjects are used as user ids even with several issuers; set for at most one issuer. */
  readonly isPrimary?: boolean;
}

/** Verifies identity tokens of third-party providers. */
export type IdentityVerifier = ReturnType<typeof createIdentityVerifier>;

/** The accepted signature algorithms: asymmetric and not known to be weak. */
const ALGORITHMS = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA"],
];

/** The tolerated difference between two clocks, in seconds. */
const CLOCK_SKEW = 60;

/** The latest time that a Date can represent, in milliseconds since 1970. */
const LATEST_TIME = 8.64e15;

/** The time limit of fetching keys once the name of their host is resolved, in milliseconds. */
const FETCH_LIMIT = 5_000;

/** The lifetime of cached keys, the minimum interval between fetches, and their time limit, in milliseconds. */
const JWKS_OPTIONS = {
  cacheMaxAge: 600_000,
  cooldownDuration: 30_000,
  timeoutDuration: NAME_LIMIT + FETCH_LIMIT,
};

/** How long Marquee waits before it asks an issuer again that did not send its keys in time, in milliseconds. */
const REST = 10_000;

/** The keys of an issuer. */
interface KeySet {
  readonly keys: JWTVerifyGetKey;
  /** When they were last used, in milliseconds since 1970. */
  readonly usedTime: number;
}

/**
 * Creates a verifier of tokens of any of the issuers. The subjects of the only issuer, or of the primary one
 * of several, are the user ids; for others, the id is derived from issuer and subject.
 */
export function createIdentityVerifier(
  issuers: readonly IdentityIssuer[],
  resolve: ResolveName = createResolveName(),
) {
  const urls = new Map(issuers.map(({ issuer, jwksUrl }) => [issuer, new URL(jwksUrl)]));
  const keySets = new Map<string, KeySet>();
  const keepsSubjects = (name: string) =>
    urls.size === 1 || issuers.some(({ issuer, isPrimary }) => isPrimary && issuer === name);
  return {
    /**
     * Verifies the signature, issuer, audience and time of a token, and returns its user, unique across all issuers, and its
     * end. UNAUTHENTICATED `TOKEN_MALFORMED`, `ISSUER_UNKNOWN`, `SIGNATURE_INVALID`, `AUDIENCE_NOT_ALLOWED` or
     * `TOKEN_EXPIRED`, also for a token that is not valid yet. UNAVAILABLE `ISSUER_UNREACHABLE` if its keys cannot be
     * fetched.
     */
    async verify(token: string, audiences: readonly string[], now: Date) {
      const issuer = await readIssuer(token);
      const url = urls.get(issuer);
      if (url === undefined) {
        const message = `the token's issuer ${JSON.stringify(clip(issuer))} is not configured`;
        throw rejectToken("ISSUER_UNKNOWN", message, { issuer });
      }
      const { createRemoteJWKSet, customFetch } = await loadJose();
      const known = keySets.get(issuer);
      const usedTime = Date.now();
      // A set from before the clock was set back would fetch no keys until the clock is where it was.
      const isUsable = known !== undefined && known.usedTime <= usedTime;
      const keys = isUsable
        ? known.keys
        : createRemoteJWKSet(url, { ...JWKS_OPTIONS, [customFetch]: createFetchKeys(resolve) });
      keySets.set(issuer, { keys, usedTime });
      const claims = await verifyToken(token, keys, now);
      checkAudience(claims, audiences);
      return {
        userId: toUserId(issuer, claims.sub, keepsSubjects(issuer)),
        expireTime: new Date(Math.min((claims.exp ?? 0) * 1_000, LATEST_TIME)),
      };
    },
  };
}

/**
 * Creates the function that fetches the keys of one issuer. Unlike the global `fetch`, it resolves the name of the host
 * by itself, so that a slow name server delays nothing else. After a fetch that ended too late it fails at once for a
 * while, so that sign-ins do not all wait in vain.
 */
function createFetchKeys(resolve: ResolveName): FetchImplementation {
  let restEnd = 0;
  return async (text, { headers, signal }) => {
    if (Date.now() < restEnd) throw new Error("the keys came too late a moment ago");
    const url = new URL(text);
    const host = url.hostname.replace(/^\[|\]$/g, "");
    let limit = signal;
    try {
      const addresses = isIP(host) === 0 ? await resolve(host, signal) : [];
      limit = AbortSignal.any([signal, AbortSignal.timeout(FETCH_LIMIT)]);
      const options = { signal: limit, lookup: toLookup(addresses) };
      return await sendRequest(url, { ...options, headers: Object.fromEntries(headers) });
    } catch (error) {
      const isLate = limit.aborted || SLOW_NAME.includes((error as NodeJS.ErrnoException).code);
      if (isLate) restEnd = Date.now() + REST;
      throw error;
    }
  };
}

type Claims = JWTPayload & { readonly sub: string };

async function verifyToken(token: string, keys: JWTVerifyGetKey, now: Date): Promise<Claims> {
  const { jwtVerify } = await loadJose();
  try {
    const { payload } = await jwtVerify(token, keys, {
      algorithms: ALGORITHMS,
      clockTolerance: CLOCK_SKEW,
      currentDate: now,
      requiredClaims: ["sub", "exp", "aud"],
    });
    return { ...payload, sub: checkSubject(payload.sub) };
  } catch (cause) {
    if (cause instanceof DomainError) throw cause;
    const message = "cannot fetch the keys of the token's issuer; try again later";
    throw (
      (await toTokenError(cause)) ??
      new DomainError(Code.UNAVAILABLE, "ISSUER_UNREACHABLE", message, { cause })
    );
  }
}

function checkSubject(subject: unknown): string {
  if (typeof subject !== "string" || subject === "") {
    throw rejectToken("TOKEN_MALFORMED", "the token's subject must be a non-empty string");
  }
  if (subject.length > MAX_SUBJECT_LENGTH) {
    const limit = `the token's subject has more than ${MAX_SUBJECT_LENGTH} characters`;
    throw rejectToken("TOKEN_MALFORMED", limit);
  }
  // An unpaired surrogate becomes U+FFFD in UTF-8, so two subjects could become one user.
  if (!subject.isWellFormed()) {
    throw rejectToken("TOKEN_MALFORMED", "the token's subject is not valid Unicode");
  }
  return subject;
}

function checkAudience({ aud }: JWTPayload, audiences: readonly string[]): void {
  const named = aud === undefined ? [] : [aud].flat();
  if (named.some((name) => audiences.includes(name))) return;
  const message = "the token's audience is not one of the project's audiences";
  throw rejectToken("AUDIENCE_NOT_ALLOWED", message);
}

/** The longest subject that OpenID Connect allows, in characters. */
export const MAX_SUBJECT_LENGTH = 255;

/** The form of ids derived from issuer and subject. */
const QUALIFIED = /^sub_[\w-]{43}$/;

/**
 * Returns the user id of an issuer's subject: the subject itself if `keepsSubjects`, otherwise `sub_` and the
 * SHA-256 of `<issuer>\n<subject>` in base64url, 47 characters. A subject that has this form itself is always
 * hashed, so that ids of different issuers never collide.
 */
export function toUserId(issuer: string, subject: string, keepsSubjects: boolean): string {
  if (keepsSubjects && !QUALIFIED.test(subject)) return subject;
  return `sub_${hash("sha256", `${issuer}\n${subject}`, "base64url")}`;
}
