/** A compiled pattern: reports whether a text matches. */
export type PatternTest = (text: string) => boolean;

/**
 * Compiles a pattern: the parts in order with anything between them, anchored at both ends. Matching takes
 * time linear in the sum of the lengths of text and pattern.
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

/** Reports whether a text matches a pattern; see {@link createPatternTest}. */
export function matchesPattern(parts: readonly string[], text: string): boolean {
  return createPatternTest(parts)(text);
}

/** Maximum length of a part searched by `indexOf`, whose worst case is quadratic. */
const SHORT = 32;

interface Search {
  readonly length: number;
  /** Finds the first occurrence from an offset on; -1 if there is none. */
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
 * Computes the failure function of Knuth, Morris and Pratt: for each prefix length, the length of the
 * longest shorter prefix that is also a suffix of it.
 */
function findBorders(part: string): Uint32Array {
  const borders = new Uint32Array(part.length + 1);
  for (let at = 1; at < part.length; at += 1) {
    borders[at + 1] = extend(part, borders, borders[at] ?? 0, part.charCodeAt(at));
  }
  return borders;
}

/** Returns the matched length after one more UTF-16 unit. */
function extend(part: string, borders: Uint32Array, matched: number, unit: number): number {
  let length = matched;
  while (length > 0 && part.charCodeAt(length) !== unit) length = borders[length] ?? 0;
  return part.charCodeAt(length) === unit ? length + 1 : length;
}
