import { databaseUnavailable } from "../domain/base/errors.ts";
import { ConnectInterface } from "../http/connect/connect-interface.ts";
import { StreamSlots } from "../http/connect/grpc-services.ts";
import { Dispatcher } from "../http/dispatcher.ts";
import type { BrowserPage } from "../http/endpoints/documents.ts";
import { createGrpcServices } from "../http/endpoints/grpc-services.ts";
import { healthEndpoints, shuttingDown } from "../http/endpoints/health.ts";
import { metricsEndpoint, type SharedMetrics } from "../http/endpoints/metrics.ts";
import { createCors } from "../http/listener/cors.ts";
import { type Address, Listener, toUrl } from "../http/listener/listener.ts";
import { RateLimits, type RateQuotas } from "../http/listener/rate-limits.ts";
import { RequestLoad } from "../http/listener/request-load.ts";
import { RequestMetrics } from "../http/listener/request-metrics.ts";
import { UnreadResponses } from "../http/listener/unread-responses.ts";
import { ResponseCache } from "../http/response-cache.ts";
import { RestInterface } from "../http/rest/rest-interface.ts";
import { Waits } from "../http/waits.ts";
import { createFindClient } from "../network/client.ts";
import type { Tracing } from "../telemetry/tracing.ts";
import type { Application, LocationOptions } from "./application.ts";
import { createEndpoints, type EndpointOptions, type Endpoints } from "./endpoints.ts";

/** The limits of a process. */
export interface LimitOptions {
  /** The memory for cached responses of delivery, in MiB; absent or 0: no caching. */
  readonly cacheMib?: number;
  /** The most requests of a client in a minute; absent: any number. */
  readonly rateQuotas?: RateQuotas;
  /** The most requests in progress; absent: 1,000. */
  readonly maxRequests?: number;
  /** The most reads that wait for a change, twice the number of different ones; absent: 2,000. */
  readonly maxWaiting?: number;
  /** The memory for responses that their readers have not taken yet, in MiB; absent: 256. */
  readonly unreadMib?: number;
}

/** The options of the listeners. */
export interface ListenerOptions extends EndpointOptions {
  readonly listen: Address;
  /** The separate host and port of the Studio API; absent: the common ones. */
  readonly studioListen?: Address;
  /** The separate host and port of the Delivery API; absent: the common ones. */
  readonly deliveryListen?: Address;
  readonly limits?: LimitOptions;
  readonly location?: LocationOptions;
  /** The origins of web pages that may call the Studio API; absent: see `createCors`. */
  readonly studioOrigins?: readonly string[];
  /** The labels of the metric `marquee_build_info`; absent: none. */
  readonly build?: Readonly<Record<string, string>>;
  /** The metrics of all processes that share the ports; absent: this process listens alone. */
  readonly sharedMetrics?: SharedMetrics;
  /** Exports traces; absent: requests are not traced. */
  readonly tracing?: Tracing | undefined;
}

/** The interfaces that a listener serves. */
interface Interfaces {
  readonly studio: boolean;
  readonly delivery: boolean;
}

/** The listeners of a server. */
export class Listeners {
  readonly #application: Application;
  readonly #options: ListenerOptions;
  readonly #shared: ReturnType<typeof createSharedParts>;
  readonly #endpoints: Endpoints;
  readonly #slots = new StreamSlots();
  readonly #listeners: Listener[] = [];
  #isClosing = false;

  /** `countAttempts` counts the attempts of this process to send a run, by outcome. */
  constructor(
    options: ListenerOptions,
    application: Application,
    countAttempts: () => Readonly<Record<string, number>>,
  ) {
    const { store, clock } = options;
    const { schedule, places } = application;
    this.#application = application;
    this.#options = options;
    this.#shared = createSharedParts(options);
    const metrics = metricsEndpoint({
      ...this.#shared,
      ...{ clock, store, schedule, countAttempts },
      places: places.databases,
      build: options.build ?? {},
      shared: options.sharedMetrics,
    });
    this.#endpoints = createEndpoints(options, application, metrics);
  }

  /** The pages for browsers that are on. */
  get pages(): readonly BrowserPage[] {
    return this.#endpoints.pages;
  }

