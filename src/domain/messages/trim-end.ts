/**
 * Removes all trailing occurrences of a character. A regular expression would take quadratic time on long
 * runs of it inside the text.
 */
export function trimEnd(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}
