/** Decodes every percent escape of a text; undefined for a malformed escape or invalid UTF-8. */
export function decodePercent(text: string): string | undefined {
  if (!text.includes("%")) {
    return text;
  }
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Decodes like {@link decodePercent}, except that `%2F` and `%2f` stay encoded. */
export function decodePercentExceptSlash(text: string): string | undefined {
  let decoded = "";
  let start = 0;
  for (let at = text.indexOf("%2"); at !== -1; at = text.indexOf("%2", at + 2)) {
    const triplet = text.slice(at, at + 3);
    if (triplet === "%2F" || triplet === "%2f") {
      const part = decodePercent(text.slice(start, at));
      if (part === undefined) {
        return undefined;
      }
      decoded += part + triplet;
      start = at + 3;
    }
  }
  const tail = decodePercent(text.slice(start));
  return tail === undefined ? undefined : decoded + tail;
}
