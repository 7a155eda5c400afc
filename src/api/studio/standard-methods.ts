import type { DescField, DescMethod, DescService, Message } from "@bufbuild/protobuf";
import { readField } from "../../domain/base/descriptors.ts";
import type { Kind } from "../../domain/kinds.ts";
import { readUpdateMask, type UpdateMask } from "../steps/request-fields.ts";
import {
  bindMethods,
  findHandler,
  type Handler,
  type Handlers,
  respondWith,
  type StudioService,
} from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import type { ListPage, ListRequest } from "./kind-reads.ts";

/** The names of standard methods. */
type StandardName = `${"create" | "get" | "list" | "update" | "delete"}${string}`;

/** The handlers of a service; standard methods may have none. */
type SpecialHandlers<All> = Omit<All, StandardName> & Partial<All>;

/** The reads of any kind, whose messages are known by their descriptors alone. */
interface StandardReads {
  readonly kind: string;
  readonly description: Kind;
  get(call: StudioCall, id: string): Promise<Message>;
  list(
    call: StudioCall,
    request: ListRequest,
    parentIds: readonly string[],
  ): Promise<ListPage<Message>>;
}

/** A resource of any kind with standard writes, too. */
interface StandardResource extends StandardReads {
  create(
    call: StudioCall,
    sent: Message | undefined,
    chosenId: string,
    ...extras: never[]
  ): Promise<Message>;
  update(
    call: StudioCall,
    id: string,
    sent: Message | undefined,
    mask: UpdateMask | undefined,
  ): Promise<Message>;
  delete(call: StudioCall, id: string, force: boolean): Promise<void>;
}

/**
 * Combines the service of a kind with its handlers. Its standard methods (Create, Get, List, Update and Delete of the
 * kind) get default handlers, made from their descriptors, unless they have their own. A method without the shared
 * fields is not standard.
 */
export function implementKind<Desc extends DescService>(
  desc: Desc,
  resource: StandardReads | StandardResource,
  handlers: SpecialHandlers<Handlers<Desc, StudioCall>>,
): StudioService {
  return bindMethods(
    desc,
    (method) => findHandler(handlers, method) ?? findStandard(method, resource),
  );
}

function findStandard(
  method: DescMethod,
  resource: StandardReads | StandardResource,
): Handler<StudioCall> | undefined {
  const { kind, description } = resource;
  const writes = "update" in resource ? resource : undefined;
  const { input, output } = method;
  const isResource = ({ message }: DescField) => message === description.schema;
  const sent = input.fields.find(isResource);
  const id = input.fields.find(({ name }) => name === `${kind}_id`);
  const parentId = input.fields.find(({ name }) => name === `${description.in}_id`);
  const force = input.fields.find(({ name }) => name === "force");
  const result = output.fields.find(isResource);
  const readText = (request: Message, field: DescField) => String(readField(request, field));
  const readSent = (request: Message) => sent && (readField(request, sent) as Message | undefined);
  const respond = (value: unknown) => respondWith(output, result, value);
  const name = kind.replace(/(?:^|_)([a-z])/g, (_, letter) => letter.toUpperCase());
  switch (method.name) {
    case `Create${name}`:
      if (!writes || !sent || !id || !result) return undefined;
      return async (request, call) =>
        respond(await writes.create(call, readSent(request), readText(request, id)));
    case `Get${name}`:
      if (!id || !result) return undefined;
      return async (request, call) => respond(await resource.get(call, readText(request, id)));
    case `Update${name}`:
      if (!writes || !sent || !id || !result) return undefined;
      return async (request, call) => {
        const mask = readUpdateMask(input, request);
        const value = readSent(request);
        return respond(await writes.update(call, readText(request, id), value, mask));
      };
    case `Delete${name}`:
      if (!writes || !id) return undefined;
      return async (request, call) => {
        const isForced = force !== undefined && readField(request, force) === true;
        await writes.delete(call, readText(request, id), isForced);
        return respond(undefined);
      };
    default:
      if (!method.name.startsWith("List") || !parentId || !result) return undefined;
      return async (request, call) => {
        const parentIds = [readText(request, parentId)];
        const { values, ...end } = await resource.list(call, request as ListRequest, parentIds);
        return Object.assign(respond(values), end);
      };
  }
}
