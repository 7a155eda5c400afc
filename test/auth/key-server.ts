import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
} from "jose";

/** A provider whose keys, responses and tokens a test makes up. */
export interface KeyServer {
  readonly issuer: string;
  readonly jwksUrl: string;
  /** How often its keys were fetched. */
  readonly fetches: () => number;
  /** Adds a key pair under an id. */
  addKey(kid: string, alg?: string): Promise<void>;
  removeKey(kid: string): void;
  /** Serves this status and body instead of the keys. */
  respond(status: number, body: string): void;
  /** Serves its keys again. */
  serveKeys(): void;
  /** Signs any claims with the key of an id. */
  sign(kid: string, claims: JWTPayload, header?: Partial<JWTHeaderParameters>): Promise<string>;
  close(): Promise<void>;
}

/** Starts a provider on a free port of this machine, without a key. */
export async function startKeyServer(): Promise<KeyServer> {
  const pairs = new Map<string, { readonly alg: string; readonly key: CryptoKey }>();
  const published = new Map<string, JWK>();
  let fetches = 0;
  let fixed: { readonly status: number; readonly body: string } | undefined;

  const server = createServer((_request, response) => {
    fetches += 1;
    const body = fixed?.body ?? JSON.stringify({ keys: [...published.values()] });
    response.writeHead(fixed?.status ?? 200, { "content-type": "application/json" }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    issuer,
    jwksUrl: `${issuer}/keys`,
    fetches: () => fetches,
    async addKey(kid, alg = "ES256") {
      const { publicKey, privateKey } = await generateKeyPair(alg);
      pairs.set(kid, { alg, key: privateKey });
      published.set(kid, { ...(await exportJWK(publicKey)), kid, alg, use: "sig" });
    },
    removeKey: (kid) => void published.delete(kid),
    respond: (status, body) => {
      fixed = { status, body };
    },
    serveKeys: () => {
      fixed = undefined;
    },
    sign(kid, claims, header = {}) {
      const pair = pairs.get(kid);
      if (pair === undefined) throw new Error(`there is no key ${kid}`);
      return new SignJWT(claims)
        .setProtectedHeader({ alg: pair.alg, kid, ...header })
        .sign(pair.key);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