  /** Listens, and returns the base URLs of both APIs. */
  async open(): Promise<{ readonly studioUrl: string; readonly deliveryUrl: string }> {
    const { listen, studioListen, deliveryListen } = this.#options;
    const common: Interfaces = { studio: !studioListen, delivery: !deliveryListen };
    const url = common.studio || common.delivery ? await this.#listen(listen, common) : "";
    return {
      studioUrl: studioListen
        ? await this.#listen(studioListen, { studio: true, delivery: false })
        : url,
      deliveryUrl: deliveryListen
        ? await this.#listen(deliveryListen, { studio: false, delivery: true })
        : url,
    };
  }

  /** Accepts requests as before, but reports that the server is not ready. */
  drain(): void {
    this.#isClosing = true;
    this.#shared.waits.end();
    for (const listener of this.#listeners) listener.drain();
  }

  /** Stops accepting requests and finishes those in progress within the grace period, in milliseconds. */
  async close(grace: number): Promise<void> {
    this.#isClosing = true;
    this.#shared.rateLimits?.close();
    this.#shared.waits.end();
    await Promise.all(this.#listeners.map((listener) => listener.close(grace)));
  }

  async #listen(address: Address, interfaces: Interfaces): Promise<string> {
    const listener = new Listener(this.#createDispatcher(interfaces));
    this.#listeners.push(listener);
    const port = await listener.listen(address, this.#options.sharedMetrics !== undefined);
    return toUrl({ ...address, port });
  }

  #createDispatcher(interfaces: Interfaces): Dispatcher {
    const { services, pipeline } = this.#application;
    const {
      log,
      clock,
      reflection,
      studioOrigins = [],
      location: { trustedProxies = [] } = {},
      tracing,
      studio: hasStudio = false,
    } = this.#options;
    const { common, studio, delivery, receivers } = this.#endpoints;
    const readiness = () => this.#readReadiness(interfaces);
    // The studio calls its own origin alone, where its sessions count: it reads previews of the Delivery API there.
    const hasDelivery = interfaces.delivery || (interfaces.studio && hasStudio);
    const served = [
      ...(interfaces.studio ? services.studio : []),
      ...(hasDelivery ? services.delivery : []),
    ].map(({ desc }) => desc);
    const openServices = createGrpcServices(served, reflection, readiness);
    const slots = this.#slots;
    return new Dispatcher({
      ...this.#shared,
      ...{ log, clock, tracer: tracing },
      findClient: createFindClient(trustedProxies),
      cors: createCors(studioOrigins),
      endpoints: new Map([
        ...common,
        ...healthEndpoints(readiness),
        ...(interfaces.studio ? studio : []),
        ...(interfaces.delivery ? delivery : []),
      ]),
      connect: new ConnectInterface({ services: served, openServices, pipeline, slots }),
      ...(interfaces.studio !== hasDelivery && {
        only: interfaces.studio ? "Studio API" : "Delivery API",
      }),
      ...(interfaces.studio && {
        receivers,
        rest: new RestInterface(
          services.studio.map(({ desc }) => desc),
          pipeline,
        ),
      }),
    });
  }

  /** Reports the readiness of a listener: replicas serve delivery alone. */
  async #readReadiness({ delivery }: Interfaces) {
    if (this.#isClosing) throw shuttingDown();
    const state = await this.#options.store.readiness();
    if (!state.primary && !delivery) throw databaseUnavailable("the primary does not respond");
    return state;
  }
}

/** Creates the limits, the cache and the counts that all listeners share. */
function createSharedParts({ store, log, clock, limits = {} }: ListenerOptions) {
  const { cacheMib = 0, maxRequests = 1_000, maxWaiting: max = 2_000, unreadMib = 256 } = limits;
  const { rateQuotas: quotas } = limits;
  const isLimited = quotas !== undefined && quotas.perCredential + quotas.perAddress > 0;
  return {
    load: new RequestLoad(maxRequests),
    waits: new Waits({ store, clock, max }),
    cache: cacheMib > 0 ? new ResponseCache(store, cacheMib * 2 ** 20) : undefined,
    rateLimits: isLimited
      ? new RateLimits({ quotas, counts: store.rateCounts, clock, log })
      : undefined,
    requests: new RequestMetrics(),
    unread: new UnreadResponses(unreadMib * 2 ** 20),
  };
}
