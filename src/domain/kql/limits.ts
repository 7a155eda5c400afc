/**
 * Maximum sizes of a filter, enforced by the parser: `bytes` of UTF-8 text, `nodes` of the tree and
 * `nesting` depth of brackets and braces together.
 */
export const KQL_LIMITS = { bytes: 8192, nodes: 256, nesting: 32 } as const;

/** A name of {@link KQL_LIMITS}. */
export type KqlLimit = keyof typeof KQL_LIMITS;

/** Counts the bytes of a text in UTF-8; a lone surrogate counts three, as its replacement. */
export function countUtf8Bytes(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const codePoint = character.codePointAt(0) ?? 0;
    bytes += codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;
  }
  return bytes;
}
