// The title of a chapter cue (WebVTT 1, "rules for extracting the chapter title"): the text outside of tags,
// without ruby annotations, with character references resolved.

// An unclosed match extends to the end of the text, which keeps matching linear.
const RUBY_ANNOTATION = /<rt(?:[.\s][^>]*)?(?:>|$)[\s\S]*?(?:<\/(?:rt|ruby)>|$)/g;
const TAG = /<[^>]*(?:>|$)/g;
const REFERENCE = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|(\w+));/g;
const LINE_END = /\r\n|\r|\n/;

const NAMED: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
  ["nbsp", "\u00a0"],
  ["lrm", "\u200e"],
  ["rlm", "\u200f"],
]);

/**
 * Returns the title that a player shows for the text of a cue. Tags are removed; the named references of
 * WebVTT, `&quot;` and `&apos;` are resolved, others stay.
 */
export function parseTitle(payload: string): string {
  return payload
    .replaceAll(RUBY_ANNOTATION, "")
    .replaceAll(TAG, "")
    .replaceAll(REFERENCE, (text, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return NAMED.get(name) ?? text;
      return toCharacter(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
    });
}

/** Writes a title as the text of a cue. */
export function printTitle(title: string): string {
  return title.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Normalizes a label for a cue: trims its lines, removes empty lines and U+0000. */
export function toTitle(label: string): string {
  const lines = label.replaceAll("\0", "").split(LINE_END);
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join("\n");
}

function toCharacter(codePoint: number): string {
  const isSurrogate = codePoint >= 0xd800 && codePoint <= 0xdfff;
  return codePoint === 0 || codePoint > 0x10ffff || isSurrogate
    ? "\ufffd"
    : String.fromCodePoint(codePoint);
}
