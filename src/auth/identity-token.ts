import { createRemoteJWKSet, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import { Code, DomainError } from "../domain/errors.ts";
import { readIssuer, refuseToken, toTokenFault } from "./jwt.ts";
import { MAX_SUBJECT_LENGTH, toUserId } from "./user-id.ts";

/** A third-party identity provider: the `iss` of its tokens, and where its keys lie. */
export interface IdentityIssuer {
  readonly issuer: string;
  readonly jwksUrl: string;
  /** Whether its subjects are user ids as they are, also beside other issuers; at most one issuer's are. */
  readonly isPrimary?: boolean;
}

/** Who an identity token was made for, and how long it lasts. */
export interface Identity {
  /** Unique over all issuers: {@link toUserId}. */
  readonly userId: string;
  readonly expireTime: Date;
}

/** Checks identity tokens of third-party providers. */
export interface IdentityVerifier {
  /**
   * Checks a token's signature, issuer, audience and time. UNAUTHENTICATED `TOKEN_MALFORMED`,
   * `ISSUER_UNKNOWN`, `SIGNATURE_INVALID`, `AUDIENCE_NOT_ALLOWED` or `TOKEN_EXPIRED` (also for a token
   * that is not valid yet); UNAVAILABLE `ISSUER_UNREACHABLE` if its keys cannot be fetched.
   */
  verify(token: string, audiences: readonly string[], now: Date): Promise<Identity>;
}

/** Signatures that count: none without a key pair, none that is known to be weak. */
const ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
];

/** By how much the clocks of two machines may differ, in seconds. */
const CLOCK_SKEW = 60;

/** The latest time that a Date holds, in milliseconds since 1970. */
const LATEST_TIME = 8.64e15;

/** How long keys are kept, how often an unknown key may cause a fetch, how long one may take: in ms. */
const JWKS_OPTIONS = { cacheMaxAge: 600_000, cooldownDuration: 30_000, timeoutDuration: 5_000 };

/**
 * Creates a verifier of tokens by any of the issuers. The only issuer's subjects are the user ids, and of
 * several those of the primary one; any other user has an id made of issuer and subject together.
 */
export function createIdentityVerifier(issuers: readonly IdentityIssuer[]): IdentityVerifier {
  const keySets = new Map(
    issuers.map(({ issuer, jwksUrl }) => [
      issuer,
      createRemoteJWKSet(new URL(jwksUrl), JWKS_OPTIONS),
    ]),
  );
  const keepsSubjects = (name: string) =>
    keySets.size === 1 || issuers.some(({ issuer, isPrimary }) => isPrimary && issuer === name);
  return {
    async verify(token, audiences, now) {
      const issuer = readIssuer(token);
      const keys = keySets.get(issuer);
      if (keys === undefined) {
        throw refuseToken("ISSUER_UNKNOWN", "the token's issuer is not configured", { issuer });
      }
      const claims = await verifyToken(token, keys, now);
      checkAudience(claims, audiences);
      return {
        userId: toUserId(issuer, claims.sub, keepsSubjects(issuer)),
        expireTime: new Date(Math.min((claims.exp ?? 0) * 1_000, LATEST_TIME)),
      };
    },
  };
}

type Claims = JWTPayload & { readonly sub: string };

async function verifyToken(token: string, keys: JWTVerifyGetKey, now: Date): Promise<Claims> {
  try {
    const { payload } = await jwtVerify(token, keys, {
      algorithms: ALGORITHMS,
      clockTolerance: CLOCK_SKEW,
      currentDate: now,
      requiredClaims: ["sub", "exp", "aud"],
    });
    return { ...payload, sub: checkSubject(payload.sub) };
  } catch (cause) {
    throw cause instanceof DomainError ? cause : translate(cause);
  }
}

function checkSubject(subject: unknown): string {
  if (typeof subject !== "string" || subject === "") {
    throw refuseToken("TOKEN_MALFORMED", "the token's subject is not a text, or empty");
  }
  if (subject.length > MAX_SUBJECT_LENGTH) {
    const limit = `the token's subject has more than ${MAX_SUBJECT_LENGTH} characters`;
    throw refuseToken("TOKEN_MALFORMED", limit);
  }
  // Half of a surrogate pair becomes U+FFFD in UTF-8: two subjects would become one user.
  if (!subject.isWellFormed()) {
    throw refuseToken("TOKEN_MALFORMED", "the token's subject is not valid Unicode");
  }
  return subject;
}

function checkAudience({ aud }: JWTPayload, audiences: readonly string[]): void {
  const named = aud === undefined ? [] : [aud].flat();
  if (named.some((name) => audiences.includes(name))) return;
  throw refuseToken("AUDIENCE_NOT_ALLOWED", "the project does not allow the token's audience");
}

function translate(cause: unknown): DomainError {
  return (
    toTokenFault(cause) ??
    new DomainError(
      Code.UNAVAILABLE,
      "ISSUER_UNREACHABLE",
      "the keys of the token's issuer cannot be fetched",
      { cause },
    )
  );
}
