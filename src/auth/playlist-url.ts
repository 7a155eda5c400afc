import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { Code, DomainError } from "../domain/base/errors.ts";
import { parsePlaylistUrl, printFolder, readFilePath } from "../domain/content/video.ts";
import { toAddressBlock } from "../network/ip-address.ts";
import type { Store } from "../storage/contract/store.ts";

/** The name of the query parameter and of the cookie with the token of a signed URL. */
export const PLAYBACK_TOKEN = "playback_token";

/** The claims of a signed URL. */
export interface PlaylistGrant {
  /** The project of the video. */
  readonly projectId: string;
  /** Expiry, in whole seconds. */
  readonly expireTime: Date;
  /** The player's session, at most 128 characters of A-Z a-z 0-9 . _ ~ -. */
  readonly sessionKey: string;
  /** The IP address to bind it to; absent: valid from any IP address. */
  readonly address?: string;
}

/** A request for a file that an edge server wants to verify. */
export interface FileRequest {
  /** The project of the file, from the edge server's configuration; undefined: not given. */
  readonly projectId: string | undefined;
  /** The path as sent, without the query. */
  readonly path: string;
  /** The requested host, with or without its port; absent: unknown and not checked. */
  readonly host?: string | undefined;
  /** All tokens sent; one valid token suffices. */
  readonly tokens: readonly string[];
  /** The IP address of the viewer. */
  readonly address: string;
  readonly now: Date;
}

/** The reason of a denial; with several tokens, the reason for the first one. */
export type FileDenialReason =
  | "PROJECT_MISSING"
  | "TOKEN_MISSING"
  | "SIGNATURE_INVALID"
  | "PROJECT_NOT_ALLOWED"
  | "URL_EXPIRED"
  | "ADDRESS_NOT_BOUND";

/** The decision about a request for a file. */
export type FileVerdict =
  | {
      readonly kind: "allow";
      readonly token: string;
      readonly sessionKey: string;
      /** The percent-encoded path of the folder that the token grants. */
      readonly folder: string;
      readonly expireTime: Date;
    }
  | { readonly kind: "deny"; readonly reason: FileDenialReason };

/** Opens the signer with the installation's key, which is created on first use and shared by all processes. */
export async function openPlaylistUrls(secrets: Store["secrets"]): Promise<PlaylistUrls> {
  return new PlaylistUrls(await secrets.getOrCreate("playlist_url_key", () => randomBytes(32)));
}

const HOST_BYTES = 9;
const ADDRESS_BYTES = 12;

/**
 * `signature.expire_time.depth.host.address.project.session_key`, where only the last may contain dots. The depth is
 * the folder's and never 0; the project's id is in base64url.
 */
const TOKEN =
  /^([\w-]{43})\.((\d{1,12})\.([1-9]\d{0,3})\.([\w-]{12})\.([\w-]{16})?\.([\w-]{1,1024})\.([\w.~-]{1,128}))$/;

/** Signs the URLs of playlists with HMAC-SHA-256, and verifies requests for the files below them. */
export class PlaylistUrls {
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  /**
   * Appends a token to the query of a URL. The token grants the project, the host and the playlist's folder
   * with everything below it, such as segments and variants, for any query.
   *
   * FAILED_PRECONDITION `PLAYLIST_URL_INVALID` for a URL that `parsePlaylistUrl` rejects.
   */
  sign(text: string, { projectId, expireTime, sessionKey, address }: PlaylistGrant): string {
    const playlist = parsePlaylistUrl(text);
    if (playlist.kind === "invalid") {
      const message = `the video's playlist_url cannot be signed: ${playlist.error}`;
      throw new DomainError(Code.FAILED_PRECONDITION, "PLAYLIST_URL_INVALID", message);
    }
    const { url, folder } = playlist;
    const claims = [
      Math.floor(expireTime.getTime() / 1_000),
      folder.length,
      this.#signHost(url.hostname),
      address === undefined ? "" : this.#signAddress(address),
      encodeProject(projectId),
      sessionKey,
    ].join(".");
    const token = `${this.#signFolder(claims, folder)}.${claims}`;
    url.search = `${url.search === "" ? "" : `${url.search}&`}${PLAYBACK_TOKEN}=${token}`;
    return url.href;
  }

  /** Verifies a request without a lookup. */
  verify(request: FileRequest): FileVerdict {
    const { projectId = "" } = request;
    if (projectId === "") return { kind: "deny", reason: "PROJECT_MISSING" };
    if (request.tokens.length === 0) return { kind: "deny", reason: "TOKEN_MISSING" };
    const path = readFilePath(request.path);
    if (path === undefined) return { kind: "deny", reason: "SIGNATURE_INVALID" };
    const verdicts = request.tokens.map((token) => this.#check(token, request, projectId, path));
    return verdicts.find(({ kind }) => kind === "allow") ?? (verdicts[0] as FileVerdict);
  }

  #check(
    token: string,
    { host: requested, address, now }: FileRequest,
    projectId: string,
    path: readonly string[],
  ): FileVerdict {
    const [, signature = "", claims = "", ...parts] = TOKEN.exec(token) ?? [];
    const [end = "", depth = "", host = "", bound, project, sessionKey = ""] = parts;
    const folder = path.slice(0, -1).slice(0, Number(depth));
    const isGenuine =
      folder.length === Number(depth) &&
      isSame(signature, this.#signFolder(claims, folder)) &&
      (requested === undefined || isSame(host, this.#signHost(requested)));
    if (!isGenuine) return { kind: "deny", reason: "SIGNATURE_INVALID" };
    if (project !== encodeProject(projectId))
      return { kind: "deny", reason: "PROJECT_NOT_ALLOWED" };
    const expireTime = new Date(Number(end) * 1_000);
    if (now >= expireTime) return { kind: "deny", reason: "URL_EXPIRED" };
    if (bound !== undefined && !isSame(bound, this.#signAddress(address))) {
      return { kind: "deny", reason: "ADDRESS_NOT_BOUND" };
    }
    return { kind: "allow", token, sessionKey, folder: printFolder(folder), expireTime };
  }

  #sign(...content: readonly unknown[]): Buffer {
    return createHmac("sha256", this.#key).update(JSON.stringify(content)).digest();
  }

  /** Signs a host in lower case, without port and trailing dot. */
  #signHost(host: string): string {
    const name = host.toLowerCase().replace(/:\d*$/, "").replace(/\.$/, "");
    return this.#sign("host", name).subarray(0, HOST_BYTES).toString("base64url");
  }

  #signAddress(address: string): string {
    const signature = this.#sign("address", toAddressBlock(address) ?? address);
    return signature.subarray(0, ADDRESS_BYTES).toString("base64url");
  }

  #signFolder(claims: string, folder: readonly string[]): string {
    return this.#sign("folder", claims, folder).toString("base64url");
  }
}

function isSame(got: string, want: string): boolean {
  return got.length === want.length && timingSafeEqual(Buffer.from(got), Buffer.from(want));
}

function encodeProject(projectId: string): string {
  return Buffer.from(projectId).toString("base64url");
}
