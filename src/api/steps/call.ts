import type { Message } from "@bufbuild/protobuf";
import { type ContextValues, createContextKey, createContextValues } from "@connectrpc/connect";
import type { ViewerIdentity } from "../../auth/viewer-token.ts";
import type { Binding, ResourceRef } from "../../domain/access/permissions.ts";
import type { ResourceName } from "../../domain/messages/references.ts";
import type { ContentChange } from "../../domain/webhooks/content-change.ts";
import type { WorkBudget } from "../../domain/work-budget.ts";
import type { Account, OrganizationStore, ProjectKey, Store } from "../../storage/store.ts";

/** The context of one call: each part is set by the step that determines it. */
export interface CallContext {
  /** The facts of the request; set when the call is opened. */
  request: RequestInfo;
  /** The limits that handlers set on caching the answer; created when the call is opened. */
  freshness: Freshness;
  /** The headers that say who may keep the answer; set by the cache control of a successful call. */
  caching: Readonly<Record<string, string>>;
  /** The caller; set by `authenticate`. */
  caller: Caller;
  /** True once the chain is entered; an earlier error is the library's own. */
  isEntered: boolean;
  /** The bindings of the calling account, read once, before any write of the call; set by `authorize`. */
  held: readonly Binding[];
  /** The resource on which the permission was checked, the first of several; set by `authorize`. */
  resource: ResourceRef;
  /** The projects that a list without a project id covers; set by `authorize`. */
  projectIds: readonly string[];
  /** The budget of all reads for the answer; set by the work interceptor. */
  budget: WorkBudget;
  /** The store of a management call, for a write its transaction; set by the unit of work. */
  store: CallStore;
  /** The resource that was written, if other than `resource`; set by handlers. */
  changed: ResourceName;
  /** The changes of content that webhooks announce; set by handlers. */
  contentChanges: readonly ContentChange[];
  /** Functions called when the writes of the call are committed; set by handlers. */
  effects: (() => void)[];
  /** The first answer to a repeated call, returned instead of the handler's; set by the unit of work. */
  repeated: RepeatedAnswer;
}

/** The facts of a request that are known before its message is read. */
export interface RequestInfo {
  readonly requestId: string;
  /** The time of the request, the same for all of its steps. */
  readonly now: Date;
  /** The client's address: IPv4, or IPv6 in its shortest form; empty if the client has disconnected. */
  readonly address: string;
  /** True if the proxy headers that locate a viewer are trusted. */
  readonly trustsHeaders: boolean;
}

/**
 * An account with an access token, or a website or app with a project's key. A viewer token may stand
 * in for a public key.
 */
export type Caller =
  | {
      readonly kind: "account";
      readonly account: Account;
      /** Derived from the access token, so that only its holder can decrypt the answers stored for it. */
      readonly answerKey: Uint8Array;
    }
  | { readonly kind: "project"; readonly key: ProjectKey; readonly viewer?: ViewerIdentity };

/**
 * Returns the name under which the calls of a caller are counted together: all keys and viewers of one project, or
 * one account.
 */
export function callerKeyOf(caller: Caller): string {
  // Account ids are unique only in an organization; no id contains a space.
  return caller.kind === "account"
    ? `account ${caller.account.organizationId} ${caller.account.id}`
    : `project ${caller.key.projectId}`;
}

/** The limits on caching an answer. */
export interface Freshness {
  /** The longest time that the answer may be served, in seconds; absent: until its project changes. */
  seconds?: number;
  /** True if the answer depends on the viewer, so that no cache may keep it. */
  isPersonal: boolean;
  /** The keys of everything the answer was made from, unencoded, each once. */
  readonly resources: Set<string>;
}

/** The answer to an earlier call with the same `request_id`. */
export interface RepeatedAnswer {
  readonly message: Message;
  /** Names and values. */
  readonly headers: readonly (readonly [string, string])[];
}

const CONTEXT = createContextKey<Partial<CallContext> | undefined>(undefined);

