import type { DescService, Registry } from "@bufbuild/protobuf";
import {
  createConnectRouter,
  type HandlerContext,
  type ServiceImpl,
  type ServiceImplSpec,
} from "@connectrpc/connect";
import type { Compression, UniversalHandler } from "@connectrpc/connect/protocol";
import type { Logger } from "pino";
import { type CallChain, setCaller } from "../../api/pipeline.ts";
import { getRequest } from "../../api/steps/call.ts";
import {
  isUnforeseen,
  toConnectError,
  unreadableMessagesInterceptor,
} from "../../api/steps/errors.ts";
import { isManagement } from "../../domain/messages/interfaces.ts";

/** The services of a listener and the limits of their streaming calls. */
export interface StreamRouterOptions {
  readonly log: Logger;
  readonly services: readonly ServiceImplSpec[];
  readonly chain: CallChain;
  /** The services of gRPC itself, such as reflection, which need no credentials. Default: none. */
  readonly openServices?: readonly ServiceImplSpec[];
  /** The largest request message of a service, in bytes. */
  readonly bodyLimitOf: (service: DescService) => number;
  /** The types that a `google.protobuf.Any` may hold in JSON. Default: none. */
  readonly registry?: Registry;
}

/** Registers the streaming methods of services with the Connect library; returns its handlers by path. */
export function createStreamRouter(
  options: StreamRouterOptions,
): ReadonlyMap<string, UniversalHandler> {
  const { services, openServices = [], chain, bodyLimitOf, registry } = options;
  const router = createConnectRouter({
    acceptCompression: COMPRESSIONS,
  });
  for (const spec of services) {
    router.service(spec.service, implementationOf(spec), {
      interceptors: chain.interceptors,
      requestGate: (context) => admit(context, options),
      readMaxBytes: bodyLimitOf(spec.service),
      jsonOptions: {
        ignoreUnknownFields: !isManagement(spec.service),
        ...(registry && { registry }),
      },
    });
  }
  for (const spec of openServices) {
    router.service(spec.service, implementationOf(spec), {
      interceptors: [unreadableMessagesInterceptor],
      readMaxBytes: bodyLimitOf(spec.service),
    });
  }
  const streams = router.handlers.filter(({ method }) => method.methodKind !== "unary");
  return new Map(streams.map((handler) => [handler.requestPath, handler]));
}

/** The library's compressions, loaded on first use: few callers stream, and its modules would prolong every start. */
const COMPRESSIONS: Compression[] = [
  toCompression("gzip", async () => (await import("@connectrpc/connect-node")).compressionGzip),
  toCompression("br", async () => (await import("@connectrpc/connect-node")).compressionBrotli),
];

function toCompression(name: string, load: () => Promise<Compression>): Compression {
  return {
    name,
    compress: async (bytes) => (await load()).compress(bytes),
    decompress: async (bytes, readMaxBytes) => (await load()).decompress(bytes, readMaxBytes),
  };
}

/** Authenticates the caller before the message is read. */
async function admit(context: HandlerContext, { chain, log }: StreamRouterOptions): Promise<void> {
  const { method, values, requestHeader } = context;
  const { now, requestId } = getRequest(values);
  try {
    const headers = Object.fromEntries(requestHeader);
    setCaller(values, await chain.authenticate(method, headers, now));
  } catch (cause) {
    if (isUnforeseen(cause)) log.error({ err: cause, request_id: requestId }, "admission failed");
    throw toConnectError(cause);
  }
}

function implementationOf({ methods }: ServiceImplSpec): Partial<ServiceImpl<DescService>> {
  return Object.fromEntries(
    Object.entries(methods).map(([name, spec]) => [name, spec.impl as never]),
  );
}
