import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { printFolder, readFilePath } from "../domain/content/file-path.ts";
import { Code, DomainError } from "../domain/errors.ts";
import { parsePlaylistAddress } from "../domain/protection/playlist-address.ts";
import { toAddressBlock } from "../network/address-block.ts";
import type { SecretStore } from "../storage/store.ts";

/** The query parameter and the cookie that carry the token of a signed address. */
export const PLAYBACK_TOKEN = "playback_token";

/** What a signed address grants. */
export interface PlaylistGrant {
  /** The project whose video it is. */
  readonly projectId: string;
  /** When it ends; whole seconds. */
  readonly expireTime: Date;
  /** The player's session, at most 128 characters of A-Z a-z 0-9 . _ ~ -. */
  readonly sessionKey: string;
  /** The viewer's address, to bind it to; absent: it may be used from everywhere. */
  readonly address?: string;
}

/** A request for a file that an edge server asks about. */
export interface FileRequest {
  /** The project that the file belongs to, by the edge server's configuration; absent: not named. */
  readonly projectId: string | undefined;
  /** The path as it was sent, without the query. */
  readonly path: string;
  /** The host that was asked, with or without its port; absent: not known, and not checked. */
  readonly host?: string | undefined;
  /** Every token that came along; one that holds is enough. */
  readonly tokens: readonly string[];
  /** The address of the viewer. */
  readonly address: string;
  readonly now: Date;
}

/** Why a file is not to be had; of several tokens the first one's. */
export type FileDenialReason =
  | "PROJECT_MISSING"
  | "TOKEN_MISSING"
  | "SIGNATURE_INVALID"
  | "PROJECT_NOT_ALLOWED"
  | "URL_EXPIRED"
  | "ADDRESS_NOT_BOUND";

/** Whether a file is to be had. */
export type FileVerdict =
  | {
      readonly kind: "allow";
      readonly token: string;
      readonly sessionKey: string;
      /** The path of the folder that the token is for, escaped. */
      readonly folder: string;
      readonly expireTime: Date;
    }
  | { readonly kind: "deny"; readonly reason: FileDenialReason };

/** Signs the addresses of playlists, and checks the requests that come of them. */
export interface PlaylistUrls {
  /**
   * Adds a token to an address, behind the query that it has. The token is for the project, the host
   * and the folder of the playlist with all that lies below, as segments and variants do, whatever
   * the query.
   *
   * FAILED_PRECONDITION `PLAYLIST_URL_INVALID` for an address that `parsePlaylistAddress` refuses.
   */
  sign(url: string, grant: PlaylistGrant): string;
  /** Checks a request without looking anything up. */
  verify(request: FileRequest): FileVerdict;
}

/** Opens the signatures under the installation's key, made the first time and shared by all processes. */
export async function openPlaylistUrls(secrets: SecretStore): Promise<PlaylistUrls> {
  return createPlaylistUrls(await secrets.getOrCreate("playlist_url_key", () => randomBytes(32)));
}

const HOST_BYTES = 9;
const ADDRESS_BYTES = 12;

/**
 * `signature.expire_time.depth.host.address.project.session_key`, where only the last may hold dots.
 * The depth, that of the folder, is never 0; the project's id is in base64url.
 */
const TOKEN =
  /^([\w-]{43})\.((\d{1,12})\.([1-9]\d{0,3})\.([\w-]{12})\.([\w-]{16})?\.([\w-]{1,1024})\.([\w.~-]{1,128}))$/;

/** Creates signatures with HMAC-SHA-256 under a key. */
export function createPlaylistUrls(key: Uint8Array): PlaylistUrls {
  const sign = (...content: readonly unknown[]) =>
    createHmac("sha256", key).update(JSON.stringify(content)).digest();
  const signHost = (host: string) =>
    sign("host", host).subarray(0, HOST_BYTES).toString("base64url");
  const signAddress = (address: string) =>
    sign("address", toAddressBlock(address) ?? address)
      .subarray(0, ADDRESS_BYTES)
      .toString("base64url");
  const signFolder = (claims: string, folder: readonly string[]) =>
    sign("folder", claims, folder).toString("base64url");

  function check(
    token: string,
    request: FileRequest,
    projectId: string,
    path: readonly string[],
  ): FileVerdict {
    const [
      ,
      signature = "",
      claims = "",
      end = "",
      depth = "",
      host = "",
      bound,
      project,
      sessionKey = "",
    ] = TOKEN.exec(token) ?? [];
    const folder = path.slice(0, -1).slice(0, Number(depth));
    const isGenuine =
      folder.length === Number(depth) &&
      isSame(signature, signFolder(claims, folder)) &&
      (request.host === undefined || isSame(host, signHost(toHostName(request.host))));
    if (!isGenuine) return { kind: "deny", reason: "SIGNATURE_INVALID" };
    if (project !== encodeProject(projectId))
      return { kind: "deny", reason: "PROJECT_NOT_ALLOWED" };
    const expireTime = new Date(Number(end) * 1_000);
    if (request.now >= expireTime) return { kind: "deny", reason: "URL_EXPIRED" };
    if (bound !== undefined && !isSame(bound, signAddress(request.address))) {
      return { kind: "deny", reason: "ADDRESS_NOT_BOUND" };
    }
    return { kind: "allow", token, sessionKey, folder: printFolder(folder), expireTime };
  }

  return {
    sign(text, { projectId, expireTime, sessionKey, address }) {
      const playlist = parsePlaylistAddress(text);
      if (playlist.kind === "invalid") throw invalidUrl(playlist.fault);
      const { url, folder } = playlist;
      const claims = [
        Math.floor(expireTime.getTime() / 1_000),
        folder.length,
        signHost(toHostName(url.hostname)),
        address === undefined ? "" : signAddress(address),
        encodeProject(projectId),
        sessionKey,
      ].join(".");
      const token = `${signFolder(claims, folder)}.${claims}`;
      url.search = `${url.search === "" ? "" : `${url.search}&`}${PLAYBACK_TOKEN}=${token}`;
      return url.href;
    },

    verify(request) {
      const { projectId = "" } = request;
      if (projectId === "") return { kind: "deny", reason: "PROJECT_MISSING" };
      if (request.tokens.length === 0) return { kind: "deny", reason: "TOKEN_MISSING" };
      const path = readFilePath(request.path);
      if (path === undefined) return { kind: "deny", reason: "SIGNATURE_INVALID" };
      const verdicts = request.tokens.map((token) => check(token, request, projectId, path));
      return verdicts.find(({ kind }) => kind === "allow") ?? (verdicts[0] as FileVerdict);
    },
  };
}

function isSame(got: string, want: string): boolean {
  return got.length === want.length && timingSafeEqual(Buffer.from(got), Buffer.from(want));
}

/** A host with the dot of the root behind it is the same host. */
function toHostName(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, "").replace(/\.$/, "");
}

function encodeProject(projectId: string): string {
  return Buffer.from(projectId).toString("base64url");
}

function invalidUrl(fault: string): DomainError {
  return new DomainError(
    Code.FAILED_PRECONDITION,
    "PLAYLIST_URL_INVALID",
    `the video's playlist_url cannot be signed: ${fault}`,
  );
}
