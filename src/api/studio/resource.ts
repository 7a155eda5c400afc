import { clone, create, type DescMessage, equals, type Message } from "@bufbuild/protobuf";
import type { CheckTarget } from "../../domain/actions/action.ts";
import { isFreeJson } from "../../domain/base/descriptors.ts";
import { alreadyExists, Code, DomainError, isAlreadyExists } from "../../domain/base/errors.ts";
import type { PageTokens } from "../../domain/base/paging.ts";
import { settleAll } from "../../domain/base/settle-all.ts";
import { stampTimes } from "../../domain/base/stamp-times.ts";
import type { ResourceChange } from "../../domain/changes/resource-change.ts";
import { isRecorded, listAddedReferences } from "../../domain/kinds.ts";
import {
  applyRecordMask,
  parseRecordMask,
  type RecordMask,
} from "../../domain/records/record-mask.ts";
import { warnOfCleared } from "../../domain/validation/cleared-values.ts";
import { checkRequired } from "../../domain/validation/field-behavior.ts";
import { checkMask, listUpdatable } from "../../domain/validation/field-mask.ts";
import { chooseId } from "../../domain/validation/ids.ts";
import { checkInput } from "../../domain/validation/input-checks.ts";
import { checkUrls } from "../../domain/validation/url-fields.ts";
import type {
  DocumentMessages,
  DocumentStore,
  Documents,
  Stored,
} from "../../storage/contract/document-store.ts";
import type { StudioSignIns } from "../sign-in/studio-sign-ins.ts";
import type { UpdateMask } from "../steps/request-fields.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { KindReads } from "./kind-reads.ts";
import type { RulesetSimulation } from "./ruleset-simulation.ts";
import { warnOfWritten } from "./written-warnings.ts";

/** The dependencies of the services of the Studio API. */
export interface StudioDependencies {
  readonly pageTokens: PageTokens;
  readonly createId: () => string;
  /** Generates a secret that signs requests. */
  readonly createSecret: () => string;
  /** Checks the URL that an action or a webhook calls. */
  readonly checkTarget: CheckTarget;
  readonly signIns: Pick<StudioSignIns, "test">;
  readonly simulation: RulesetSimulation;
}

/** A kind of resource with standard methods. */
export type ResourceKind = keyof Documents;

type Extras<Type extends ResourceKind> =
  Parameters<Documents[Type]["create"]> extends [infer _, ...infer Rest] ? Rest : never;

/** The fields that every stored resource has. */
type Value = Message & { id: string };

/**
 * The standard methods of one kind of resource (AIP-131 to AIP-135), for its handlers to call. All of them set
 * the ETag of the response, and those that write check If-Match first.
 */
export class Resource<
  Type extends ResourceKind,
  T extends Value = DocumentMessages[Type],