/** Opens the context of a call, as the context values that steps and handlers receive. */
export function openCall(request: RequestInfo): ContextValues {
  const freshness = { isPersonal: false, resources: new Set<string>() };
  return createContextValues().set(CONTEXT, { request, freshness });
}

/** Sets a part of a call's context. */
export function setPart<Part extends keyof CallContext>(
  values: ContextValues,
  part: Part,
  value: CallContext[Part],
): void {
  const context = values.get(CONTEXT);
  if (context === undefined) throw new Error(`'${part}' is set before the call is opened`);
  context[part] = value;
}

/** Returns a part of a call's context; undefined if the call does not have it. */
export function findPart<Part extends keyof CallContext>(
  values: ContextValues,
  part: Part,
): CallContext[Part] | undefined {
  return values.get(CONTEXT)?.[part];
}

/** Returns a part of a call's context; a part that is not set yet is a programming error. */
export function getPart<Part extends keyof CallContext>(
  values: ContextValues,
  part: Part,
): CallContext[Part] {
  const value = findPart(values, part);
  if (value === undefined) throw new Error(`'${part}' is read before a step has set it`);
  return value;
}

/** Returns the facts of the request. */
export function getRequest(values: ContextValues): RequestInfo {
  return getPart(values, "request");
}

/** Returns the calling account; for methods that only accounts may call. */
export function getAccount(values: ContextValues): Account {
  return getAccountCaller(values).account;
}

/**
 * Returns the bindings that the calling account had when the call was authorized. Every check of what a caller
 * may give takes them from here: read again after a write, they would hold what the call itself has given.
 */
export function getHeld(values: ContextValues): readonly Binding[] {
  return getPart(values, "held");
}

/** Returns the key that encrypts the stored answers of the calling account. */
export function getAnswerKey(values: ContextValues): Uint8Array {
  return getAccountCaller(values).answerKey;
}

/** Returns the project key of the caller; for methods that only projects may call. */
export function getProjectKey(values: ContextValues): ProjectKey {
  const caller = getPart(values, "caller");
  if (caller.kind !== "project") throw new Error("the caller is no project");
  return caller.key;
}

/** Returns the projects that a list covers; for methods that may cover all projects. */
export function getProjectIds(values: ContextValues): readonly string[] {
  return getPart(values, "projectIds");
}

/** Returns the budget of all reads for the answer. */
export function getWorkBudget(values: ContextValues): WorkBudget {
  return getPart(values, "budget");
}

/** A store narrowed to the organization of a call, in which its resources are looked up. */
export type CallStore = OrganizationStore & Store;

/** Narrows a store to the organization of a call. */
export function toCallStore(store: Store, organizationId: string): CallStore {
  // Not a copy: a store creates its parts on first use.
  return Object.assign(Object.create(store) as Store, store.in(organizationId));
}

/** Returns the organization of a management call: that of the resource it names, else that of its account. */
export function getOrganizationId(values: ContextValues): string {
  return findPart(values, "resource")?.organizationId || getAccount(values).organizationId;
}

/** Returns the store of a management call, for a write its transaction. */
export function getStore(values: ContextValues): CallStore {
  return getPart(values, "store");
}

/** Calls a function after the writes of a call are committed; never if they are rolled back. */
export function afterCommit(values: ContextValues, effect: () => void): void {
  setPart(values, "effects", [...(findPart(values, "effects") ?? []), effect]);
}

/** Sets the resource that a call has written, for its audit entry. */
export function noteChange(values: ContextValues, resource: ResourceName): void {
  setPart(values, "changed", resource);
}

/** Notes a change of content, for the webhooks of its project. */
export function noteContentChange(values: ContextValues, change: ContentChange): void {
  setPart(values, "contentChanges", [...(findPart(values, "contentChanges") ?? []), change]);
}

function getAccountCaller(values: ContextValues) {
  const caller = getPart(values, "caller");
  if (caller.kind !== "account") throw new Error("the caller is no account");
  return caller;
}
