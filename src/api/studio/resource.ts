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
import type { HandlerContext } from "@connectrpc/connect";
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
import { getRequest, getStore, noteChange, noteContentChange } from "../steps/call.ts";
import { readIfMatch, tagAnswer } from "./conditional.ts";
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
  prepare(context: HandlerContext, sent: T | undefined, chosenId: string): T;
  create(
    context: HandlerContext,
    sent: T | undefined,
    chosenId: string,
    ...extras: Rest
  ): Promise<T>;
  get(context: HandlerContext, id: string): Promise<T>;
  list(
    context: HandlerContext,
    request: ListRequest,
    parentIds: readonly string[],
  ): Promise<ListAnswer<T>>;
  update(
    context: HandlerContext,
    id: string,
    sent: T | undefined,
    mask: FieldMask | undefined,
  ): Promise<T>;
  /** Changes a resource by a custom method. */
  change(context: HandlerContext, id: string, change: (current: T) => T): Promise<T>;
  /** Renews the entity tag and update time of a resource when something stored beside its message changes. */
  touch(context: HandlerContext, id: string): Promise<T>;
  delete(context: HandlerContext, id: string, force: boolean): Promise<void>;
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
  const documents = ({ values }: HandlerContext) =>
    getStore(values).documents[type] as unknown as DocumentStore<T, Extras<Type>>;
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
  const stamp = (value: T, fields: readonly DescField[], { values }: HandlerContext) => {
    const time = reflect(TimestampSchema, timestampFromDate(getRequest(values).now));
    const message = reflect(schema as DescMessage, value);
    for (const field of fields) message.set(field, time);
    return value;
  };
  /** Notes a write for the webhooks of the project; `undefined` is a state that does not exist. */
  const announce = (
    { values }: HandlerContext,
    before: T | undefined,
    after: T | undefined,
    revision: number,
  ) => {
    if (!isAnnounced(type)) return;
    const states = { before, after } as Pick<ContentChange, "before" | "after">;
    noteContentChange(values, { kind: type, ...states, revision });
  };
  const cloneOf = (value: T) => clone(schema as DescMessage, value) as T;
  const check = (value: T) => {
    checkRequired(schema as DescMessage, value, field);
    rules.check?.(value, field);
    checkAddresses(schema as DescMessage, value, field);
  };

  /** Stores what a change makes of a resource; an equal value keeps its entity tag and update time. */
  async function store(
    context: HandlerContext,
    id: string,
    checkIfMatch: ReturnType<typeof readIfMatch>,
    change: (current: T) => T,
  ): Promise<T> {
    let before: Stored<T> | undefined;
    const stored = await documents(context).update(id, (current) => {
      before = current;
      checkIfMatch(current);
      const changed = change(current.value);
      if (equals(schema as DescMessage, changed, current.value)) return current.value;
      return stamp(changed, timesOfUpdate, context);
    });
    if (before?.revision !== stored.revision) {
      announce(context, before?.value, stored.value, stored.revision);
    }
    tagAnswer(context, stored);
    return stored.value;
  }

  const resource: Resource<T, Extras<Type>> = {
    prepare(context, sent, chosenId) {
      const value = normalize(cloneOf(sent ?? (create(schema as DescMessage) as T)));
      value.id = chooseId(chosenId, `${type}_id`, createId);
      stamp(value, timesOfCreate, context);
      check(value);
      return value;
    },

    async create(context, sent, chosenId, ...extras) {
      readIfMatch(context)(undefined);
      const value = resource.prepare(context, sent, chosenId);
      const stored = await documents(context)
        .create(value, ...extras)
        .catch((fault) => {
          throw nameTaken(fault, type, value.id);
        });
      noteChange(context.values, { type, id: value.id });
      announce(context, undefined, stored.value, stored.revision);
      tagAnswer(context, stored);
      return stored.value;
    },

    async get(context, id) {
      const stored = await documents(context).get(id);
      tagAnswer(context, stored);
      return stored.value;
    },

    list(context, request, parentIds) {
      const { values } = context;
      const order = parseOrder(request.order ?? "");
      return answerPage(context, request, { pageTokens, binding: [type, parentIds] }, (page) =>
        documents(context).list({ ...page, parentIds, order, now: getRequest(values).now }),
      );
    },

    async update(context, id, sent, mask) {
      const checkIfMatch = readIfMatch(context);
      const update = normalize(cloneOf(sent ?? (create(schema as DescMessage) as T)));
      const checked = readMask(mask?.paths ?? [], update);
      return await store(context, id, checkIfMatch, (current) => {
        const changed = applyUpdate(current, update, checked);
        check(changed);
        return changed;
      });
    },

    async change(context, id, change) {
      return await store(context, id, readIfMatch(context), change);
    },

    async touch(context, id) {
      const checkIfMatch = readIfMatch(context);
      const stored = await documents(context).touch(id, (current) => {
        checkIfMatch(current);
        return stamp(cloneOf(current.value), timesOfUpdate, context);
      });
      announce(context, stored.value, stored.value, stored.revision);
      tagAnswer(context, stored);
      return stored.value;
    },

    async delete(context, id, force) {
      const checkIfMatch = readIfMatch(context);
      if (!force) await checkUnreferred(context, type, id);
      let before: T | undefined;
      const revision = await documents(context).delete(id, (current) => {
        before = current.value;
        checkIfMatch(current);
      });
      announce(context, before, undefined, revision);
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
