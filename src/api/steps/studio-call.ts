import type { Binding, ResourceRef } from "../../domain/access/permissions.ts";
import { readTraceContext, type TraceContext } from "../../domain/actions/run-payload.ts";
import { parseIfMatch, toETag } from "../../domain/base/etag.ts";
import { MOST_WARNINGS, printWarnings, type Warning } from "../../domain/base/warnings.ts";
import type { WorkBudget } from "../../domain/base/work-budget.ts";
import type { ResourceChange } from "../../domain/changes/resource-change.ts";
import type { RequiredReference } from "../../domain/kinds.ts";
import {
  type Reference,
  type ResourceName,
  referenceNotFound,
  warnOfMissing,
} from "../../domain/references.ts";
import type { Account } from "../../storage/contract/access.ts";
import type { DocumentType, Stored } from "../../storage/contract/document-store.ts";
import type { OrganizationStore, Store } from "../../storage/contract/store.ts";
import { type AccountCaller, type IncomingCall, readHeader } from "./incoming-call.ts";
import type { ReleaseFields } from "./request-fields.ts";

/** The maximum number of ids that are looked up at a time. */
const MOST_LOCATED = 1_000;

/** The permissions of an account on the resources that a request names. */
export interface Granted {
  /**
   * The bindings of the calling account, read once, before any write of the call. Every check of what a caller may give
   * uses them: read after a write, they would include what the call itself has given.
   */
  readonly held: readonly Binding[];
  /** The resource whose permission was checked, the first of several; absent if the request names none. */
  readonly resource?: ResourceRef;
  /** The projects that a list covers; absent for a method that does not cover several. */
  readonly projectIds?: readonly string[];
  /** The release that the request reads through or writes into; absent: it is about the current version. */
  readonly draft?: ReleaseFields & { readonly release: ResourceRef };
}

/** A call of the Studio API that is authorized. */
export interface AuthorizedCall extends Granted {
  readonly incoming: IncomingCall;
  readonly caller: AccountCaller;
  /** The budget of all reads for the response. */
  readonly budget: WorkBudget;
}

/** Returns the organization of a call: its resource's, or else its account's. */
export function organizationOf({ resource, caller }: AuthorizedCall): string {
  return resource?.organizationId || caller.account.organizationId;
}

/** A resource that a call has written, for its audit entry. */
export interface ChangedResource extends ResourceName {
  /** The fields that were updated; absent: the fields of the request's update mask. */
  readonly updatedFields?: readonly string[];
}

/** The revision of a resource, which its ETag prints. */
type Revised = Pick<Stored<unknown>, "revision">;

/** The state of a resource that its parent always has, before it is first written. */
export const UNSET: Revised = { revision: 0 };

/** A call of the Studio API whose steps have run, as handlers receive it. */
export class StudioCall {
  /** The calling account. */
  readonly account: Account;
  readonly held: readonly Binding[];
  readonly budget: WorkBudget;
  /** The organization of the resources of the call. */
  readonly organizationId: string;
  /** The store, for a write its transaction. */
  readonly store: Store;
  readonly organization: OrganizationStore;
  /** The id of the audit entry of the first resource that it writes, and of its change in the history. */
  readonly changeId: string;
  /** The resources that the call writes, for an audit entry of each; default: the resource of its permission. */
  changed: ChangedResource[];
  /** The changes of resources that the call has made, for the history and the webhooks of their project. */
  readonly changes: ResourceChange[] = [];
  /** True if each change is one of its own in the history, in the order of `changed`. */
  hasSeparateChanges = false;
  /** True if the call has created runs of actions or webhooks, which are sent once its writes are committed. */
  hasRuns = false;
  readonly #call: AuthorizedCall;
  readonly #warnings: Warning[] = [];

  constructor(call: AuthorizedCall, store: Store, changeId = "") {
    this.account = call.caller.account;
    this.held = call.held;
    this.budget = call.budget;
    this.organizationId = organizationOf(call);
    this.store = store;
    this.changeId = changeId;
    this.changed = call.resource === undefined ? [] : [call.resource];
    this.#call = call;
    const { draft, incoming } = call;
    const { now } = incoming.request;
    const target = draft && {
      ...draft,
      ...{ projectId: draft.release.projectId ?? "", accountId: this.account.id, now },
    };
    this.organization = store.in(this.organizationId, target);
  }

