import type { DescService, Registry } from "@bufbuild/protobuf";
import {
  type ConnectRouter,
  createConnectRouter,
  type Interceptor,
  type ServiceImpl,
  type ServiceImplSpec,
} from "@connectrpc/connect";
import { compressionBrotli, compressionGzip } from "@connectrpc/connect-node";
import { ServerReflection } from "../../gen/grpc/reflection/v1/reflection_pb.ts";
import { ServerReflection as ServerReflectionAlpha } from "../../gen/grpc/reflection/v1alpha/reflection_pb.ts";
import { Health } from "../../gen/health/v1/health_pb.ts";
import type { Gate } from "../call/authenticate.ts";
import { unreadableMessagesInterceptor } from "../call/unreadable-messages.ts";
import { isManagement } from "../domain/messages/interfaces.ts";
import { createHealthHandlers } from "../endpoints/grpc-health.ts";
import { createReflectionHandlers } from "../endpoints/grpc-reflection.ts";
import { createSchemaIndex } from "../endpoints/schema-index.ts";

/** What every call of a `svc.` method goes through before its handler, on every face. */
export interface CallChain {
  readonly gate: Gate;
  readonly interceptors: Interceptor[];
}

/** What a listener offers over Connect, gRPC and gRPC-Web. */
export interface ConnectRouterOptions {
  readonly services: readonly ServiceImplSpec[];
  readonly chain: CallChain;
  /** The largest request message of a service, in bytes. */
  readonly bodyLimitOf: (service: DescService) => number;
  /** Whether the schema can be explored. */
  readonly reflection: boolean;
  /** Returns when calls can be answered, and throws otherwise. */
  readonly check: () => Promise<void>;
  /** The types that a `google.protobuf.Any` may hold in JSON. Default: none. */
  readonly registry?: Registry;
}

/** Registers the services, and beside them `grpc.health.v1` and gRPC server reflection. */
export function createRouter(options: ConnectRouterOptions): ConnectRouter {
  const { services, chain, bodyLimitOf, reflection, check, registry } = options;
  const router = createConnectRouter({
    acceptCompression: [compressionGzip, compressionBrotli],
    readMaxBytes: bodyLimitOf(Health),
  });
  for (const spec of services) {
    router.service(spec.service, implementationOf(spec), {
      interceptors: chain.interceptors,
      requestGate: chain.gate,
      readMaxBytes: bodyLimitOf(spec.service),
      jsonOptions: {
        ignoreUnknownFields: !isManagement(spec.service),
        ...(registry && { registry }),
      },
    });
  }
  const names = [...services.map(({ service }) => service.typeName), Health.typeName];
  const streaming = { interceptors: [unreadableMessagesInterceptor] };
  router.service(Health, createHealthHandlers({ services: names, check }), streaming);
  if (reflection) {
    const described = [
      ...services.map(({ service }) => service),
      Health,
      ServerReflection,
      ServerReflectionAlpha,
    ];
    const index = createSchemaIndex(described.map(({ file }) => file));
    const handlers = createReflectionHandlers(index, described.map((it) => it.typeName).sort());
    router.service(ServerReflection, handlers, streaming);
    // The messages of both versions have the same fields, but their names make them two types.
    router.service(ServerReflectionAlpha, handlers as never, streaming);
  }
  return router;
}

function implementationOf({ methods }: ServiceImplSpec): Partial<ServiceImpl<DescService>> {
  return Object.fromEntries(
    Object.entries(methods).map(([name, spec]) => [name, spec.impl as never]),
  );
}
