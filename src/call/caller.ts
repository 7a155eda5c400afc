import { type ContextValues, createContextKey } from "@connectrpc/connect";
import type { Viewer } from "../auth/viewer-token.ts";
import type { ResourceRef } from "../domain/access/permissions.ts";
import type { Account, ProjectKey } from "../storage/store.ts";

/**
 * Who calls: an account with an access token, or a website or app with a project's key. In the place
 * of a public key there may be the token of a viewer.
 */
export type Caller =
  | {
      readonly kind: "account";
      readonly account: Account;
      /** Made of the access token, and so known to nobody who does not have it. */
      readonly sealingKey: Uint8Array;
    }
  | { readonly kind: "project"; readonly key: ProjectKey; readonly viewer?: Viewer };

/** What is known of a request before its message is read. */
export interface RequestInfo {
  readonly requestId: string;
  /** The one time of the request. */
  readonly now: Date;
  /** The client's address: IPv4, or IPv6 in its shortest form; empty if the client has left. */
  readonly address: string;
  /** Whether headers in which a proxy tells a viewer's place are believed. */
  readonly trustsHeaders: boolean;
}

const UNSET = Symbol("unset");

/** The caller, set by the credentials check. */
export const callerKey = createContextKey<Caller | typeof UNSET>(UNSET);

/** What is known of the request, set by the HTTP layer. */
export const requestKey = createContextKey<RequestInfo | typeof UNSET>(UNSET);

/** How far a call got; the error interceptor sets `reached` when it starts. */
export const progressKey = createContextKey<{ reached: boolean }>({ reached: false });

/** The resource that a call's permission was checked on; the first, if there are several. */
export const resourceKey = createContextKey<ResourceRef | undefined>(undefined);

/** The projects that a list without a project id may show, set by the permission check. */
export const projectIdsKey = createContextKey<readonly string[] | typeof UNSET>(UNSET);

/** Finds who calls; `undefined` where nobody has to say. */
export function findCaller(values: ContextValues): Caller | undefined {
  const caller = values.get(callerKey);
  return caller === UNSET ? undefined : caller;
}

/** Gets the calling account; only methods for accounts may ask. */
export function getAccount(values: ContextValues): Account {
  const caller = findCaller(values);
  if (caller?.kind !== "account") throw new Error("no account calls");
  return caller.account;
}

/** Gets the key that answers to the calling account are sealed with; only methods for accounts may ask. */
export function getSealingKey(values: ContextValues): Uint8Array {
  const caller = findCaller(values);
  if (caller?.kind !== "account") throw new Error("no account calls");
  return caller.sealingKey;
}

/** Gets the calling project's key; only methods for projects may ask. */
export function getProjectKey(values: ContextValues): ProjectKey {
  const caller = findCaller(values);
  if (caller?.kind !== "project") throw new Error("no project calls");
  return caller.key;
}

/** Finds the viewer whose token calls in the place of a public key. */
export function findCallingViewer(values: ContextValues): Viewer | undefined {
  const caller = findCaller(values);
  return caller?.kind === "project" ? caller.viewer : undefined;
}

/** Gets what is known of the request. */
export function getRequest(values: ContextValues): RequestInfo {
  const request = values.get(requestKey);
  if (request === UNSET) throw new Error("the request is not known");
  return request;
}

/** Gets the projects that a list covers; only methods that cover all projects may ask. */
export function getProjectIds(values: ContextValues): readonly string[] {
  const projectIds = values.get(projectIdsKey);
  if (projectIds === UNSET) throw new Error("the projects are not known");
  return projectIds;
}