  /** Returns the same call in a transaction of its own. */
  within(unit: Store): StudioCall {
    return new StudioCall(this.#call, unit, this.changeId);
  }

  /** The call as its protocol received it. */
  get incoming(): IncomingCall {
    return this.#call.incoming;
  }

  /** The time of the request. */
  get now(): Date {
    return this.#call.incoming.request.now;
  }

  /** The resource whose permission was checked; a method without one is a programming error. */
  get resource(): ResourceRef {
    return required(this.#call.resource, "resource");
  }

  /** The release that the request reads through or writes into; undefined: it is about the current version. */
  get release(): ResourceRef | undefined {
    return this.#call.draft?.release;
  }

  /** The projects that a list covers; a method that does not cover several is a programming error. */
  get projectIds(): readonly string[] {
    return required(this.#call.projectIds, "projects");
  }

  /** The trace that the call belongs to; undefined if it names none. */
  get trace(): TraceContext | undefined {
    const { headers } = this.#call.incoming;
    return readTraceContext({ get: (name) => readHeader(headers, name) ?? null });
  }

  /**
   * Reads the request's If-Match and returns its check, to be called with the current state inside the write
   * (undefined: the resource does not exist yet). ABORTED `ETAG_MISMATCH`.
   */
  readIfMatch(): (current: Revised | undefined) => void {
    const check = parseIfMatch(readHeader(this.#call.incoming.headers, "if-match"));
    return (current) => check(current && toETag(current.revision));
  }

  /**
   * Checks that written references name resources of the project; the failure rolls the call's transaction back.
   * Errors name fields below `path`, the resource in the request. A draft may refer to others that do not exist yet.
   * INVALID_ARGUMENT `REFERENCE_NOT_FOUND`.
   */
  async checkReferences(
    references: readonly RequiredReference[],
    projectId: string,
    path: string,
  ): Promise<void> {
    if (this.release !== undefined) return;
    for (const reference of references) {
      const { kind, id } = reference;
      const [target] = await this.store.access.locate(kind, [id], this.organizationId);
      if (target?.projectId !== projectId) throw referenceNotFound(reference, path);
    }
  }

  /**
   * Warns of references to resources that the project lacks, as the release of the call shows it: `REFERENCE_MISSING`.
   * Their fields are paths in the request. Looks up at most {@link MOST_LOCATED} at a time, all kinds at once.
   */
  async warnOfMissing(references: readonly Reference[]): Promise<void> {
    for (let from = 0; from < references.length; from += MOST_LOCATED) {
      if (this.#warnings.length === MOST_WARNINGS) return;
      if (from > 0) await this.budget.pace();
      const part = references.slice(from, from + MOST_LOCATED);
      const kinds = [...Map.groupBy(part, ({ kind }) => kind as DocumentType)];
      const located = await Promise.all(
        kinds.map(async ([kind, named]) => {
          const ids = new Set(named.map(({ id }) => id));
          return [kind, await this.#locate(kind, [...ids])] as const;
        }),
      );
      const present = new Map<string, ReadonlySet<string>>(located);
      this.warn(...part.filter(({ kind, id }) => !present.get(kind)?.has(id)).map(warnOfMissing));
    }
  }

  /** Returns which of some ids are resources of a project. */
  async #locate(kind: DocumentType, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const { projectId } = this.resource;
    if (this.release === undefined) {
      const located = await this.store.access.locate(kind, ids, this.organizationId);
      return new Set(located.flatMap((it) => (it.projectId === projectId ? it.id : [])));
    }
    const { documents, pageComponents } = this.organization;
    const drafted = kind === "page_component" ? pageComponents : documents[kind];
    const stored: readonly Stored<{ readonly id: string }>[] = await drafted.getMany(ids);
    return new Set(stored.map(({ value }) => value.id));
  }

  /** Sets the ETag of a response that is one resource. */
  setETag({ revision }: Revised): void {
    this.setHeader("etag", toETag(revision));
  }

  /** Sets a header of the response by its name in lower case. */
  setHeader(name: string, value: string): void {
    this.#call.incoming.responseHeaders[name] = value;
  }

  /** Adds warnings to the header `Marquee-Warnings`, up to the most of a request. */
  warn(...warnings: readonly (Warning | undefined)[]): void {
    const added = warnings
      .filter((warning) => warning !== undefined)
      .slice(0, MOST_WARNINGS - this.#warnings.length);
    if (added.length === 0) return;
    this.#warnings.push(...added);
    const text = printWarnings(this.#warnings);
    if (text !== undefined) this.setHeader("marquee-warnings", text);
  }

  /** Adds a change of a resource. A draft is none. */
  addChange(change: ResourceChange): void {
    if (this.release === undefined) this.changes.push(change);
  }
}

function required<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Error(`the call names no ${name}`);
  return value;
}
