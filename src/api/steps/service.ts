import {
  create,
  type DescField,
  type DescMessage,
  type DescMethod,
  type DescService,
  type Message,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import { isStudioService, writeField } from "../../domain/base/descriptors.ts";
import { MessageJson } from "../../protojson/message-json.ts";
import type { DeliveryCall } from "./delivery-call.ts";
import { findWriteFields, readAccessRule } from "./request-fields.ts";
import type { StudioCall } from "./studio-call.ts";

/** The methods of a service: each takes the request message and its call, and returns the response message. */
export type Handlers<Desc extends DescService, Call> = {
  [Name in keyof Desc["method"]]: (
    request: MessageShape<Desc["method"][Name]["input"]>,
    call: Call,
  ) => MaybePromise<Response<Desc["method"][Name]["output"], Call>>;
};

type MaybePromise<T> = T | Promise<T>;

/**
 * The message of a response; of the Delivery API also as JSON, because it contains messages that are stored as JSON.
 */
type Response<Desc extends DescMessage, Call> =
  | MessageInitShape<Desc>
  | JsonOf<Call, MessageShape<Desc>>;

type JsonOf<Call, T extends Message = Message> = Call extends DeliveryCall ? MessageJson<T> : never;

/** Calls one method and returns the message of its response. */
export type Handler<Call> = (message: Message, call: Call) => Promise<Message | JsonOf<Call>>;

/** A service with the handlers of its methods. */
export interface Service<Call> {
  readonly desc: DescService;
  readonly handlers: ReadonlyMap<DescMethod, Handler<Call>>;
  /** The preparations of writes, each in transactions of its own before the transaction of the write. A dry run has none. */
  readonly preparations?: ReadonlyMap<DescMethod, Preparation<Call>>;
}

/** A service of the Studio API. */
export type StudioService = Service<StudioCall>;

/** A service of the Delivery API. */
export type DeliveryService = Service<DeliveryCall>;

/** Prepares the call of a write. */
export type Preparation<Call> = (message: Message, call: Call) => Promise<void>;

/** Creates a response with a value in the field of its resource, or of its list; without such a field, it is empty. */
export function respondWith(
  output: DescMessage,
  result: DescField | undefined,
  value: unknown,
): Message {
  const response = create(output);
  if (result !== undefined) writeField(response, result, value);
  return response;
}

/** Combines a service with the handlers of its methods; see {@link bindMethods}. */
export function implement<Desc extends DescService, Call>(
  desc: Desc,
  handlers: Handlers<Desc, Call>,
): Service<Call> {
  return bindMethods(desc, (method) => findHandler(handlers, method));
}

/**
 * Combines a service with the handlers that `find` returns. Throws with the method's name if a method has no handler or
 * no valid access option. Throws, too, if a write lacks the fields of a write, or if a method allows callers that its
 * API does not.
 */
export function bindMethods<Call>(
  desc: DescService,
  find: (method: DescMethod) => Handler<Call> | undefined,
): Service<Call> {
  const handlers = new Map<DescMethod, Handler<Call>>();
  for (const method of desc.methods) {
    const name = `${desc.typeName}/${method.name}`;
    const isOfProject = readAccessRule(method).case === "projectKey";
    if (isOfProject === isStudioService(desc)) {
      throw new Error(`${name} is called with the wrong credentials`);
    }
    findWriteFields(method);
    const handler = find(method);
    if (handler === undefined) throw new Error(`${name} has no handler`);
    handlers.set(method, handler);
  }
  return { desc, handlers };
}

/** Finds the handler of a method by its name. */
export function findHandler<Call>(
  handlers: Readonly<Record<string, TypedHandler<Call> | undefined>>,
  { localName, output }: DescMethod,
): Handler<Call> | undefined {
  const handle = handlers[localName];
  if (handle === undefined) return undefined;
  return async (message, call) => {
    const response = await handle(message as never, call);
    return response instanceof MessageJson ? (response as JsonOf<Call>) : create(output, response);
  };
}

type TypedHandler<Call> = (request: never, call: Call) => MaybePromise<Response<DescMessage, Call>>;
