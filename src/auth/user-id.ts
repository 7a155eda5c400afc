import { hash } from "node:crypto";

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
