import { hash, randomBytes } from "node:crypto";

/** The kinds of random tokens, each with its own prefix. */
export type TokenKind = "access" | "public" | "preview" | "session";

const PREFIXES: Readonly<Record<TokenKind, string>> = {
  access: "mqa_",
  public: "mqp_",
  preview: "mqv_",
  session: "mqs_",
};

const KINDS = Object.keys(PREFIXES) as readonly TokenKind[];

/** Creates a token of a kind: its prefix and 256 random bits. */
export function createToken(kind: TokenKind): string {
  return PREFIXES[kind] + randomBytes(32).toString("base64url");
}

/** Returns the kind of a token by its prefix, if it has one. */
export function kindOfToken(token: string): TokenKind | undefined {
  return KINDS.find((kind) => token.startsWith(PREFIXES[kind]));
}

/** Reports whether a text has the form of a JWT, without decoding it. */
export function isJwtForm(text: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]*$/.test(text);
}

/**
 * Hashes a token for storage and lookup. A plain SHA-256 suffices because tokens are random and cannot be
 * guessed; looking up the hash leaks no timing information about the token.
 */
export function hashToken(token: string): Uint8Array {
  return hash("sha256", token, "buffer");
}

/** Reports whether a token is neither revoked nor expired. */
export function isLive(
  { expireTime, revokeTime }: { readonly expireTime?: Date; readonly revokeTime?: Date },
  now: Date,
): boolean {
  return revokeTime === undefined && (expireTime === undefined || expireTime > now);
}
