import type { DescService } from "@bufbuild/protobuf";
import { createServiceImplSpec, type ServiceImplSpec } from "@connectrpc/connect";
import { file_google_rpc_error_details } from "../../../gen/google/rpc/error_details_pb.ts";
import { file_google_rpc_status } from "../../../gen/google/rpc/status_pb.ts";
import { ServerReflection } from "../../../gen/grpc/reflection/v1/reflection_pb.ts";
import { ServerReflection as ServerReflectionAlpha } from "../../../gen/grpc/reflection/v1alpha/reflection_pb.ts";
import { Health } from "../../../gen/health/v1/health_pb.ts";
import { createHealthHandlers } from "./grpc-health.ts";
import { createReflectionHandlers } from "./grpc-reflection.ts";
import { SchemaIndex } from "./schema-index.ts";

/** The facts about a listener that gRPC health and reflection report. */
export interface GrpcServicesOptions {
  readonly services: readonly DescService[];
  /** True to serve reflection. */
  readonly reflection: boolean;
  /** Throws unless the server can serve calls. */
  readonly check: () => Promise<unknown>;
}

/** Creates `grpc.health.v1`, and gRPC server reflection if it is enabled. They need no credentials. */
export function createGrpcServices(options: GrpcServicesOptions): ServiceImplSpec[] {
  const { services, reflection, check } = options;
  const names = [...services.map(({ typeName }) => typeName), Health.typeName];
  const health = createServiceImplSpec<typeof Health>(
    Health,
    createHealthHandlers({ services: names, check }),
  );
  if (!reflection) return [health];
  const described = [...services, Health, ServerReflection, ServerReflectionAlpha];
  const index = new SchemaIndex([
    ...described.map(({ file }) => file),
    // No method refers to the details of errors, which clients look up to print them.
    ...[file_google_rpc_error_details, file_google_rpc_status],
  ]);
  const handlers = createReflectionHandlers(index, described.map((it) => it.typeName).sort());
  return [
    health,
    createServiceImplSpec<typeof ServerReflection>(ServerReflection, handlers),
    // The messages of both versions have the same fields, but different type names.
    createServiceImplSpec(ServerReflectionAlpha, handlers as never),
  ];
}
