import type { JSONWebKeySet, JWTPayload } from "jose";
import { notFound } from "../domain/base/errors.ts";
import type { Store } from "../storage/contract/store.ts";
import { loadJose, readIssuer, rejectToken, toTokenError } from "./jwt.ts";
import { createViewerTokenKey, ViewerKeyRing, type ViewerKeySource } from "./viewer-token-key.ts";

/** The user of a project that a viewer token identifies. */
export interface ViewerIdentity {
  readonly projectId: string;
  readonly userId: string;
}

/** The user of a project that a valid viewer token identifies, and the end of the token. */
export interface VerifiedViewer extends ViewerIdentity {
  readonly expireTime: Date;
}

/** Signs and verifies viewer tokens. */
export interface ViewerTokens {
  /**
   * Signs a JWT (ES256) with the project as audience and the user as subject; `project_uid` binds it to the project
   * that has the id now. It must not outlive `VIEWER_TOKEN_LIFETIME`, because the key may be deleted then. NOT_FOUND if
   * the project does not exist.
   */
  sign(viewer: ViewerIdentity, now: Date, expireTime: Date): Promise<string>;
  /**
   * Verifies a token of this service, without tolerance for clock skew. UNAUTHENTICATED `TOKEN_MALFORMED`,
   * `ISSUER_UNKNOWN`, `SIGNATURE_INVALID`, `TOKEN_EXPIRED`, or `AUDIENCE_NOT_ALLOWED` if its project was deleted, even
   * if another one has its id now. The caller compares the project with the project of the call.
   */
  verify(token: string, now: Date): Promise<VerifiedViewer>;
  /** Returns the public keys that verify tokens, the signing key first. */
  getKeySet(now: Date): Promise<JSONWebKeySet>;
}

const ALGORITHM = "ES256";

/** The claim that distinguishes a project from earlier and later ones with the same id. */
const PROJECT_UID = "project_uid";

/** The claims of a token. */
interface Claims extends VerifiedViewer {
  /** Empty in a token without the claim. */
  readonly projectUid: string;
}

/** The `iss` of every viewer token. */
export const VIEWER_TOKEN_ISSUER = "marquee";

/** The stores of keys and projects that viewer tokens depend on. */
export interface ViewerTokenSource extends ViewerKeySource {
  readonly access: Pick<Store["access"], "findProjectUid">;
}

/**
 * Opens the viewer tokens of the installation and creates its first key if needed. After a rotation, every
 * process on the database signs with the new key within a second.
 */
export async function openViewerTokens(
  source: ViewerTokenSource,
  now: Date,
): Promise<ViewerTokens> {
  await source.viewerTokenKeys.begin(() => createViewerTokenKey(now));
  const ring = new ViewerKeyRing(source);
  const { access } = source;
  async function readToken(token: string, time: Date): Promise<Claims> {
    const { errors, jwtVerify } = await loadJose();
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
      return toClaims(payload);
    } catch (cause) {
      throw (await toTokenError(cause)) ?? cause;
    }
  }

  return {
    async sign({ projectId, userId }, signTime, expireTime) {
      const uid = await access.findProjectUid(projectId);
      if (uid === undefined) throw notFound("project", projectId);
      const { id, key } = await ring.getSigning();
      const { SignJWT } = await loadJose();
      return new SignJWT({ [PROJECT_UID]: uid })
        .setProtectedHeader({ alg: ALGORITHM, kid: id, typ: "JWT" })
        .setIssuer(VIEWER_TOKEN_ISSUER)
        .setAudience(projectId)
        .setSubject(userId)
        .setIssuedAt(signTime)
        .setExpirationTime(expireTime)
        .sign(key);
    },

    async verify(token, time) {
      const issuer = await readIssuer(token);
      if (issuer !== VIEWER_TOKEN_ISSUER) {
        throw rejectToken("ISSUER_UNKNOWN", "the token was not issued by this service", { issuer });
      }
      const { projectUid, ...viewer } = await readToken(token, time);
      if (projectUid === (await access.findProjectUid(viewer.projectId))) return viewer;
      throw rejectToken("AUDIENCE_NOT_ALLOWED", "the token's project does not exist");
    },

    async getKeySet(time) {
      const keys = await ring.list(time);
      const { exportJWK } = await loadJose();
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

function toClaims({ sub, aud, exp = 0, [PROJECT_UID]: uid }: JWTPayload): Claims {
  if (typeof sub !== "string" || sub === "" || typeof aud !== "string" || aud === "") {
    throw rejectToken("TOKEN_MALFORMED", "the token has no subject or no audience");
  }
  const projectUid = typeof uid === "string" ? uid : "";
  return { projectId: aud, userId: sub, expireTime: new Date(exp * 1_000), projectUid };
}
