import { create } from "@bufbuild/protobuf";
import { type Duration, DurationSchema } from "@bufbuild/protobuf/wkt";
import type { Account } from "../../../gen/svc/studio/iam/account/v1/account_pb.ts";
import type { StaffSignIn } from "../../../gen/svc/studio/iam/staff_sign_in/v1/staff_sign_in_service_pb.ts";
import type { CheckTarget } from "../actions/action.ts";
import { DomainError } from "../base/errors.ts";
import { checkField, invalidField } from "../base/field-errors.ts";

/** The longest e-mail address, in characters. */
const LONGEST_EMAIL = 254;

/** The durations of sessions, in seconds. */
const SESSION = { shortest: 3_600, standard: 12 * 3_600, longest: 24 * 3_600 };

/** Issuers of Entra ID that stand for the accounts of all companies. */
const MANY_TENANTS =
  /^https:\/\/login\.microsoftonline\.[a-z]+\/(?:common|consumers|organizations)(?:\/|$)/i;

/** Checks an e-mail; empty is none. INVALID_ARGUMENT `EMAIL_INVALID`. */
export function checkEmail(email: string, field: string): void {
  const isEmail = email === "" || /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(email);
  const rule = `must be an e-mail address of at most ${LONGEST_EMAIL} characters`;
  checkField(isEmail && email.length <= LONGEST_EMAIL, field, "EMAIL_INVALID", rule);
}

/**
 * Returns the form of an e-mail that is compared: the case of its ASCII letters does not count. The Kelvin sign, whose lower
 * case is `k`, belongs to another e-mail.
 */
export function foldEmail(email: string): string {
  return email.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Returns the text that identifies a person at an issuer. */
export function toIdentity({ issuer, subject }: { issuer: string; subject: string }): string {
  return `${issuer}\n${subject}`;
}

/** Returns a changed account, which forgets who signed in last if its e-mail is another. */
export function forgetHolder(changed: Account, current: Account): Account {
  if (changed.email === current.email) return changed;
  const { lastSignIn: _, ...others } = changed;
  return others;
}

/** Returns the time until a session ends. */
export function sessionDurationOf({ sessionDuration }: StaffSignIn): Duration {
  return sessionDuration ?? create(DurationSchema, { seconds: BigInt(SESSION.standard) });
}

/**
 * Checks a sign-in before it is stored; errors name fields below `path`. INVALID_ARGUMENT `ISSUER_INVALID`,
 * `FIELD_REQUIRED` or `SESSION_DURATION_INVALID`.
 */
export function checkStaffSignIn(
  signIn: StaffSignIn,
  path: string,
  { checkTarget }: { readonly checkTarget: CheckTarget },
): void {
  const { issuer, clientId } = signIn;
  if (issuer !== "") {
    checkIssuer(issuer, `${path}.issuer`, checkTarget);
    checkField(
      clientId !== "",
      `${path}.client_id`,
      "FIELD_REQUIRED",
      "is required with an issuer",
    );
  }
  const { seconds, nanos } = sessionDurationOf(signIn);
  const duration = Number(seconds) + nanos / 1e9;
  const isInRange = duration >= SESSION.shortest && duration <= SESSION.longest;
  const field = `${path}.session_duration`;
  checkField(isInRange, field, "SESSION_DURATION_INVALID", "must be 1 to 24 hours");
}

function checkIssuer(issuer: string, field: string, checkTarget: CheckTarget): void {
  const reason = "ISSUER_INVALID";
  checkField(!issuer.includes("?"), field, reason, "must be a URL without a query");
  const rule =
    "must be the issuer of one tenant, because 'common' signs in everybody; name the tenant";
  checkField(!MANY_TENANTS.test(issuer), field, reason, rule);
  try {
    checkTarget(issuer);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    throw invalidField(field, reason, `must be a URL of a provider: ${error.message}`);
  }
}
