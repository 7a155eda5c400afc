import type { DescMethod } from "@bufbuild/protobuf";
import type { VerifiedViewer } from "../../auth/viewer-token.ts";
import type { Account, ProjectKey } from "../../storage/contract/access.ts";

/** The facts of a request that are known before its message is read. */
export interface RequestInfo {
  readonly requestId: string;
  /** The time of the request, the same for all of its steps. */
  readonly now: Date;
  /** The client's IP address: IPv4, or IPv6 in its shortest form; empty if the client has disconnected. */
  readonly address: string;
  /** True if the proxy headers that locate a viewer are trusted. */
  readonly trustsHeaders: boolean;
}

/** Request headers by their names in lower case. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A call of a method as a protocol receives it, with the headers of its response. */
export interface IncomingCall {
  readonly method: DescMethod;
  readonly request: RequestInfo;
  readonly headers: RequestHeaders;
  /** Aborted when the client no longer waits for the response. */
  readonly signal: AbortSignal;
  /** The headers that handlers set, by their names in lower case; errors carry them, too. */
  readonly responseHeaders: Record<string, string>;
  /** The trailers that handlers set, by their names in lower case. */
  readonly responseTrailers: Record<string, string>;
}

/** Returns the value of a request header, its values separated by commas; undefined if it was not sent. */
export function readHeader(headers: RequestHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "object" ? value.join(", ") : value;
}

/** An account with an access token. */
export interface AccountCaller {
  readonly kind: "account";
  readonly account: Account;
  /** True for the session of a browser: no cache may store the response. Absent: false. */
  readonly isSession?: boolean;
  /** Derived from the access token, so that only its holder can decrypt the responses stored for it. */
  readonly responseKey: Uint8Array;
}

/** A website or app with a project's key. A viewer token may replace a public key. */
export interface ProjectCaller {
  readonly kind: "project";
  readonly key: ProjectKey;
  readonly viewer?: VerifiedViewer;
}

/** The caller of a method. */
export type Caller = AccountCaller | ProjectCaller;

/** Returns the organization of a caller. */
export function organizationOf(caller: Caller): string {
  return (caller.kind === "account" ? caller.account : caller.key).organizationId;
}

/** Returns the name of a caller's counter of calls: one for all keys and viewers of a project, one for each account. */
export function callerKeyOf(caller: Caller): string {
  // Account ids are unique only in an organization; no id contains a space.
  return caller.kind === "account"
    ? `account ${caller.account.organizationId} ${caller.account.id}`
    : `project ${caller.key.projectId}`;
}
