import type { ServerHttp2Stream } from "node:http2";
import { type Logger, pino } from "pino";
import type { Handled, NodeRequest } from "./exchange.ts";

/** The logged status of a request whose client disconnected before it was answered. */
const CLIENT_GONE = 499;

/**
 * Logs one line for each request at its end, without the query, which may be private. `start` is the
 * `performance.now()` of the beginning of the request.
 */
export interface AccessLog {
  /** False if the level of the log leaves these lines out. */
  readonly isOn: boolean;
  /** Logs a request whose answer of a status has left this process. */
  logSent(logged: Logged, start: number, status: number): void;
  /** Logs a request when its response closes. */
  logAtClose(handled: Handled, start: number): void;
  /** Logs a request, answered with a status, when its stream closes. */
  logStreamAtClose(logged: Logged, start: number, status: number, stream: ServerHttp2Stream): void;
  /** Logs a request whose client has gone without an answer. */
  logGone(logged: Logged, start: number): void;
}

/** What a line tells of a request. */
export interface Logged extends Pick<Handled, "client" | "method" | "path" | "requestId"> {
  readonly request: Pick<NodeRequest, "httpVersion">;
}

/** Creates the access log in a log, at its level `info`. */
export function createAccessLog(log: Logger): AccessLog {
  if (!log.isLevelEnabled("info")) return OFF;
  const state = log as Logger & LoggerState;
  const stream = state[pino.symbols.streamSym];
  const bindings = state[pino.symbols.chindingsSym];

  // Writes what `log.info` would, in a fraction of the time.
  function writeLine(logged: Logged, start: number, status: number, isComplete: boolean): void {
    const { request, method, path, requestId, client } = logged;
    const duration = Math.round((performance.now() - start) * 1_000) / 1_000;
    stream.write(
      `{"level":30,"time":${Date.now()}${bindings},"request_id":"${requestId}"` +
        `,"method":${JSON.stringify(method)},"path":${JSON.stringify(path)},"status":${status}` +
        `,"complete":${isComplete},"duration_ms":${duration},"http":"${request.httpVersion}"` +
        `,"remote":"${client.address}","msg":"request"}\n`,
    );
  }

  return {
    isOn: true,
    logSent: (logged, start, status) => writeLine(logged, start, status, true),
    logAtClose(handled, start) {
      const { response } = handled;
      response.once("close", () => {
        const status = response.headersSent ? response.statusCode : CLIENT_GONE;
        writeLine(handled, start, status, response.writableFinished);
      });
    },
    logStreamAtClose(logged, start, status, stream) {
      stream.once("close", () => writeLine(logged, start, status, stream.writableFinished));
    },
    logGone: (logged, start) => writeLine(logged, start, CLIENT_GONE, false),
  };
}

const OFF: AccessLog = {
  isOn: false,
  logSent() {},
  logAtClose() {},
  logStreamAtClose() {},
  logGone() {},
};

/** What a logger of pino has under its symbols. */
interface LoggerState {
  readonly [pino.symbols.streamSym]: pino.DestinationStream;
  /** The members that every line has, as JSON after a comma. */
  readonly [pino.symbols.chindingsSym]: string;
}

/** Logs data on a connection that was not a request. */
export function logUnreadable(
  log: Logger,
  { requestId, status, remote }: { requestId: string; status: number; remote: string | undefined },
): void {
  log.info({ request_id: requestId, status, remote }, "unreadable");
}
