import { randomUUID } from "node:crypto";
import { EventService } from "../../gen/svc/cda/cms/event/v1/event_service_pb.ts";
import { Pipeline } from "../../src/api/pipeline.ts";
import { ProjectReads } from "../../src/api/reads/project-reads.ts";
import type { DeliveryCall } from "../../src/api/steps/delivery-call.ts";
import { Previews } from "../../src/api/steps/preview.ts";
import { type Handlers, implement } from "../../src/api/steps/service.ts";
import { openViewerTokens } from "../../src/auth/viewer-token.ts";
import { ConnectInterface } from "../../src/http/connect/connect-interface.ts";
import { StreamSlots } from "../../src/http/connect/grpc-services.ts";
import { Dispatcher } from "../../src/http/dispatcher.ts";
import { createCors } from "../../src/http/listener/cors.ts";
import { Listener } from "../../src/http/listener/listener.ts";
import { RequestLoad } from "../../src/http/listener/request-load.ts";
import { RequestMetrics } from "../../src/http/listener/request-metrics.ts";
import { UnreadResponses } from "../../src/http/listener/unread-responses.ts";
import { ResponseCache } from "../../src/http/response-cache.ts";
import { createFindClient } from "../../src/network/client.ts";
import { getUrl, PROCEDURES } from "./calls.ts";
import { type CapturedLog, captureLog } from "./captured-log.ts";
import { type HttpResponse, send } from "./http.ts";
import type { Marquee } from "./marquee.ts";

/** A delivery listener whose handlers are a test's own, over another service's keys and changes. */
export interface ReadService {
  readonly url: string;
  readonly captured: CapturedLog;
  /** Lists events by GET; without a word of it, by `worldcup`'s public key and in no coding. */
  list(message?: unknown, more?: { token?: string; headers?: object }): Promise<HttpResponse>;
  /** The number of requests that were dispatched, unlike cached ones. */
  dispatched(): number;
  /** Makes the service say of itself that it is closing. */
  drain(): void;
  /** Puts the clock forward, in milliseconds. */
  wait(time: number): void;
  close(): Promise<void>;
}

/** Starts the listener; what it keeps in memory takes 1 MiB at most. */
export async function startReadService(
  { store, keys }: Marquee,
  handlers: Partial<Handlers<typeof EventService, DeliveryCall>>,
): Promise<ReadService> {
  const captured = captureLog();
  const { log } = captured;
  let now = Date.now();
  const viewerTokens = await openViewerTokens(store, new Date(now));
  const missing = () => Promise.reject(new Error("the test has no such handler"));
  const all = { getEvent: missing, listEvents: missing, ...handlers };
  const events = implement<typeof EventService, DeliveryCall>(EventService, all);
  const services = { studio: [], delivery: [events] };
  const reads = new ProjectReads(store, store);
  const pipeline = new Pipeline({
    log,
    store,
    services,
    reads,
    previews: new Previews(store),
    viewerTokens,
    createId: randomUUID,
  });
  const cache = new ResponseCache(store, 1024 * 1024);
  const load = new RequestLoad(1_000);
  const dispatched = new Set<unknown>();
  const dispatcher = new Dispatcher({
    log,
    clock: () => new Date(now),
    findClient: createFindClient([]),
    cors: createCors([]),
    endpoints: new Map(),
    connect: new ConnectInterface({
      ...{ services: [EventService], pipeline },
      slots: new StreamSlots(),
    }),
    cache,
    load: {
      enter(exchange) {
        dispatched.add(exchange);
        return load.enter(exchange);
      },
      admit: (...args) => load.admit(...args),
      leave: (exchange) => load.leave(exchange),
    },
    requests: new RequestMetrics(),
    unread: new UnreadResponses(256 * 1024 * 1024),
  });
  const listener = new Listener(dispatcher);
  const url = `http://127.0.0.1:${await listener.listen({ host: "127.0.0.1", port: 0 })}`;
  return {
    url,
    captured,
    list: (message = {}, { token = keys.public, headers = {} } = {}) =>
      send("GET", url + getUrl(PROCEDURES.listEvents, message), {
        token,
        headers: { "accept-encoding": "identity", ...headers },
      }),
    dispatched: () => dispatched.size,
    drain() {
      dispatcher.keepsAlive = false;
    },
    wait(time) {
      now += time;
    },
    close: () => listener.close(0),
  };
}
