import type { Message } from "@bufbuild/protobuf";
import { type ContextValues, createContextKey, createContextValues } from "@connectrpc/connect";
import type { ViewerIdentity } from "../auth/viewer-token.ts";
import type { ResourceRef } from "../domain/access/permissions.ts";
import type { ResourceName } from "../domain/messages/references.ts";
import type { WorkBudget } from "../domain/work-budget.ts";
import type { Account, OrganizationStore, ProjectKey, Store } from "../storage/store.ts";

/** The context of one call: each part is set by the step that finds it out. */
export interface CallContext {
  /** What is known before the message is read; set when the call is opened. */
  request: RequestInfo;
  /** What handlers say of how the answer may be kept; there when the call is opened. */
  freshness: Freshness;
  /** Who calls; set by `authenticate`. */
  caller: Caller;
  /** True once the chain is entered; before, the library refuses by itself. */
  isEntered: boolean;
  /** The resource that permission was checked on, of several the first; set by `authorize`. */
  resource: ResourceRef;
  /** The projects that a list without a project id may show; set by `authorize`. */
  projectIds: readonly string[];
  /** The budget of everything that is read for the answer; set by the work budget. */
  budget: WorkBudget;
  /** The store of a management call, in a write one transaction; set by the unit of work. */
  store: CallStore;
  /** The resource that was written, where it is not `resource`; set by handlers. */
  changed: ResourceName;
  /** Functions called when the writes of the call are committed; set by handlers. */
  effects: (() => void)[];
  /** The first answer to a repeated call, given instead of the handler's; set by the unit of work. */
  repeated: RepeatedAnswer;
}

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

/**
 * An account with an access token, or a website or app with a project's key. A viewer token may stand
 * in for a public key.
 */
export type Caller =
  | {
      readonly kind: "account";
      readonly account: Account;
      /** Derived from the access token, so that only its holder decrypts the answers kept for it. */
      readonly answerKey: Uint8Array;
    }
  | { readonly kind: "project"; readonly key: ProjectKey; readonly viewer?: ViewerIdentity };

/** How an answer may be kept. */
export interface Freshness {
  /** The longest time, in seconds, that the answer may be shown; absent: until something changes. */
  seconds?: number;
  /** Whether something of the viewer took part: then nobody keeps the answer. */
  isPersonal: boolean;
  /** The keys of what took part, as they were given, each once. */
  readonly resources: Set<string>;
}

/** The answer to an earlier call with the same `request_id`. */
export interface RepeatedAnswer {
  readonly message: Message;
  /** Names and values. */
  readonly headers: readonly (readonly [string, string])[];
}

const CONTEXT = createContextKey<Partial<CallContext> | undefined>(undefined);

/** Opens the context of a call, in the form in which steps and handlers get it. */
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

/** Finds a part of a call's context that not every call has. */
export function findPart<Part extends keyof CallContext>(
  values: ContextValues,
  part: Part,
): CallContext[Part] | undefined {
  return values.get(CONTEXT)?.[part];
}

/** Gets a part of a call's context; that it is not set yet is a programming error. */
export function getPart<Part extends keyof CallContext>(
  values: ContextValues,
  part: Part,
): CallContext[Part] {
  const value = findPart(values, part);
  if (value === undefined) throw new Error(`'${part}' is read before a step has set it`);
  return value;
}

/** Gets what is known of the request. */
export function getRequest(values: ContextValues): RequestInfo {
  return getPart(values, "request");
}

/** Gets the calling account; for methods that only accounts may call. */
export function getAccount(values: ContextValues): Account {
  return getAccountCaller(values).account;
}

/** Gets the key that the calling account's kept answers are encrypted with. */
export function getAnswerKey(values: ContextValues): Uint8Array {
  return getAccountCaller(values).answerKey;
}

/** Gets the calling project's key; for methods that only projects may call. */
export function getProjectKey(values: ContextValues): ProjectKey {
  const caller = getPart(values, "caller");
  if (caller.kind !== "project") throw new Error("the caller is no project");
  return caller.key;
}

/** Gets the projects that a list covers; for methods that may cover all projects. */
export function getProjectIds(values: ContextValues): readonly string[] {
  return getPart(values, "projectIds");
}

/** Gets the budget of everything that is read for the answer. */
export function getWorkBudget(values: ContextValues): WorkBudget {
  return getPart(values, "budget");
}

/** A store, narrowed to the organization that a call is about: resources are looked up in that. */
export type CallStore = OrganizationStore & Store;

/** Narrows a store to the organization of a call. */
export function toCallStore(store: Store, organizationId: string): CallStore {
  // Not a copy: a store makes its parts when they are first asked for.
  return Object.assign(Object.create(store) as Store, store.in(organizationId));
}

/**
 * Gets the organization that a management call is about: that of the resource that it names, else that
 * of its account.
 */
export function getOrganizationId(values: ContextValues): string {
  return findPart(values, "resource")?.organizationId || getAccount(values).organizationId;
}

/** Gets the store of a management call; in a write, its transaction. */
export function getStore(values: ContextValues): CallStore {
  return getPart(values, "store");
}

/** Does something outside the store when the writes of a call are committed; nothing if they are not. */
export function afterCommit(values: ContextValues, effect: () => void): void {
  setPart(values, "effects", [...(findPart(values, "effects") ?? []), effect]);
}

/** Names the resource that a call has written, for its audit entry. */
export function noteChange(values: ContextValues, resource: ResourceName): void {
  setPart(values, "changed", resource);
}

function getAccountCaller(values: ContextValues) {
  const caller = getPart(values, "caller");
  if (caller.kind !== "account") throw new Error("the caller is no account");
  return caller;
}
