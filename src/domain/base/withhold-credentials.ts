/**
 * Matches the secret part of tokens and signing secrets, of URLs with a password, of JWTs, and of signed playlist URLs. A URL
 * may be percent-encoded, or cut, with `…` at its end.
 */
const CREDENTIALS = new RegExp(
  [
    /(?<=mq[apsv]_|whsec_)[\w+/=%-]+/,
    /(?<=(?::|%3[Aa])(?:\/|%2[Ff]){2})(?:(?!%2[Ff]|%40)[^\s/?#"'@…])+(?=@|%40|…)/,
    /eyJ[\w-]{8,}[\w.-]*/,
    /(?<![\w-])[\w-]{43}\.\d{1,12}\.[\w.~-]*/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "g",
);

/**
 * Replaces what has the form of a credential in a text: callers put credentials where they do not belong. The time grows
 * with the length of the text.
 */
export function withholdCredentials(text: string): string {
  return text.replace(CREDENTIALS, "…");
}
