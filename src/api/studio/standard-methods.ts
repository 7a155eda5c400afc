import type { DescField, DescMessage, DescMethod, DescService, Message } from "@bufbuild/protobuf";
import { type FieldMask, FieldMaskSchema } from "@bufbuild/protobuf/wkt";
import type { Kind } from "../../domain/kinds.ts";
import type { Handlers } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import type { ListAnswer, ListRequest } from "./list-page.ts";
import type { Resource, ResourceType } from "./resource.ts";

/** The names of standard methods. */
type StandardName = `${"create" | "get" | "list" | "update" | "delete"}${string}`;

/** The handlers of the standard methods of a service. */
export type StandardHandlers<Desc extends DescService> = Pick<
  Handlers<Desc, StudioCall>,
  Extract<keyof Desc["method"], StandardName>
>;

type Fields = Message & Readonly<Record<string, unknown>>;
type AnyHandler = (request: Fields, call: StudioCall) => Promise<object>;

/**
 * Creates the handlers of the standard methods of a service from its descriptors: Create, Get, List, Update and Delete
 * of one kind of resource. A method without the fields that they share is not a standard one.
 */
export function standardMethods<Desc extends DescService, Type extends ResourceType>(
  service: Desc,
  resource: Resource<Type>,
): StandardHandlers<Desc> {
  const name = resource.type.replace(/(?:^|_)([a-z])/g, (_, letter) => letter.toUpperCase());
  const handlers: Record<string, AnyHandler> = {};
  for (const method of service.methods) {
    const handler = toHandler(method, name, resource as unknown as AnyResource);
    if (handler !== undefined) handlers[method.localName] = handler;
  }
  return handlers as unknown as StandardHandlers<Desc>;
}

/** A resource of any kind, whose messages are known by their descriptors alone. */
interface AnyResource {
  readonly type: string;
  readonly kind: Kind;
  create(call: StudioCall, sent: Message | undefined, chosenId: string): Promise<Message>;
  get(call: StudioCall, id: string): Promise<Message>;
  list(
    call: StudioCall,
    request: ListRequest,
    parentIds: readonly string[],
  ): Promise<ListAnswer<Message>>;
  update(
    call: StudioCall,
    id: string,
    sent: Message | undefined,
    mask: FieldMask | undefined,
  ): Promise<Message>;
  delete(call: StudioCall, id: string, force: boolean): Promise<void>;
}

function toHandler(
  method: DescMethod,
  name: string,
  resource: AnyResource,
): AnyHandler | undefined {
  const { input, output } = method;
  const { schema, in: parent } = resource.kind;
  const isResource = ({ message }: DescField) => message === schema;
  const value = nameOf(input, isResource);
  const id = nameOf(input, (field) => field.name === `${resource.type}_id`);
  const parentId = nameOf(input, (field) => field.name === `${parent}_id`);
  const mask = nameOf(input, ({ message }) => message === FieldMaskSchema);
  const result = nameOf(output, isResource);
  switch (method.name) {
    case `Create${name}`:
      if (value === undefined || id === undefined || result === undefined) return undefined;
      return async (request, call) => ({
        [result]: await resource.create(call, read(request, value), read(request, id)),
      });
    case `Get${name}`:
      if (id === undefined || result === undefined) return undefined;
      return async (request, call) => ({ [result]: await resource.get(call, read(request, id)) });
    case `Update${name}`:
      if (value === undefined || id === undefined) return undefined;
      if (mask === undefined || result === undefined) return undefined;
      return async (request, call) => {
        const [sent, paths] = [read(request, value), read(request, mask)];
        return { [result]: await resource.update(call, read(request, id), sent, paths) };
      };
    case `Delete${name}`:
      if (id === undefined) return undefined;
      return async (request, call) => {
        await resource.delete(call, read(request, id), request.force === true);
        return {};
      };
    default:
      if (!method.name.startsWith("List")) return undefined;
      if (parentId === undefined || result === undefined) return undefined;
      return async (request, call) => {
        const parentIds = [read(request, parentId)];
        const page = await resource.list(call, request as unknown as ListRequest, parentIds);
        return { [result]: page.values, nextPageToken: page.nextPageToken };
      };
  }
}

function nameOf(
  { fields }: DescMessage,
  isWanted: (field: DescField) => boolean,
): string | undefined {
  return fields.find(isWanted)?.localName;
}

/** Reads a field whose type the descriptor of the request guarantees. */
function read(request: Fields, name: string): never {
  return request[name] as never;
}
