import type { DescService, Registry } from "@bufbuild/protobuf";
import {
  type ConnectRouter,
  createConnectRouter,
  type HandlerContext,
  type ServiceImpl,
  type ServiceImplSpec,
} from "@connectrpc/connect";
import { compressionBrotli, compressionGzip } from "@connectrpc/connect-node";
import type { Logger } from "pino";
import { type CallChain, setCaller } from "../../call/chain.ts";
import { getRequest } from "../../call/context.ts";
import { isUnforeseen, toConnectError, unreadableMessagesInterceptor } from "../../call/errors.ts";
import { Code, DomainError } from "../../domain/errors.ts";
import { isManagement } from "../../domain/messages/interfaces.ts";

/** The services of a listener over Connect, gRPC and gRPC-Web. */
export interface ConnectRouterOptions {
  readonly log: Logger;
  readonly services: readonly ServiceImplSpec[];
  readonly chain: CallChain;
  /** The services of gRPC itself, such as health, which need no credentials. Default: none. */
  readonly openServices?: readonly ServiceImplSpec[];
  /**
   * Whether a Connect POST must carry the header `connect-protocol-version: 1` (contract: delivery 2; a GET
   * needs none). Default: true.
   */
  readonly requiresProtocolVersion?: boolean;
  /** The largest request message of a service, in bytes. */
  readonly bodyLimitOf: (service: DescService) => number;
  /** The types that a `google.protobuf.Any` may hold in JSON. Default: none. */
  readonly registry?: Registry;
}

/** Registers services with the Connect library. */
export function createRouter(options: ConnectRouterOptions): ConnectRouter {
  const { services, openServices = [], chain, bodyLimitOf, registry } = options;
  const router = createConnectRouter({
    acceptCompression: [compressionGzip, compressionBrotli],
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
  return router;
}

/** Authenticates the caller before the message is read. */
async function admit(
  context: HandlerContext,
  { chain, log, requiresProtocolVersion = true }: ConnectRouterOptions,
): Promise<void> {
  const { method, values, requestHeader } = context;
  const { now, requestId } = getRequest(values);
  try {
    setCaller(values, await chain.authenticate(method, requestHeader.get("authorization"), now));
    if (requiresProtocolVersion) checkProtocolVersion(context);
  } catch (cause) {
    if (isUnforeseen(cause)) log.error({ err: cause, request_id: requestId }, "admission failed");
    throw toConnectError(cause);
  }
}

function checkProtocolVersion({
  protocolName,
  requestMethod,
  requestHeader,
}: HandlerContext): void {
  if (protocolName !== "connect" || requestMethod !== "POST") return;
  if (requestHeader.get("connect-protocol-version") === "1") return;
  throw new DomainError(
    Code.INVALID_ARGUMENT,
    "CONNECT_PROTOCOL_VERSION_REQUIRED",
    "a POST must carry the header connect-protocol-version: 1",
  );
}

function implementationOf({ methods }: ServiceImplSpec): Partial<ServiceImpl<DescService>> {
  return Object.fromEntries(
    Object.entries(methods).map(([name, spec]) => [name, spec.impl as never]),
  );
}
