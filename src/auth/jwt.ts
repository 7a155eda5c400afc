import { Code, DomainError, type Reason } from "../domain/base/errors.ts";

/** Loads jose on first use: its many modules would prolong every start. */
export function loadJose(): Promise<typeof import("jose")> {
  return import("jose");
}

/** Reads the issuer of a token without verifying it. `TOKEN_MALFORMED`. */
export async function readIssuer(token: string): Promise<string> {
  const { decodeJwt, decodeProtectedHeader } = await loadJose();
  try {
    decodeProtectedHeader(token);
    const { iss } = decodeJwt(token);
    if (typeof iss === "string" && iss !== "") return iss;
  } catch (cause) {
    throw rejectToken("TOKEN_MALFORMED", "the token is not a JWT", {}, cause);
  }
  throw rejectToken("TOKEN_MALFORMED", "the token has no issuer");
}

/** Translates a failed verification; undefined if the token is not the cause. */
export async function toTokenError(cause: unknown): Promise<DomainError | undefined> {
  const { errors } = await loadJose();
  if (cause instanceof errors.JWTExpired) {
    return rejectToken("TOKEN_EXPIRED", "the token has expired", {}, cause);
  }
  if (cause instanceof errors.JWTClaimValidationFailed && cause.reason === "check_failed") {
    const metadata = { claim: cause.claim };
    return rejectToken("TOKEN_EXPIRED", "the token is not valid yet", metadata, cause);
  }
  if (
    cause instanceof errors.JWSSignatureVerificationFailed ||
    cause instanceof errors.JWKSNoMatchingKey ||
    cause instanceof errors.JWKSMultipleMatchingKeys ||
    cause instanceof errors.JOSEAlgNotAllowed ||
    cause instanceof errors.JOSENotSupported
  ) {
    return rejectToken("SIGNATURE_INVALID", "the token's signature is invalid", {}, cause);
  }
  if (
    cause instanceof errors.JWSInvalid ||
    cause instanceof errors.JWTInvalid ||
    cause instanceof errors.JWTClaimValidationFailed
  ) {
    const message = "the token is malformed, or a required claim is missing";
    return rejectToken("TOKEN_MALFORMED", message, {}, cause);
  }
  return undefined;
}

/** Creates the UNAUTHENTICATED error of a token. */
export function rejectToken(
  reason: Reason,
  message: string,
  metadata: Record<string, string> = {},
  cause?: unknown,
): DomainError {
  return new DomainError(Code.UNAUTHENTICATED, reason, message, { metadata, cause });
}