> extends KindReads<Type, T> {
  readonly #dependencies: StudioDependencies;
  /** The name of the resource in requests, and in the paths of errors. */
  readonly #field: string;

  constructor(kind: Type, dependencies: StudioDependencies) {
    super(kind, dependencies.pageTokens, (call) => this.#documents(call));
    this.#dependencies = dependencies;
    this.#field = this.description.field ?? kind;
  }

  /** Stores a new resource under the chosen id, or a generated one if that is empty. */
  async create(
    call: StudioCall,
    sent: T | undefined,
    chosenId: string,
    ...extras: Extras<Type>
  ): Promise<T> {
    call.readIfMatch()(undefined);
    const value = this.#normalize(sent);
    value.id = chooseId(chosenId, `${this.kind}_id`, this.#dependencies.createId);
    stampTimes(this.description.schema, value, ["create_time", "update_time"], call.now);
    this.#check(value);
    // Both wait for the database once.
    const [stored] = await settleAll([
      this.#documents(call)
        .create(value, ...extras)
        .catch((error) => {
          throw nameTaken(error, this.kind, value.id);
        }),
      call.warnOfMissing(listAddedReferences(this.kind, { after: value }, this.#field)),
    ]);
    call.changed = [{ kind: this.kind, id: value.id }];
    this.#addChange(call, { after: stored.value, revision: stored.revision });
    call.setETag(stored);
    await warnOfWritten(call, [{ kind: this.kind, after: stored.value, path: this.#field }]);
    return stored.value;
  }

  /** Changes the masked fields of a resource; `complete` returns the result with the fields that follow from them. */
  async update(
    call: StudioCall,
    id: string,
    sent: T | undefined,
    mask: UpdateMask | undefined,
    complete: (changed: T, current: T) => T = (changed) => changed,
  ): Promise<T> {
    const { schema, checkMask: checkMembers } = this.description;
    const checkIfMatch = call.readIfMatch();
    const update = this.#normalize(sent);
    const checked = parseMask(mask, schema);
    checkMembers?.(checked.fields, update);
    let before: T | undefined;
    const after = await this.#store(call, id, checkIfMatch, (current) => {
      before = current;
      const changed = complete(applyRecordMask(schema, current, update, checked) as T, current);
      if (typeof mask === "string") checkInput(schema, changed, this.#field);
      this.#check(changed);
      return changed;
    });
    const cleared = before && warnOfCleared(schema, before, after, { names: checked.fields });
    call.warn(cleared);
    await warnOfWritten(call, [{ kind: this.kind, after, before, path: this.#field }]);
    await call.warnOfMissing(listAddedReferences(this.kind, { after, before }, this.#field));
    return after;
  }

  /** Changes a resource by a custom method. */
  change(call: StudioCall, id: string, change: (current: T) => T): Promise<T> {
    return this.#store(call, id, call.readIfMatch(), change);
  }

  /**
   * Renews the ETag and update time of a resource when something stored with its message changes: its `extras`, or what
   * `change` writes. `change` returns what the history records of it.
   */
  async touch(
    call: StudioCall,
    id: string,
    {
      change = async () => ({}),
      extras = [],
    }: {
      readonly change?: () => Promise<Pick<ResourceChange, "order">>;
      readonly extras?: Extras<Type> | [];
    },
  ): Promise<T> {
    const checkIfMatch = call.readIfMatch();
    let before: T | undefined;
    const renew = (current: Stored<T>) => {
      before = current.value;
      checkIfMatch(current);
      const { schema } = this.description;
      return stampTimes(schema, this.#clone(current.value), ["update_time"], call.now);
    };
    const stored = await this.#documents(call).touch(id, renew, ...extras);
    const { value: after, revision } = stored;
    this.#addChange(call, { before, after, revision, ...(await change()) });
    // In a release, the change decides whether there is a draft.
    call.setETag(call.release === undefined ? stored : await this.#documents(call).get(id));
    return stored.value;
  }

  /** Deletes a resource; without `force` only if nothing refers to it. */
  async delete(
    call: StudioCall,
    id: string,
    force: boolean,
    checkIfMatch = call.readIfMatch(),
  ): Promise<void> {
    if (!force && call.release === undefined) await checkUnreferred(call, this.kind, id);
    let before: T | undefined;
    const { revision, dependents } = await this.#documents(call).delete(id, (current) => {
      before = current.value;
      checkIfMatch(current);
    });
    this.#addChange(call, { before, revision, isUndoable: dependents !== undefined });
    for (const dependent of dependents ?? [])
      call.addChange({ ...dependent, revision, isDependent: true });
  }

  /** Checks a deletion without carrying it out. Returns the resource. */
  async checkDeletion(call: StudioCall, id: string, force: boolean): Promise<T> {
    const stored = await this.#documents(call).get(id);
    call.readIfMatch()(stored);
    if (!force) await checkUnreferred(call, this.kind, id);
    return stored.value;
  }

  /** Stores a changed resource; an equal value keeps its ETag and update time. */
  async #store(
    call: StudioCall,
    id: string,
    checkIfMatch: ReturnType<StudioCall["readIfMatch"]>,
    change: (current: T) => T,
  ): Promise<T> {
    let before: Stored<T> | undefined;
    const stored = await this.#documents(call).update(id, (current) => {
      before = current;
      checkIfMatch(current);
      const changed = change(current.value);
      if (equals(this.description.schema, changed, current.value)) return current.value;
      return stampTimes(this.description.schema, changed, ["update_time"], call.now);
    });
    const { value: after, revision } = stored;
    if (before?.revision !== revision)
      this.#addChange(call, { before: before?.value, after, revision });
    call.setETag(stored);
    return stored.value;
  }

  // TypeScript resolves neither the store nor the message of a type that is still generic: hence the casts.
  #documents({ organization }: StudioCall): DocumentStore<T, Extras<Type>> {
    return organization.documents[this.kind] as unknown as DocumentStore<T, Extras<Type>>;
  }

  #clone(value: T): T {
    return clone(this.description.schema, value) as Message as T;
  }

  #normalize(sent: T | undefined): T {
    const value =
      sent === undefined ? (create(this.description.schema) as Message as T) : this.#clone(sent);
    return (this.description.normalize?.(value) as T | undefined) ?? value;
  }

  #check(value: T): void {
    const { schema, check } = this.description;
    const { checkTarget } = this.#dependencies;
    checkRequired(schema, value, this.#field);
    check(value, this.#field, { checkTarget });
    checkUrls(schema, value, this.#field);
  }

  /** Adds a write for the history and the webhooks of the project. */
  #addChange(call: StudioCall, change: Omit<ResourceChange, "kind">): void {
    if (isRecorded(this.kind)) call.addChange({ kind: this.kind, ...change });
  }
}

/** Parses the mask of an update of a resource. INVALID_ARGUMENT `UPDATE_MASK_INVALID` or `TOO_MANY_ITEMS`. */
function parseMask(mask: UpdateMask | undefined, schema: DescMessage): RecordMask {
  const allowed = listUpdatable(schema);
  if (typeof mask === "string" && mask !== "") return parseRecordMask(mask, schema, allowed);
  const isDeep = schema.fields.some((it) => it.fieldKind === "map" || isFreeJson(it));
  const fields = checkMask(typeof mask === "object" ? mask.paths : [], allowed, { isDeep });
  return { paths: fields, fields, values: new Map() };
}

/** Adds the resource whose id is taken to the ALREADY_EXISTS of the store. */
export function nameTaken(error: unknown, kind: string, id: string): unknown {
  return isAlreadyExists(error) && Object.keys(error.metadata).length === 0
    ? alreadyExists(kind, id, error.cause)
    : error;
}

/** The maximum number of referrers in an error. */
const LISTED = 20;

/** Rejects the deletion of a resource that others refer to: FAILED_PRECONDITION `STILL_REFERRED_TO`, which lists them. */
async function checkUnreferred(call: StudioCall, kind: string, id: string): Promise<void> {
  const referrers = await call.store.referrers.list({ ...call.resource, kind, id }, LISTED + 1);
  if (referrers.length === 0) return;
  const names = referrers.slice(0, LISTED).map((it) => `${it.kind}/${it.id}`);
  const more = referrers.length > LISTED ? " and others" : "";
  const remedy = kind === "organization" ? "delete them first" : "set force to delete it anyway";
  throw new DomainError(
    Code.FAILED_PRECONDITION,
    "STILL_REFERRED_TO",
    `${kind} ${id} is referred to by ${names.join(", ")}${more}; ${remedy}`,
    { metadata: { resource: `${kind}/${id}`, referrers: names.join(",") } },
  );
}
