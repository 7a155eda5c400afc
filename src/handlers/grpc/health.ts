import type { ServiceImpl } from "@connectrpc/connect";
import {
  type Health,
  HealthCheckResponse_ServingStatus,
} from "../../../gen/health/v1/health_pb.ts";
import { notFound } from "../../domain/errors.ts";
import { toConnectError } from "../../interceptors/errors.ts";

/** What the health service knows of the server. */
export interface HealthSource {
  /** The names of the registered services. */
  readonly services: readonly string[];
  /** Returns when the server can answer calls, and throws otherwise. */
  check(): Promise<void>;
}

/** How often a watched status is looked at, in milliseconds. */
const WATCH_INTERVAL = 1_000;

const { SERVING, NOT_SERVING, SERVICE_UNKNOWN } = HealthCheckResponse_ServingStatus;

/** Creates `grpc.health.v1`: a service is as healthy as the database that it stands on. */
export function createHealthHandlers(source: HealthSource): ServiceImpl<typeof Health> {
  const serverStatus = () =>
    source.check().then(
      () => SERVING,
      () => NOT_SERVING,
    );
  // The empty name stands for the server as a whole.
  const isKnown = (service: string) => service === "" || source.services.includes(service);
  const statusOf = async (service: string) => (isKnown(service) ? serverStatus() : SERVICE_UNKNOWN);

  return {
    async check({ service }) {
      const status = await statusOf(service);
      if (status === SERVICE_UNKNOWN) {
        throw toConnectError(notFound(`service ${service}`));
      }
      return { status };
    },

    async list() {
      const status = await serverStatus();
      return {
        statuses: Object.fromEntries(["", ...source.services].map((name) => [name, { status }])),
      };
    },

    async *watch({ service }, { signal }) {
      let last: HealthCheckResponse_ServingStatus | undefined;
      while (!signal.aborted) {
        const status = await statusOf(service);
        if (status !== last) yield { status };
        last = status;
        await sleep(WATCH_INTERVAL, signal);
      }
    },
  };
}

function sleep(time: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, time);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
