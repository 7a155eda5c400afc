/** Tells whether a text matches. */
export type PatternTest = (text: string) => boolean;

/**
 * Creates the test of a pattern: the parts in order with anything between them, anchored at both ends. Its
 * time grows with the text and the pattern, and not with their product.
 */
export function createPatternTest(parts: readonly string[]): PatternTest {
  const first = parts[0] ?? "";
  if (parts.length < 2) return (text) => text === first;
  const last = parts[parts.length - 1] ?? "";
  const searches = parts.slice(1, -1).map(createSearch);
  return (text) => {
    const end = text.length - last.length;
    if (end < first.length || !text.startsWith(first) || !text.endsWith(last)) return false;
    let from = first.length;
    for (const { find, length } of searches) {
      const found = find(text, from);
      if (found < 0) return false;
      from = found + length;
    }
    return from <= end;
  };
}

/** Tells whether `text` is the parts in order with anything between them, anchored at both ends. */
export function matchesPattern(parts: readonly string[], text: string): boolean {
  return createPatternTest(parts)(text);
}

/** The longest part that is searched for by `indexOf`, which begins anew at each character of a text. */
const SHORT = 32;

interface Search {
  readonly length: number;
  /** Finds where the part stands first, from an offset on; -1 where it does not. */
  find(text: string, from: number): number;
}

function createSearch(part: string): Search {
  const { length } = part;
  if (length <= SHORT) return { length, find: (text, from) => text.indexOf(part, from) };
  const borders = findBorders(part);
  return {
    length,
    find(text, from) {
      let matched = 0;
      for (let at = from; at < text.length; at += 1) {
        matched = extend(part, borders, matched, text.charCodeAt(at));
        if (matched === length) return at + 1 - length;
      }
      return -1;
    },
  };
}

/**
 * Lists for each beginning of a part, by its length, how long the longest shorter beginning is in which it
 * ends too (Knuth, Morris and Pratt): what is left of a match that does not go on.
 */
function findBorders(part: string): Uint32Array {
  const borders = new Uint32Array(part.length + 1);
  for (let at = 1; at < part.length; at += 1) {
    borders[at + 1] = extend(part, borders, borders[at] ?? 0, part.charCodeAt(at));
  }
  return borders;
}

/** Tells how much of a part matches behind one more unit. */
function extend(part: string, borders: Uint32Array, matched: number, unit: number): number {
  let length = matched;
  while (length > 0 && part.charCodeAt(length) !== unit) length = borders[length] ?? 0;
  return part.charCodeAt(length) === unit ? length + 1 : length;
}
