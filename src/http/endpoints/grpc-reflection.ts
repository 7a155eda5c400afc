import {
  create,
  type DescEnum,
  type DescExtension,
  type DescFile,
  type DescMessage,
  type DescService,
  type MessageInitShape,
  toBinary,
} from "@bufbuild/protobuf";
import { nestedTypes } from "@bufbuild/protobuf/reflect";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { Code, type ServiceImpl } from "@connectrpc/connect";
import {
  type ServerReflection,
  type ServerReflectionRequest,
  ServerReflectionResponseSchema,
} from "../../../gen/grpc/reflection/v1/reflection_pb.ts";

type MessageResponse = NonNullable<
  MessageInitShape<typeof ServerReflectionResponseSchema>["messageResponse"]
>;

/**
 * Creates gRPC server reflection of the roots and all of their imports. The messages of v1 and v1alpha have the same
 * fields, so one implementation serves both. An unknown name gets an error response within the stream, which continues.
 */
export function createReflectionHandlers(
  roots: readonly DescFile[],
  services: readonly string[],
): ServiceImpl<typeof ServerReflection> {
  const { files, symbols, extensions } = indexFiles(roots);
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
  ): MessageResponse {
    const { case: kind, value } = messageRequest;
    switch (kind) {
      case "listServices":
        return {
          case: "listServicesResponse",
          value: { service: services.map((name) => ({ name })) },
        };
      case "fileByFilename":
        return toFiles(files.get(value), value, sent);
      case "fileContainingSymbol":
        return toFiles(symbols.get(value), value, sent);
      case "fileContainingExtension": {
        const { containingType, extensionNumber } = value;
        const file = extensions.get(containingType)?.get(extensionNumber);
        return toFiles(file, `extension ${extensionNumber} of ${containingType}`, sent);
      }
      case "allExtensionNumbersOfType": {
        if (!symbols.has(value)) return toError(Code.NotFound, `${value} is not known`);
        const numbers = [...(extensions.get(value)?.keys() ?? [])].sort((a, b) => a - b);
        return {
          case: "allExtensionNumbersResponse",
          value: { baseTypeName: value, extensionNumber: numbers },
        };
      }
      case undefined:
        return toError(Code.InvalidArgument, "the request asks for nothing");
    }
  }
}

function toFiles(file: DescFile | undefined, name: string, sent: Set<string>): MessageResponse {
  if (file === undefined) return toError(Code.NotFound, `${name} is not known`);
  const value = { fileDescriptorProto: serializeFiles(file, sent) };
  return { case: "fileDescriptorResponse", value };
}

function toError(errorCode: Code, errorMessage: string): MessageResponse {
  return { case: "errorResponse", value: { errorCode, errorMessage } };
}

/** Indexes files with all of their imports by name, by full names of declarations, and by numbers of extensions. */
function indexFiles(roots: readonly DescFile[]) {
  const files = new Map<string, DescFile>();
  const symbols = new Map<string, DescFile>();
  const extensions = new Map<string, Map<number, DescFile>>();
  const add = (file: DescFile) => {
    if (files.has(file.proto.name)) return;
    files.set(file.proto.name, file);
    for (const dependency of file.dependencies) add(dependency);
    for (const type of nestedTypes(file)) {
      symbols.set(type.typeName, file);
      for (const member of listMembers(type)) symbols.set(member, file);
      if (type.kind !== "extension") continue;
      const { typeName } = type.extendee;
      const numbers = extensions.get(typeName) ?? new Map<number, DescFile>();
      extensions.set(typeName, numbers.set(type.number, file));
    }
  };
  for (const file of roots) add(file);
  return { files, symbols, extensions };
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
function serializeFiles(file: DescFile, sent: Set<string>): Uint8Array[] {
  if (sent.has(file.proto.name)) return [];
  sent.add(file.proto.name);
  return [
    toBinary(FileDescriptorProtoSchema, file.proto),
    ...file.dependencies.flatMap((dependency) => serializeFiles(dependency, sent)),
  ];
}
