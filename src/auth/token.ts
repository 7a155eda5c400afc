import { hash, randomBytes } from "node:crypto";

/** The kinds of random tokens; each kind has a prefix, so that a token tells what it is. */
export type TokenKind = "access" | "public" | "preview";

const PREFIXES: Readonly<Record<TokenKind, string>> = {
  access: "mqa_",
  public: "mqp_",
  preview: "mqv_",
};

/** Makes a token of a kind: its prefix and 256 random bits. */
export function createToken(kind: TokenKind): string {
  return PREFIXES[kind] + randomBytes(32).toString("base64url");
}

/** Tells which kind a token says it is, if any. */
export function kindOfToken(token: string): TokenKind | undefined {
  const kinds = Object.keys(PREFIXES) as TokenKind[];
  return kinds.find((kind) => token.startsWith(PREFIXES[kind]));
}

/**
 * Hashes a token for keeping and looking up. A plain SHA-256 is enough: the tokens are random, so
 * there is nothing to guess; and looking up the hash takes a time that tells nothing of the token.
 */
export function hashToken(token: string): Uint8Array {
  return hash("sha256", token, "buffer");
}
