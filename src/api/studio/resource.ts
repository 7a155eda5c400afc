import {
  clone,
  create,
  type DescField,
  type DescMessage,
  equals,
  type MessageShape,
} from "@bufbuild/protobuf";
import type { GenMessage } from "@bufbuild/protobuf/codegenv2";
import { reflect } from "@bufbuild/protobuf/reflect";
import { type FieldMask, TimestampSchema, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { alreadyExists, DomainError } from "../../domain/errors.ts";
import { checkAddresses } from "../../domain/messages/address-fields.ts";
import { type DocumentOrder, parseDocumentOrder } from "../../domain/messages/document-order.ts";
import { checkRequired, isSettable } from "../../domain/messages/field-behavior.ts";
import {
  applyMask,
  type CheckedMask,
  checkMask,
  updatableFields,
} from "../../domain/messages/field-mask.ts";
import { chooseId } from "../../domain/messages/ids.ts";
import type { PageTokens } from "../../domain/messages/page-token.ts";
import type { ContentChange } from "../../domain/webhooks/content-change.ts";
import { isAnnounced } from "../../domain/webhooks/webhook.ts";
import type { DocumentMessages, DocumentStore, Documents } from "../../storage/document-store.ts";
import type { Stored } from "../../storage/stored.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { answerPage, type ListAnswer, type ListRequest } from "./list-page.ts";
import { checkUnreferred } from "./unreferred.ts";

/** The dependencies of the handlers of every kind of resource. */
export interface ResourceParts {
  readonly pageTokens: PageTokens;
  readonly createId: () => string;
}

/** The rules of one kind of resource. */
export interface ResourceRules<T> {
  /** Its name in requests, and in the paths of errors; default: the resource type. */
  readonly field?: string;
  /** The fields that lists can be ordered by, in addition to the id. */
  readonly orders?: readonly string[];
  /** Parses the order of a list; default: the id, or one of `orders`. */
  readonly parseOrder?: (order: string) => DocumentOrder;
  /** Returns the value in the form that is stored. */
  readonly normalize?: (value: T) => T;
  /** Checks a value before it is stored; errors name fields below `path`. */
  readonly check?: (value: T, path: string) => void;
  /** Checks the mask of a normalized update; default: it names fields that can be updated. */
  readonly checkMask?: (paths: readonly string[], update: T) => CheckedMask;
  /** Applies an update, whose result is checked afterwards; default: by the mask alone. */
  readonly applyUpdate?: (current: T, update: T, mask: CheckedMask) => T;
}

type Extras<Type extends keyof Documents> =
  Parameters<Documents[Type]["create"]> extends [infer _, ...infer Rest] ? Rest : never;

/**
 * The standard methods of one kind of resource (AIP-131 to AIP-135), for its handlers to call. All of them set
 * the ETag of the answer, and those that write check If-Match first.
 */
export interface Resource<T, Rest extends readonly unknown[] = []> {
  /** Converts a sent value to the one to store: normalized, with its id and times, and checked. */
  prepare(call: StudioCall, sent: T | undefined, chosenId: string): T;
  create(call: StudioCall, sent: T | undefined, chosenId: string, ...extras: Rest): Promise<T>;
  get(call: StudioCall, id: string): Promise<T>;
  list(
    call: StudioCall,
    request: ListRequest,
    parentIds: readonly string[],
  ): Promise<ListAnswer<T>>;
  update(
    call: StudioCall,
    id: string,
    sent: T | undefined,
    mask: FieldMask | undefined,
  ): Promise<T>;
  /** Changes a resource by a custom method. */
  change(call: StudioCall, id: string, change: (current: T) => T): Promise<T>;
  /** Renews the entity tag and update time of a resource when something stored beside its message changes. */
  touch(call: StudioCall, id: string): Promise<T>;
  delete(call: StudioCall, id: string, force: boolean): Promise<void>;
}

/** Creates the standard methods of one kind of resource. */
export function createResource<Type extends keyof Documents>(
  type: Type,
  schema: GenMessage<DocumentMessages[Type]>,
  { pageTokens, createId }: ResourceParts,
  rules: ResourceRules<DocumentMessages[Type]> = {},
): Resource<DocumentMessages[Type], Extras<Type>> {
  type T = DocumentMessages[Type];
  const { field = type, orders = [], normalize = (value: T) => value } = rules;
  const parseOrder = rules.parseOrder ?? ((order: string) => parseDocumentOrder(order, orders));
  const updatable = updatableFields(schema as DescMessage, isSettable);
  const readMask = rules.checkMask ?? ((paths: readonly string[]) => checkMask(paths, updatable));
  // TypeScript resolves neither the store nor the message of a type that is still generic: hence the casts.
  const documents = (call: StudioCall) =>
    call.store.documents[type] as unknown as DocumentStore<T, Extras<Type>>;
  const applyUpdate =
    rules.applyUpdate ??
    ((current: T, update: T, mask: CheckedMask) =>
      applyMask(
        schema as DescMessage,
        current as MessageShape<DescMessage>,
        update as MessageShape<DescMessage>,
        mask,
      ) as T);
  const timesOfCreate = findFields(schema, ["create_time", "update_time"]);
  const timesOfUpdate = findFields(schema, ["update_time"]);
  /** Sets fields to the time of the request. */
  const stamp = (value: T, fields: readonly DescField[], call: StudioCall) => {
    const time = reflect(TimestampSchema, timestampFromDate(call.now));
    const message = reflect(schema as DescMessage, value);
    for (const field of fields) message.set(field, time);
    return value;
  };
  /** Notes a write for the webhooks of the project; `undefined` is a state that does not exist. */
  const announce = (
    call: StudioCall,
    before: T | undefined,
    after: T | undefined,
    revision: number,
  ) => {
    if (!isAnnounced(type)) return;
    const states = { before, after } as Pick<ContentChange, "before" | "after">;
    call.addContentChange({ kind: type, ...states, revision });
  };
  const cloneOf = (value: T) => clone(schema as DescMessage, value) as T;
  const check = (value: T) => {
    checkRequired(schema as DescMessage, value, field);
    rules.check?.(value, field);
    checkAddresses(schema as DescMessage, value, field);
  };

  /** Stores what a change makes of a resource; an equal value keeps its entity tag and update time. */
  async function store(
    call: StudioCall,
    id: string,
    checkIfMatch: ReturnType<StudioCall["readIfMatch"]>,
    change: (current: T) => T,
  ): Promise<T> {
    let before: Stored<T> | undefined;
    const stored = await documents(call).update(id, (current) => {
      before = current;
      checkIfMatch(current);
      const changed = change(current.value);
      if (equals(schema as DescMessage, changed, current.value)) return current.value;
      return stamp(changed, timesOfUpdate, call);
    });
    if (before?.revision !== stored.revision) {
      announce(call, before?.value, stored.value, stored.revision);
    }
    call.setEntityTag(stored);
    return stored.value;
  }

  const resource: Resource<T, Extras<Type>> = {
    prepare(call, sent, chosenId) {
      const value = normalize(cloneOf(sent ?? (create(schema as DescMessage) as T)));
      value.id = chooseId(chosenId, `${type}_id`, createId);
      stamp(value, timesOfCreate, call);
      check(value);
      return value;
    },

    async create(call, sent, chosenId, ...extras) {
      call.readIfMatch()(undefined);
      const value = resource.prepare(call, sent, chosenId);
      const stored = await documents(call)
        .create(value, ...extras)
        .catch((fault) => {
          throw nameTaken(fault, type, value.id);
        });
      call.setChanged({ type, id: value.id });
      announce(call, undefined, stored.value, stored.revision);
      call.setEntityTag(stored);
      return stored.value;
    },

    async get(call, id) {
      const stored = await documents(call).get(id);
      call.setEntityTag(stored);
      return stored.value;
    },

    list(call, request, parentIds) {
      const order = parseOrder(request.order ?? "");
      return answerPage(call, request, { pageTokens, binding: [type, parentIds] }, (page) =>
        documents(call).list({ ...page, parentIds, order, now: call.now }),
      );
    },

    async update(call, id, sent, mask) {
      const checkIfMatch = call.readIfMatch();
      const update = normalize(cloneOf(sent ?? (create(schema as DescMessage) as T)));
      const checked = readMask(mask?.paths ?? [], update);
      return await store(call, id, checkIfMatch, (current) => {
        const changed = applyUpdate(current, update, checked);
        check(changed);
        return changed;
      });
    },

    async change(call, id, change) {
      return await store(call, id, call.readIfMatch(), change);
    },

    async touch(call, id) {
      const checkIfMatch = call.readIfMatch();
      const stored = await documents(call).touch(id, (current) => {
        checkIfMatch(current);
        return stamp(cloneOf(current.value), timesOfUpdate, call);
      });
      announce(call, stored.value, stored.value, stored.revision);
      call.setEntityTag(stored);
      return stored.value;
    },

    async delete(call, id, force) {
      const checkIfMatch = call.readIfMatch();
      if (!force) await checkUnreferred(call, type, id);
      let before: T | undefined;
      const revision = await documents(call).delete(id, (current) => {
        before = current.value;
        checkIfMatch(current);
      });
      announce(call, before, undefined, revision);
    },
  };
  return resource;
}

/** Adds the resource whose id is taken to the ALREADY_EXISTS of the store. */
function nameTaken(fault: unknown, type: string, id: string): unknown {
  const isTaken = fault instanceof DomainError && fault.reason === "ALREADY_EXISTS";
  return isTaken && Object.keys(fault.metadata).length === 0
    ? alreadyExists(type, id, fault.cause)
    : fault;
}

/** Returns the named fields that the message has. */
function findFields({ fields }: DescMessage, names: readonly string[]): DescField[] {
  return fields.filter(({ name }) => names.includes(name));
}
