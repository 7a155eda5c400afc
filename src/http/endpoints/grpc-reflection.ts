import {
  create,
  type DescEnum,
  type DescExtension,
  type DescFile,
  type DescMessage,
  type DescService,
  toBinary,
} from "@bufbuild/protobuf";
import { nestedTypes } from "@bufbuild/protobuf/reflect";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { Code, type ServiceImpl } from "@connectrpc/connect";
import {
  type ServerReflection,
  type ServerReflectionRequest,
  type ServerReflectionResponse,
  ServerReflectionResponseSchema,
} from "../../../gen/grpc/reflection/v1/reflection_pb.ts";

/**
 * Creates gRPC server reflection. The messages of v1 and v1alpha have the same fields, so one implementation
 * serves both. An unknown name gets an error response within the stream, which continues.
 */
export function createReflectionHandlers(
  index: SchemaIndex,
  services: readonly string[],
): ServiceImpl<typeof ServerReflection> {
  return {
    async *serverReflectionInfo(requests) {
      const sent = new Set<string>();
      for await (const request of requests) {
        yield create(ServerReflectionResponseSchema, {
          validHost: request.host,
          messageResponse: respond(request, sent),
        });
      }
    },
  };

  function respond(
    { messageRequest }: ServerReflectionRequest,
    sent: Set<string>,
  ): ServerReflectionResponse["messageResponse"] {
    switch (messageRequest.case) {
      case "listServices":
        return listServices(services);
      case "fileByFilename":
        return toFiles(index.fileByName(messageRequest.value), messageRequest.value, sent);
      case "fileContainingSymbol":
        return toFiles(index.fileBySymbol(messageRequest.value), messageRequest.value, sent);
      case "fileContainingExtension": {
        const { containingType, extensionNumber } = messageRequest.value;
        const file = index.fileByExtension(containingType, extensionNumber);
        return toFiles(file, `extension ${extensionNumber} of ${containingType}`, sent);
      }
      case "allExtensionNumbersOfType":
        return toNumbers(messageRequest.value, index.extensionNumbers(messageRequest.value));
      case undefined:
        return error(Code.InvalidArgument, "the request asks for nothing");
    }
  }
}

type MessageResponse = ServerReflectionResponse["messageResponse"];

function listServices(services: readonly string[]): MessageResponse {
  const { messageResponse } = create(ServerReflectionResponseSchema, {
    messageResponse: {
      case: "listServicesResponse",
      value: { service: services.map((name) => ({ name })) },
    },
  });
  return messageResponse;
}

function toFiles(file: DescFile | undefined, name: string, sent: Set<string>): MessageResponse {
  if (file === undefined) return error(Code.NotFound, `${name} is not known`);
  const { messageResponse } = create(ServerReflectionResponseSchema, {
    messageResponse: {
      case: "fileDescriptorResponse",
      value: { fileDescriptorProto: serializeFiles(file, sent) },
    },
  });
  return messageResponse;
}

function toNumbers(typeName: string, numbers: number[] | undefined): MessageResponse {
  if (numbers === undefined) return error(Code.NotFound, `${typeName} is not known`);
  const { messageResponse } = create(ServerReflectionResponseSchema, {
    messageResponse: {
      case: "allExtensionNumbersResponse",
      value: { baseTypeName: typeName, extensionNumber: numbers },
    },
  });
  return messageResponse;
}

function error(code: Code, message: string): MessageResponse {
  const { messageResponse } = create(ServerReflectionResponseSchema, {
    messageResponse: { case: "errorResponse", value: { errorCode: code, errorMessage: message } },
  });
  return messageResponse;
}

/** Finds descriptor files by their contents, for server reflection: the roots and all of their imports. */
export class SchemaIndex {
  readonly #files = new Map<string, DescFile>();
  readonly #symbols = new Map<string, DescFile>();
  readonly #extensions = new Map<string, Map<number, DescFile>>();

  constructor(roots: readonly DescFile[]) {
    for (const file of roots) this.#add(file);
  }

  /** Finds a file by its name. */
  fileByName(name: string): DescFile | undefined {
    return this.#files.get(name);
  }

  /** Finds the file of a message, field, oneof, enum, enum value, extension, service or method by full name. */
  fileBySymbol(symbol: string): DescFile | undefined {
    return this.#symbols.get(symbol);
  }

  /** Finds the file of an extension. */
  fileByExtension(extendee: string, number: number): DescFile | undefined {
    return this.#extensions.get(extendee)?.get(number);
  }

  /** Lists the extension numbers of a message; undefined for an unknown message. */
  extensionNumbers(extendee: string): number[] | undefined {
    if (!this.#symbols.has(extendee)) return undefined;
    return [...(this.#extensions.get(extendee)?.keys() ?? [])].sort((a, b) => a - b);
  }

  #add(file: DescFile): void {
    if (this.#files.has(file.proto.name)) return;
    this.#files.set(file.proto.name, file);
    for (const dependency of file.dependencies) this.#add(dependency);
    for (const type of nestedTypes(file)) {
      this.#symbols.set(type.typeName, file);
      for (const member of listMembers(type)) this.#symbols.set(member, file);
      if (type.kind !== "extension") continue;
      const { typeName } = type.extendee;
      const numbers = this.#extensions.get(typeName) ?? new Map<number, DescFile>();
      this.#extensions.set(typeName, numbers.set(type.number, file));
    }
  }
}

/** Lists the full names of the declarations in a type; enum values are in the scope of their enum, as in C++. */
function listMembers(type: DescEnum | DescExtension | DescMessage | DescService): string[] {
  switch (type.kind) {
    case "message":
      return [...type.fields, ...type.oneofs].map(({ name }) => `${type.typeName}.${name}`);
    case "service":
      return type.methods.map(({ name }) => `${type.typeName}.${name}`);
    case "enum": {
      const scope = type.typeName.slice(0, type.typeName.lastIndexOf(".") + 1);
      return type.values.map(({ name }) => scope + name);
    }
    default:
      return [];
  }
}

/** Serializes a file and its imports that were not sent before, the file first. */
export function serializeFiles(file: DescFile, sent: Set<string>): Uint8Array[] {
  if (sent.has(file.proto.name)) return [];
  sent.add(file.proto.name);
  return [
    toBinary(FileDescriptorProtoSchema, file.proto),
    ...file.dependencies.flatMap((dependency) => serializeFiles(dependency, sent)),
  ];
}
