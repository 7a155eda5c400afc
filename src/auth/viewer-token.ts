import type { JSONWebKeySet, JWTHeaderParameters } from "jose";
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

const ALGORITHM = "ES256";

/** The claim that distinguishes a project from earlier and later ones with the same id. */
const PROJECT_UID = "project_uid";

/** The `iss` of every viewer token. */
export const VIEWER_TOKEN_ISSUER = "marquee";

/** The stores of keys and projects that viewer tokens depend on. */
type ViewerTokenSource = ViewerKeySource & {
  readonly access: Pick<Store["access"], "findProjectUid">;
};

/**
 * Opens the viewer tokens of the installation and creates its first key if needed. After a rotation, every
 * process on the database signs with the new key within a second.
 */
export async function openViewerTokens(
  source: ViewerTokenSource,
  now: Date,
): Promise<ViewerTokens> {
  await source.viewerTokenKeys.begin(() => createViewerTokenKey(now));
  return new ViewerTokens(source);
}

/** Signs and verifies viewer tokens. */
export class ViewerTokens {
  readonly #ring: ViewerKeyRing;
  readonly #access: ViewerTokenSource["access"];

  constructor(source: ViewerTokenSource) {
    this.#ring = new ViewerKeyRing(source);
    this.#access = source.access;
  }

  /**
   * Signs a JWT (ES256) with the project as audience and the user as subject; `project_uid` binds it to the project
   * that has the id now. It must not outlive `VIEWER_TOKEN_LIFETIME`, because the key may be deleted then. NOT_FOUND if
   * the project does not exist.
   */
  async sign({ projectId, userId }: ViewerIdentity, now: Date, expireTime: Date): Promise<string> {
    const uid = await this.#access.findProjectUid(projectId);
    if (uid === undefined) throw notFound("project", projectId);
    const { id, key } = await this.#ring.getSigning();
    const { SignJWT } = await loadJose();
    return new SignJWT({ [PROJECT_UID]: uid })
      .setProtectedHeader({ alg: ALGORITHM, kid: id, typ: "JWT" })
      .setIssuer(VIEWER_TOKEN_ISSUER)
      .setAudience(projectId)
      .setSubject(userId)
      .setIssuedAt(now)
      .setExpirationTime(expireTime)
      .sign(key);
  }

  /**
   * Verifies a token of this service, without tolerance for clock skew. UNAUTHENTICATED `TOKEN_MALFORMED`,
   * `ISSUER_UNKNOWN`, `SIGNATURE_INVALID`, `TOKEN_EXPIRED`, or `AUDIENCE_NOT_ALLOWED` if its project was deleted, even
   * if another one has its id now. The caller compares the project with the project of the call.
   */
  async verify(token: string, now: Date): Promise<VerifiedViewer> {
    const issuer = await readIssuer(token);
    if (issuer !== VIEWER_TOKEN_ISSUER) {
      const message =
        "the token was not issued by this service; exchange an identity token by ExchangeToken";
      throw rejectToken("ISSUER_UNKNOWN", message, { issuer });
    }
    const { projectUid, ...viewer } = await this.#read(token, now);
    if (projectUid === (await this.#access.findProjectUid(viewer.projectId))) return viewer;
    throw rejectToken("AUDIENCE_NOT_ALLOWED", "the token's project does not exist");
  }

  /** Returns the public keys that verify tokens, the signing key first. */
  async getKeySet(now: Date): Promise<JSONWebKeySet> {
    const keys = await this.#ring.list(now);
    const { exportJWK } = await loadJose();
    const toJwk = async ({ id, key }: (typeof keys)[number]) => ({
      ...(await exportJWK(key)),
      kid: id,
      alg: ALGORITHM,
      use: "sig",
    });
    return { keys: await Promise.all(keys.map(toJwk)) };
  }

  /** Verifies the signature and the time of a token, and reads its claims; `projectUid` is empty without the claim. */
  async #read(token: string, now: Date): Promise<VerifiedViewer & { readonly projectUid: string }> {
    const { errors, jwtVerify } = await loadJose();
    const findKey = async ({ kid }: JWTHeaderParameters) => {
      const key = kid === undefined ? undefined : await this.#ring.find(kid, now);
      if (key === undefined) throw new errors.JWKSNoMatchingKey();
      return key;
    };
    const options = {
      algorithms: [ALGORITHM],
      currentDate: now,
      requiredClaims: ["sub", "aud", "exp"],
    };
    try {
      const { payload } = await jwtVerify(token, findKey, options);
      const { sub, aud, exp = 0, [PROJECT_UID]: uid } = payload;
      if (typeof sub !== "string" || sub === "" || typeof aud !== "string" || aud === "") {
        throw rejectToken("TOKEN_MALFORMED", "the token has no subject or no audience");
      }
      const projectUid = typeof uid === "string" ? uid : "";
      return { projectId: aud, userId: sub, expireTime: new Date(exp * 1_000), projectUid };
    } catch (cause) {
      throw (await toTokenError(cause)) ?? cause;
    }
  }
}
