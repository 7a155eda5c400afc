import { errors, exportJWK, type JSONWebKeySet, type JWTPayload, jwtVerify, SignJWT } from "jose";
import { notFound } from "../domain/errors.ts";
import type { AccessStore } from "../storage/store.ts";
import { readIssuer, refuseToken, toTokenFault } from "./jwt.ts";
import { createViewerKeyRing, type ViewerKeySource } from "./viewer-key-ring.ts";
import { beginViewerTokenKeys } from "./viewer-token-key.ts";

/** The user of a project that a viewer token identifies. */
export interface ViewerIdentity {
  readonly projectId: string;
  readonly userId: string;
}

/** Signs viewer tokens and checks them. */
export interface ViewerTokens {
  /**
   * Signs a JWT (ES256) whose audience is the project and whose subject is the user; `project_uid` binds
   * it to the project that has the id now. It must not last longer than `VIEWER_TOKEN_LIFETIME`: the key
   * may be gone then. NOT_FOUND if there is no such project.
   */
  sign(viewer: ViewerIdentity, now: Date, expireTime: Date): Promise<string>;
  /**
   * Checks a token that this service signed. Its time counts to the second, without skew.
   * UNAUTHENTICATED `TOKEN_MALFORMED`, `ISSUER_UNKNOWN`, `SIGNATURE_INVALID`, `TOKEN_EXPIRED`, or
   * `AUDIENCE_NOT_ALLOWED` if its project is gone, be it that another one has its id by now. Whether the
   * project is the one that is called, the caller knows.
   */
  verify(token: string, now: Date): Promise<ViewerIdentity>;
  /** Gets the public keys that tokens are checked with, the one that signs first. */
  getKeySet(now: Date): Promise<JSONWebKeySet>;
}

const ALGORITHM = "ES256";

/** The claim that tells a project from others that had its id before, or take it later. */
const PROJECT_UID = "project_uid";

/** What a token says. */
interface Claims extends ViewerIdentity {
  /** Empty: an earlier release signed it. */
  readonly projectUid: string;
}

/** The `iss` of every viewer token. */
export const VIEWER_TOKEN_ISSUER = "marquee";

/** Where viewer tokens take their keys from, and the projects that they are for. */
export interface ViewerTokenSource extends ViewerKeySource {
  readonly access: Pick<AccessStore, "findProjectUid">;
}

/**
 * Opens the viewer tokens of the installation. Its first key is made the first time; after a rotation
 * every process of the database signs with the new key within a second.
 */
export async function openViewerTokens(
  source: ViewerTokenSource,
  now: Date,
): Promise<ViewerTokens> {
  await beginViewerTokenKeys(source.viewerTokenKeys, now);
  const ring = createViewerKeyRing(source);
  const { access } = source;
  async function readToken(token: string, time: Date): Promise<Claims> {
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
      throw toTokenFault(cause) ?? cause;
    }
  }

  return {
    async sign({ projectId, userId }, signTime, expireTime) {
      const uid = await access.findProjectUid(projectId);
      if (uid === undefined) throw notFound(`project ${projectId}`);
      const { id, key } = await ring.getSigning();
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
      const issuer = readIssuer(token);
      if (issuer !== VIEWER_TOKEN_ISSUER) {
        throw refuseToken("ISSUER_UNKNOWN", "the token is not one of this service", { issuer });
      }
      const { projectUid, ...viewer } = await readToken(token, time);
      // One that an earlier release signed names no uid, and could be of whichever project had the id.
      if (projectUid === (await access.findProjectUid(viewer.projectId))) return viewer;
      throw refuseToken("AUDIENCE_NOT_ALLOWED", "the token is for a project that does not exist");
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

function toClaims({ sub, aud, [PROJECT_UID]: uid }: JWTPayload): Claims {
  if (typeof sub === "string" && sub !== "" && typeof aud === "string" && aud !== "") {
    return { projectId: aud, userId: sub, projectUid: typeof uid === "string" ? uid : "" };
  }
  throw refuseToken("TOKEN_MALFORMED", "the token names no user or no project");
}
