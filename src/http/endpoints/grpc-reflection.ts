import { create, type DescFile } from "@bufbuild/protobuf";
import { Code, type ServiceImpl } from "@connectrpc/connect";
import {
  type ServerReflection,
  type ServerReflectionRequest,
  type ServerReflectionResponse,
  ServerReflectionResponseSchema,
} from "../../../gen/grpc/reflection/v1/reflection_pb.ts";
import { type SchemaIndex, serializeFiles } from "./schema-index.ts";

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
