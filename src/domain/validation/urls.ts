/** Reports whether a text is an absolute http or https URL. */
export function isHttpUrl(text: string): boolean {
  return /^https?:\/\/[^\s\p{Cc}]+$/iu.test(text) && URL.canParse(text);
}

/** Reports whether a text is a path within the site: it begins with one `/` and has no blanks. */
export function isSitePath(text: string): boolean {
  return /^\/(?![/\\])[^\s\p{Cc}]*$/u.test(text);
}
