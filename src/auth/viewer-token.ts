import { errors, exportJWK, type JSONWebKeySet, type JWTPayload, jwtVerify, SignJWT } from "jose";
import { readIssuer, refuseToken, toTokenFault } from "./jwt.ts";
import { createViewerKeyRing, type ViewerKeySource } from "./viewer-key-ring.ts";
import { beginViewerTokenKeys } from "./viewer-token-key.ts";

/** Whom a viewer token stands for. */
export interface Viewer {
  readonly projectId: string;
  readonly userId: string;
}

/** Signs viewer tokens and checks them. */
export interface ViewerTokens {
  /**
   * Signs a JWT (ES256) whose audience is the project and whose subject is the user. It must not last
   * longer than `VIEWER_TOKEN_LIFETIME`: the key may be gone then.
   */
  sign(viewer: Viewer, now: Date, expireTime: Date): Promise<string>;
  /**
   * Checks a token that this service signed. Its time counts to the second, without skew.
   * UNAUTHENTICATED `TOKEN_MALFORMED`, `ISSUER_UNKNOWN`, `SIGNATURE_INVALID` or `TOKEN_EXPIRED`.
   * Whether the project is the right one, the caller knows.
   */
  verify(token: string, now: Date): Promise<Viewer>;
  /** Gets the public keys that tokens are checked with, the one that signs first. */
  getKeySet(now: Date): Promise<JSONWebKeySet>;
}

const ALGORITHM = "ES256";

/** The `iss` of every viewer token. */
export const VIEWER_TOKEN_ISSUER = "marquee";

/**
 * Opens the viewer tokens of the installation. Its first key is made the first time; after a rotation
 * every process of the database signs with the new key within a second.
 */
export async function openViewerTokens(source: ViewerKeySource, now: Date): Promise<ViewerTokens> {
  await beginViewerTokenKeys(source.viewerTokenKeys, now);
  const ring = createViewerKeyRing(source);
  return {
    async sign({ projectId, userId }, signTime, expireTime) {
      const { id, key } = await ring.getSigning();
      return new SignJWT()
        .setProtectedHeader({ alg: ALGORITHM, kid: id, typ: "JWT" })
        .setIssuer(VIEWER_TOKEN_ISSUER)
        .setAudience(projectId)
        .setSubject(userId)
        .setIssuedAt(signTime)
        .setExpirationTime(expireTime)
        .sign(key);
    },

    async verify(token, time) {
      const issuer = readIssuer(token);
      if (issuer !== VIEWER_TOKEN_ISSUER) {
        throw refuseToken("ISSUER_UNKNOWN", "the token is not one of this service", { issuer });
      }
      try {
        const { payload } = await jwtVerify(
          token,
          async ({ kid }) => {
            const key = kid === undefined ? undefined : await ring.find(kid, time);
            if (key === undefined) throw new errors.JWKSNoMatchingKey();
            return key;
          },
          {
            algorithms: [ALGORITHM],
            currentDate: time,
            requiredClaims: ["sub", "aud", "exp"],
          },
        );
        return toViewer(payload);
      } catch (cause) {
        throw toTokenFault(cause) ?? cause;
      }
    },

    async getKeySet(time) {
      const keys = await ring.list(time);
      return {
        keys: await Promise.all(
          keys.map(async ({ id, key }) => ({
            ...(await exportJWK(key)),
            kid: id,
            alg: ALGORITHM,
            use: "sig",
          })),
        ),
      };
    },
  };
}

function toViewer({ sub, aud }: JWTPayload): Viewer {
  if (typeof sub === "string" && sub !== "" && typeof aud === "string" && aud !== "") {
    return { projectId: aud, userId: sub };
  }
  throw refuseToken("TOKEN_MALFORMED", "the token names no user or no project");
}
