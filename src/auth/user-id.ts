import { hash } from "node:crypto";

/** The longest subject that OpenID Connect allows, in characters. */
export const MAX_SUBJECT_LENGTH = 255;

/** The form of the ids that stand for an issuer and a subject together. */
const QUALIFIED = /^sub_[\w-]{43}$/;

/**
 * Returns the user id of an issuer's subject: the subject itself where the issuer's subjects are kept,
 * otherwise `sub_` and the SHA-256 of `<issuer>\n<subject>` in base64url, 47 characters. A kept subject of
 * that very form is qualified too, so that no id of one issuer is ever an id of another.
 */
export function toUserId(issuer: string, subject: string, keepsSubjects: boolean): string {
  if (keepsSubjects && !QUALIFIED.test(subject)) return subject;
  return `sub_${hash("sha256", `${issuer}\n${subject}`, "base64url")}`;
}
