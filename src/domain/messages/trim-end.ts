/**
 * Cuts one character off the end of a text as often as it stands there. A regular expression would look
 * for the end anew from each such character in the text.
 */
export function trimEnd(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}
