const MAX_LENGTH = 100;

/** Cuts text of a caller to a length that is fit for a message. */
export function clip(text: string): string {
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}

/** Puts text of a caller between double quotes, escaped, and cut when long. */
export function quote(text: string): string {
  return JSON.stringify(clip(text));
}
