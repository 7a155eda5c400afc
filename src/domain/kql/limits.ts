/**
 * Bounds of one filter, enforced while it is parsed: `bytes` of UTF-8 text, `nodes` of the tree and
 * `nesting` of brackets and braces together.
 */
export const KQL_LIMITS = { bytes: 8192, nodes: 256, nesting: 32 } as const;

/** Names one of {@link KQL_LIMITS}. */
export type KqlLimit = keyof typeof KQL_LIMITS;

/** Counts the bytes `text` takes in UTF-8; a lone surrogate counts as its replacement, three. */
export function countUtf8Bytes(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const codePoint = character.codePointAt(0) ?? 0;
    bytes += codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;
  }
  return bytes;
}
