import type { DescService } from "@bufbuild/protobuf";
import { createServiceImplSpec, type ServiceImpl, type ServiceImplSpec } from "@connectrpc/connect";
import { file_google_rpc_error_details } from "../../../gen/google/rpc/error_details_pb.ts";
import { file_google_rpc_status } from "../../../gen/google/rpc/status_pb.ts";
import { ServerReflection } from "../../../gen/grpc/reflection/v1/reflection_pb.ts";
import { ServerReflection as ServerReflectionAlpha } from "../../../gen/grpc/reflection/v1alpha/reflection_pb.ts";
import { Health, HealthCheckResponse_ServingStatus } from "../../../gen/health/v1/health_pb.ts";
import { toConnectError } from "../../api/steps/errors.ts";
import { notFound } from "../../domain/base/errors.ts";
import { createReflectionHandlers } from "./grpc-reflection.ts";

/**
 * Creates `grpc.health.v1`, and gRPC server reflection if it is enabled, of services. They need no credentials. `check`
 * throws unless the server can serve calls.
 */
export function createGrpcServices(
  services: readonly DescService[],
  reflection: boolean,
  check: () => Promise<unknown>,
): ServiceImplSpec[] {
  const names = [...services.map(({ typeName }) => typeName), Health.typeName];
  const handlers = createHealthHandlers({ services: names, check });
  const health = createServiceImplSpec<typeof Health>(Health, handlers);
  if (!reflection) return [health];
  const described = [...services, Health, ServerReflection, ServerReflectionAlpha];
  // No method refers to the details of errors, which clients look up to print them.
  const details = [file_google_rpc_error_details, file_google_rpc_status];
  const reflecting = createReflectionHandlers(
    [...described.map(({ file }) => file), ...details],
    described.map((it) => it.typeName).sort(),
  );
  return [
    health,
    createServiceImplSpec<typeof ServerReflection>(ServerReflection, reflecting),
    // The messages of both versions have the same fields, but different type names.
    createServiceImplSpec(ServerReflectionAlpha, reflecting as never),
  ];
}

/** The facts that the health service reports. */
interface HealthSource {
  /** The names of the registered services. */
  readonly services: readonly string[];
  /** Throws unless the server can serve calls. */
  check(): Promise<unknown>;
  /** The interval between checks of a watched status, in milliseconds. Default: 1,000. */
  readonly watchInterval?: number;
}

const { SERVING, NOT_SERVING, SERVICE_UNKNOWN } = HealthCheckResponse_ServingStatus;

/** Creates `grpc.health.v1`: a service is as healthy as the database. */
export function createHealthHandlers(source: HealthSource): ServiceImpl<typeof Health> {
  const serverStatus = (): Promise<HealthCheckResponse_ServingStatus> =>
    source.check().then(
      () => SERVING,
      () => NOT_SERVING,
    );
  const { watchInterval = 1_000 } = source;
  let next: ReturnType<typeof serverStatus> | undefined;
  /** Returns the status at the next check, which all watchers share; without watchers there are none. */
  const nextStatus = () => {
    next ??= new Promise((resolve) => {
      setTimeout(resolve, watchInterval).unref();
    }).then(() => {
      next = undefined;
      return serverStatus();
    });
    return next;
  };
  // The empty name means the server as a whole.
  const isKnown = (service: string) => service === "" || source.services.includes(service);

  return {
    async check({ service }) {
      if (!isKnown(service)) throw toConnectError(notFound("service", service));
      return { status: await serverStatus() };
    },

    async list() {
      const status = await serverStatus();
      return {
        statuses: Object.fromEntries(["", ...source.services].map((name) => [name, { status }])),
      };
    },

    async *watch({ service }, { signal }) {
      let wake = () => {};
      const onAbort = () => wake();
      // One listener per call: one per check would accumulate.
      signal.addEventListener("abort", onAbort);
      try {
        let last: HealthCheckResponse_ServingStatus | undefined;
        let now = await serverStatus();
        for (;;) {
          signal.throwIfAborted();
          const status = isKnown(service) ? now : SERVICE_UNKNOWN;
          if (status !== last) yield { status };
          last = status;
          now = await new Promise((resolve) => {
            wake = () => resolve(now);
            nextStatus().then(resolve);
          });
        }
      } finally {
        signal.removeEventListener("abort", onAbort);
      }
    },
  };
}
