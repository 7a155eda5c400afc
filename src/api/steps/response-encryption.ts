import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Derives the key that encrypts stored responses from an access token, which is not stored itself. */
export function toResponseKey(token: string): Uint8Array {
  return createHmac("sha256", token).update("marquee sealed answer").digest();
}

/** Encrypts and authenticates content with a key of 32 bytes. */
export function encrypt(content: Uint8Array, key: Uint8Array): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce);
  return Buffer.concat([nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()]);
}

/** Decrypts the output of `encrypt`; undefined with another key, or if any byte was changed or lost. */
export function decrypt(encrypted: Uint8Array, key: Uint8Array): Buffer | undefined {
  if (encrypted.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const nonce = encrypted.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  try {
    decipher.setAuthTag(encrypted.subarray(-TAG_BYTES));
    const content = decipher.update(encrypted.subarray(NONCE_BYTES, -TAG_BYTES));
    return Buffer.concat([content, decipher.final()]);
  } catch {
    return undefined;
  }
}
