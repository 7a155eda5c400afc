import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { toAddressBlock } from "../addresses/address-block.ts";
import { Code, DomainError } from "../domain/errors.ts";
import type { SecretStore } from "../storage/store.ts";
import { printFolder, readFilePath } from "./file-path.ts";

/** The query parameter and the cookie that carry the token of a signed address. */
export const PLAYBACK_TOKEN = "playback_token";

/** What a signed address grants. */
export interface PlaylistGrant {
  /** When it ends; whole seconds. */
  readonly expireTime: Date;
  /** The player's session, at most 128 characters of A-Z a-z 0-9 . _ ~ -. */
  readonly sessionKey: string;
  /** The viewer's address, to bind it to; absent: it may be used from everywhere. */
  readonly address?: string;
}

/** A request for a file that an edge server asks about. */
export interface FileRequest {
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
  | "TOKEN_MISSING"
  | "SIGNATURE_INVALID"
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
   * Adds a token to an address, behind the query that it has. The token is for the host and the
   * folder of the playlist with all that lies below, as segments and variants do, whatever the query.
   *
   * FAILED_PRECONDITION `PLAYLIST_URL_INVALID` unless the address is absolute, of http or https, and
   * its path is one that every server reads the same way.
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

/** `signature.expire_time.depth.host.address.session_key`, where only the last may hold dots. */
const TOKEN = /^([\w-]{43})\.((\d{1,12})\.(\d{1,4})\.([\w-]{12})\.([\w-]{16})?\.([\w.~-]{1,128}))$/;

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

  function check(token: string, request: FileRequest, path: readonly string[]): FileVerdict {
    const [, signature = "", claims = "", end = "", depth = "", host = "", bound, sessionKey = ""] =
      TOKEN.exec(token) ?? [];
    const folder = path.slice(0, -1).slice(0, Number(depth));
    const isGenuine =
      folder.length === Number(depth) &&
      isSame(signature, signFolder(claims, folder)) &&
      (request.host === undefined || isSame(host, signHost(toHostName(request.host))));
    if (!isGenuine) return { kind: "deny", reason: "SIGNATURE_INVALID" };
    const expireTime = new Date(Number(end) * 1_000);
    if (request.now >= expireTime) return { kind: "deny", reason: "URL_EXPIRED" };
    if (bound !== undefined && !isSame(bound, signAddress(request.address))) {
      return { kind: "deny", reason: "ADDRESS_NOT_BOUND" };
    }
    return { kind: "allow", token, sessionKey, folder: printFolder(folder), expireTime };
  }

  return {
    sign(text, { expireTime, sessionKey, address }) {
      const url = URL.parse(text);
      const isWeb = url?.protocol === "http:" || url?.protocol === "https:";
      const path = url === null || !isWeb ? undefined : readFilePath(url.pathname);
      if (url === null || path === undefined) throw invalidUrl();
      const folder = path.slice(0, -1);
      const claims = [
        Math.floor(expireTime.getTime() / 1_000),
        folder.length,
        signHost(url.hostname),
        address === undefined ? "" : signAddress(address),
        sessionKey,
      ].join(".");
      const token = `${signFolder(claims, folder)}.${claims}`;
      url.search = `${url.search === "" ? "" : `${url.search}&`}${PLAYBACK_TOKEN}=${token}`;
      return url.href;
    },

    verify(request) {
      if (request.tokens.length === 0) return { kind: "deny", reason: "TOKEN_MISSING" };
      const path = readFilePath(request.path);
      if (path === undefined) return { kind: "deny", reason: "SIGNATURE_INVALID" };
      const verdicts = request.tokens.map((token) => check(token, request, path));
      return verdicts.find(({ kind }) => kind === "allow") ?? (verdicts[0] as FileVerdict);
    },
  };
}

function isSame(got: string, want: string): boolean {
  return got.length === want.length && timingSafeEqual(Buffer.from(got), Buffer.from(want));
}

function toHostName(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, "");
}

function invalidUrl(): DomainError {
  return new DomainError(
    Code.FAILED_PRECONDITION,
    "PLAYLIST_URL_INVALID",
    "the video has no playlist at an absolute http or https address with a plain path",
  );
}
