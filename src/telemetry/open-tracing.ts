import type { Logger } from "pino";
import type { Tracing } from "./tracing.ts";

/** The package that traces need in addition to the dependencies of the service. */
const SDK = "@opentelemetry/sdk-node";

/**
 * Starts the SDK of OpenTelemetry, which reads its settings from the environment; undefined if no exporter is
 * configured. Without its package the service runs without traces and logs a warning.
 */
export async function openTracing(
  env: NodeJS.ProcessEnv,
  log: Logger,
): Promise<Tracing | undefined> {
  if (!isConfigured(env)) return undefined;
  try {
    const { startNodeSdk } = await import("@opentelemetry/sdk-node");
    const sdk = startNodeSdk({
      // Metrics are served by /metrics, and the log is on standard error.
      metricReaders: [],
      logRecordProcessors: [],
      ...(!hasName(env) && { resourceAttributes: { "service.name": "marquee" } }),
    });
    const { createTracing } = await import("./tracing.ts");
    return createTracing(() => sdk.shutdown());
  } catch (cause) {
    if (!isMissing(cause)) throw cause;
    log.warn(`no traces are exported, because ${SDK} is not installed: run npm install ${SDK}`);
    return undefined;
  }
}

/** Reports whether the environment names an exporter of traces. */
function isConfigured(env: NodeJS.ProcessEnv): boolean {
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === "true") return false;
  const exporter = env.OTEL_TRACES_EXPORTER;
  if (exporter !== undefined && exporter !== "") return exporter !== "none";
  return Boolean(env.OTEL_EXPORTER_OTLP_ENDPOINT || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);
}

function hasName({ OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES = "" }: NodeJS.ProcessEnv): boolean {
  return Boolean(OTEL_SERVICE_NAME) || /(^|,)\s*service\.name=/.test(OTEL_RESOURCE_ATTRIBUTES);
}

function isMissing(cause: unknown): boolean {
  return (
    cause instanceof Error &&
    (cause as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND" &&
    cause.message.includes(SDK)
  );
}
