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
 * of one kind of resource. Throws with the method's name if one lacks a field that they share.
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
  const field = (desc: DescMessage, isWanted: (field: DescField) => boolean) => {
    const found = desc.fields.find(isWanted);
    if (found !== undefined) return found.localName;
    throw new Error(`${method.parent.typeName}/${method.name} lacks a field of a standard method`);
  };
  const isId = (it: DescField) => it.name === `${resource.type}_id`;
  const isResource = (it: DescField) => it.message === schema;
  const read = (request: Fields, key: string) => request[key] as never;
  switch (method.name) {
    case `Create${name}`: {
      const [value, id, result] = [
        field(input, isResource),
        field(input, isId),
        field(output, isResource),
      ];
      return async (request, call) => ({
        [result]: await resource.create(call, read(request, value), read(request, id)),
      });
    }
    case `Get${name}`: {
      const [id, result] = [field(input, isId), field(output, isResource)];
      return async (request, call) => ({ [result]: await resource.get(call, read(request, id)) });
    }
    case `Update${name}`: {
      const [value, id, result] = [
        field(input, isResource),
        field(input, isId),
        field(output, isResource),
      ];
      const mask = field(input, ({ message }) => message === FieldMaskSchema);
      return async (request, call) => {
        const fieldMask: FieldMask | undefined = read(request, mask);
        const sent = read(request, value);
        return { [result]: await resource.update(call, read(request, id), sent, fieldMask) };
      };
    }
    case `Delete${name}`: {
      const id = field(input, isId);
      return async (request, call) => {
        await resource.delete(call, read(request, id), request.force === true);
        return {};
      };
    }
    default: {
      const isList = method.name.startsWith("List") && output.fields.some(isResource);
      if (!isList) return undefined;
      const parentId = field(input, (it) => it.name === `${parent}_id`);
      const result = field(output, isResource);
      return async (request, call) => {
        const page = await resource.list(call, request as unknown as ListRequest, [
          read(request, parentId),
        ]);
        return { [result]: page.values, nextPageToken: page.nextPageToken };
      };
    }
  }
}
