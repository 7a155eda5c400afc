import { generateKeyPairSync } from "node:crypto";
import type { AddressInfo } from "node:net";
import type { IdentityIssuer } from "../src/auth/identity-token.ts";
import { loadJose } from "../src/auth/jwt.ts";
import { http } from "../src/network/http.ts";

/** A third-party identity provider on this machine, for the demo and for tests. */
export interface IdentityProvider extends IdentityIssuer {
  /** Signs an identity token as the provider would. */
  sign(claims: IdentityClaims): Promise<string>;
  close(): Promise<void>;
}

/** The claims of an identity token. */
export interface IdentityClaims {
  readonly subject: string;
  readonly audience: string;
  readonly issueTime: Date;
  readonly expireTime: Date;
}

const ALGORITHM = "ES256";
const KEY_ID = "demo";

/** Starts a provider on a free loopback port with a new key; its issuer is its URL by default. */
export async function startIdentityProvider(name?: string): Promise<IdentityProvider> {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const jwk = { ...publicKey.export({ format: "jwk" }), kid: KEY_ID, alg: ALGORITHM, use: "sig" };
  const keySet = JSON.stringify({ keys: [jwk] });
  const server = http.createServer((_request, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(keySet);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer = name ?? url;
  return {
    issuer,
    jwksUrl: `${url}/jwks.json`,
    async sign({ subject, audience, issueTime, expireTime }) {
      const { SignJWT } = await loadJose();
      return new SignJWT()
        .setProtectedHeader({ alg: ALGORITHM, kid: KEY_ID })
        .setIssuer(issuer)
        .setSubject(subject)
        .setAudience(audience)
        .setIssuedAt(issueTime)
        .setExpirationTime(expireTime)
        .sign(privateKey);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
