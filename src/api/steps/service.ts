import {
  create,
  type DescMessage,
  type DescMethod,
  type DescService,
  type Message,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import { isManagement } from "../../domain/descriptors.ts";
import { MessageJson } from "../../protojson/message-json.ts";
import { readAccessRule } from "./access-rule.ts";
import { findWriteFields } from "./write-fields.ts";

/** The methods of a service: each takes the message of a request and its call, and returns that of the response. */
export type Handlers<Desc extends DescService, Call> = {
  [Name in keyof Desc["method"]]: (
    request: MessageShape<Desc["method"][Name]["input"]>,
    call: Call,
  ) => MaybePromise<Response<Desc["method"][Name]["output"]>>;
};

type MaybePromise<T> = T | Promise<T>;

/** The message of a response; as JSON where it holds messages that are stored as JSON. */
type Response<Desc extends DescMessage> = MessageInitShape<Desc> | MessageJson<MessageShape<Desc>>;

/** Calls one method and returns the message of its response. */
export type Handler<Call> = (message: Message, call: Call) => Promise<Message | MessageJson>;

/** A service with the handlers of its methods. */
export interface Service<Call> {
  readonly desc: DescService;
  readonly handlers: ReadonlyMap<DescMethod, Handler<Call>>;
}

/**
 * Combines a service with its handlers. Throws with the method's name if a method has no valid access option, if
 * one that writes lacks the fields of a write, or if the callers of one are not those of its interface.
 */
export function implement<Desc extends DescService, Call>(
  desc: Desc,
  handlers: Handlers<Desc, Call>,
): Service<Call> {
  return {
    desc,
    handlers: new Map(
      desc.methods.map((method) => {
        const isOfProject = readAccessRule(method).case === "projectKey";
        if (isOfProject === isManagement(desc)) {
          throw new Error(`${desc.typeName}/${method.name} is called with the wrong credentials`);
        }
        findWriteFields(method);
        return [method, toHandler(method, handlers[method.localName])];
      }),
    ),
  };
}

function toHandler<Call>(
  { output, name }: DescMethod,
  handle: ((request: never, call: Call) => MaybePromise<Response<DescMessage>>) | undefined,
): Handler<Call> {
  if (handle === undefined) throw new Error(`${name} has no handler`);
  return async (message, call) => {
    const response = await handle(message as never, call);
    return response instanceof MessageJson ? response : create(output, response);
  };
}
