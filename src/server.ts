import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { Logger } from "pino";
import { RecordService } from "../gen/svc/studio/cms/record/v1/record_service_pb.ts";
import { ViewerPlaces } from "./api/delivery/viewer-place.ts";
import { Pipeline } from "./api/pipeline.ts";
import { ReleaseSchedule } from "./api/release-schedule.ts";
import { createServices } from "./api/services.ts";
import { createBillingEvents } from "./api/studio/billing-event.ts";
import { RecordReader } from "./api/studio/record-reader.ts";
import { createIdentityVerifier, type IdentityIssuer } from "./auth/identity-token.ts";
import { openPlaylistUrls } from "./auth/playlist-url.ts";
import { openViewerTokens } from "./auth/viewer-token.ts";
import { PICTURE_PATH } from "./demo/ids.ts";
import { OPERATING } from "./domain/access/roles.ts";
import { databaseUnavailable } from "./domain/base/errors.ts";
import { PageTokens } from "./domain/base/paging.ts";
import {
  DEFAULT_PLAYBACK_LIMITS,
  type PlaybackLimits,
} from "./domain/protection/playback-limits.ts";
import { ConnectInterface } from "./http/connect/connect-interface.ts";
import { StreamSlots } from "./http/connect/grpc-services.ts";
import { Dispatcher } from "./http/dispatcher.ts";
import { BILLING_EVENTS_PATH, billingEndpoint } from "./http/endpoints/billing-events.ts";
import {
  type BrowserPage,
  PREVIEW,
  previewEndpoints,
  REFERENCE,
  referenceEndpoints,
} from "./http/endpoints/browser-pages.ts";
import { openDemoPictures } from "./http/endpoints/demo-picture.ts";
import { createGrpcServices } from "./http/endpoints/grpc-services.ts";
import { healthEndpoints, jsonEndpoint, shuttingDown } from "./http/endpoints/health.ts";
import { metricsEndpoint, type SharedMetrics } from "./http/endpoints/metrics.ts";
import { VERIFY_PATH, verifyEndpoint } from "./http/endpoints/playback-verify.ts";
import { RECORDS_PATH, recordsEndpoint } from "./http/endpoints/records.ts";
import { SCHEMA_DOCUMENTS, schemaEndpoints } from "./http/endpoints/schema.ts";
import { START_PATH, startPage } from "./http/endpoints/start-page.ts";
import { createCors } from "./http/listener/cors.ts";
import { Listener } from "./http/listener/listener.ts";
import { RateLimits, type RateQuotas } from "./http/listener/rate-limits.ts";
import { RequestLoad } from "./http/listener/request-limits.ts";
import { RequestMetrics } from "./http/listener/request-metrics.ts";
import { UnreadResponses } from "./http/listener/unread-responses.ts";
import { ResponseCache } from "./http/response-cache.ts";
import { RestInterface } from "./http/rest/rest-interface.ts";
import { toStatusResponse } from "./http/rest/status.ts";
import { createFindClient } from "./network/client.ts";
import type { Network } from "./network/ip-address.ts";
import { openPlaceDatabases, type PlaceFiles } from "./network/place-databases.ts";
import { Retention, type RetentionOptions } from "./outbox/retention.ts";
import { createSender } from "./outbox/send.ts";
import { createSecret } from "./outbox/signature.ts";
import { checkTarget, type LocalTargets } from "./outbox/target.ts";
import { TrustedClock } from "./outbox/trusted-clock.ts";
import { ActionWorker } from "./outbox/worker.ts";
import type { Store } from "./storage/contract/store.ts";
import type { Tracing } from "./tracing/tracing.ts";

/** A host and a port; port 0 takes any free port. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** The dependencies and options of a server. The caller closes the store. */
export interface ServerOptions extends PlaceFiles, RetentionOptions {
  readonly store: Store;
  readonly log: Logger;
  /** Returns the time; absent: the system's. */
  readonly clock?: () => Date;
  readonly identityIssuers: readonly IdentityIssuer[];
  /** True to serve gRPC server reflection and the schema endpoints. */
  readonly reflection: boolean;
  /** The memory for cached responses of delivery, in MiB; absent or 0: no caching. */
  readonly cacheMib?: number;
  /** The proxies whose X-Forwarded-For is trusted; absent: none. */
  readonly trustedProxies?: readonly Network[];
  /** The request header of trusted proxies with the viewer's country. */
  readonly countryHeader?: string;
  /** The request header of trusted proxies that reports whether the viewer uses a VPN. */
  readonly vpnHeader?: string;
  /** The limits of playback; absent: the defaults. */
  readonly playbackLimits?: PlaybackLimits;
  /** True to let actions call http URLs and private networks; absent: false. */
  readonly actionsAllowPrivate?: boolean;
  /** Origins of receivers on this machine that actions may call, such as the demo's; absent: none. */
  readonly localTargets?: LocalTargets;
  /** True to send runs, apply scheduled releases and delete expired data in this process; absent: true. */
  readonly runsActions?: boolean;
  /** The most requests of a client in a minute; absent: any number. */
  readonly rateQuotas?: RateQuotas;
  /** The most requests in progress; absent: 1,000. */
  readonly maxRequests?: number;
  /** The memory for responses that their readers have not taken yet, in MiB; absent: 256. */
  readonly unreadMib?: number;
  /** True to serve the preview of pages with the Studio API; absent: false. */
  readonly preview?: boolean;
  /** True to serve the pictures of the demo; absent: false. */
  readonly demoPictures?: boolean;
  /** The origins of web pages that may call the Studio API; absent: see `createCors`. */
  readonly studioOrigins?: readonly string[];
  /** The labels of the metric `marquee_build_info`; absent: none. */
  readonly build?: Readonly<Record<string, string>>;
  /** The metrics of all processes that share the ports; absent: this process listens alone. */
  readonly sharedMetrics?: SharedMetrics;
  /** Exports traces; absent: requests are not traced. */
  readonly tracing?: Tracing | undefined;
  readonly listen: Address;
  /** The separate host and port of the Studio API; absent: the common ones. */
  readonly studioListen?: Address;
  /** The separate host and port of the Delivery API; absent: the common ones. */
  readonly deliveryListen?: Address;
}

/** Returns the URL of a listener. */
export function toUrl({ host, port }: Address): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** A running server. */
export interface Server {
  /** The base URL of the Studio API. */
  readonly studioUrl: string;
  /** The base URL of the Delivery API. */
  readonly deliveryUrl: string;
  /** The pages for browsers that are on. */
  readonly pages: readonly BrowserPage[];
  /**
   * Stops accepting requests and finishes those in progress within the grace period, in milliseconds. For `drain`
   * milliseconds before that (default: 0) it still accepts them, but reports that it is not ready.
   */
  close(grace: number, drain?: number): Promise<void>;
}

/** The default of `maxRequests`. */
export const MAX_REQUESTS = 1_000;

/** The default of `unreadMib`. */
export const UNREAD_MIB = 256;

/** The default of `historyMib`. */
const HISTORY_MIB = 1_024;

/** The interfaces that a listener serves. */
interface Interfaces {
  readonly studio: boolean;
  readonly delivery: boolean;
}

/** Composes the whole service and starts it; returns when it is listening. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const {
    store,
    log,
    clock = () => new Date(),
    reflection,
    studioListen,
    deliveryListen,
  } = options;
  const { trustedProxies = [], countryHeader, vpnHeader } = options;
  let isClosing = false;
  /** Reports the readiness of a listener: replicas serve delivery alone. */
  const readReadiness = async ({ delivery }: Interfaces) => {
    if (isClosing) throw shuttingDown();
    const state = await store.readiness();
    if (!state.primary && !delivery) throw databaseUnavailable("the primary does not respond");
    return state;
  };
  for (const { organizationId, id } of await store.access.listOverreachingRoles()) {
    const fields = { organization: organizationId, role: id, permission: OPERATING };
    log.warn(fields, "role names a permission that only the role operator gives; remove it");
  }
  const pageTokenKey = await store.secrets.getOrCreate("page_token_key", () => randomBytes(32));
  const viewerTokens = await openViewerTokens(store, clock());
  const playlistUrls = await openPlaylistUrls(store.secrets);
  const places = await openPlaceDatabases(options, log);
  if (trustedProxies.length === 0 && (countryHeader ?? vpnHeader) !== undefined) {
    log.warn(
      "--country-header or --vpn-header without --trusted-proxies: any client can forge these headers",
    );
  }
  const { actionsAllowPrivate = false, localTargets = new Map(), runsActions = true } = options;
  let worker: ActionWorker | undefined;
  const onRuns = () => worker?.wake();
  const services = createServices({
    store,
    pageTokens: new PageTokens(pageTokenKey),
    identities: createIdentityVerifier(options.identityIssuers),
    viewerTokens,
    places: new ViewerPlaces({ countryHeader, vpnHeader, ...places }),
    lookUpPlace: (address) => ({
      country: places.countryOf?.(address),
      vpn: places.isAnonymous?.(address),
    }),
    playlistUrls,
    playbackLimits: options.playbackLimits ?? DEFAULT_PLAYBACK_LIMITS,
    createId: randomUUID,
    createSecret: () => createSecret(randomBytes),
    checkTarget: (url) =>
      void checkTarget(url, { allowPrivate: actionsAllowPrivate, local: localTargets }),
    onRuns,
  });
  const pipeline = new Pipeline({
    log,
    store,
    services,
    viewerTokens,
    createId: randomUUID,
    onRuns,
    historyBytes: (options.historyMib ?? HISTORY_MIB) * 2 ** 20,
  });
  const schedule = new ReleaseSchedule({
    store,
    pipeline,
    createId: randomUUID,
    clock,
    log,
    onRuns,
  });
  const endpoints = [
    [
      "/.well-known/jwks.json",
      jsonEndpoint(() => viewerTokens.getKeySet(clock()), "public, max-age=300"),
    ] as const,
    ...(options.demoPictures ? [[PICTURE_PATH, openDemoPictures()] as const] : []),
  ];
  const studioReceivers = new Map([
    [BILLING_EVENTS_PATH, billingEndpoint(createBillingEvents(store, randomUUID))],
  ]);
  const recordReader = new RecordReader(store, (headers, now) =>
    pipeline.authenticate(RecordService.method.writeRecords, headers, now),
  );
  const studioStreams = new Map([[RECORDS_PATH, recordsEndpoint(store, recordReader)]]);
  const deliveryEndpoints = [[VERIFY_PATH, verifyEndpoint(playlistUrls)] as const];
  const findClient = createFindClient(trustedProxies);

  const cache = options.cacheMib
    ? new ResponseCache(store, options.cacheMib * 1024 * 1024)
    : undefined;
  const slots = new StreamSlots();
  const load = new RequestLoad(options.maxRequests ?? MAX_REQUESTS);
  const quotas = options.rateQuotas;
  const rateLimits =
    quotas && quotas.perCredential + quotas.perAddress > 0
      ? new RateLimits({ quotas, counts: store.rateCounts, clock, log })
      : undefined;
  const unread = new UnreadResponses((options.unreadMib ?? UNREAD_MIB) * 1024 * 1024);
  const requests = new RequestMetrics();
  const { tracing } = options;
  if (tracing !== undefined) for (const pool of store.pools) tracing.watch(pool);
  const metrics = metricsEndpoint({
    clock,
    store,
    requests,
    load,
    unread,
    cache,
    rateLimits,
    build: options.build ?? {},
    places: places.databases,
    countAttempts: () => worker?.counts ?? {},
    schedule,
    shared: options.sharedMetrics,
  });
  const pages = [...(options.preview ? [PREVIEW] : []), ...(reflection ? [REFERENCE] : [])];
  const links = [...pages, ...(reflection ? SCHEMA_DOCUMENTS : [])];
  const studioEndpoints = [
    [START_PATH, startPage(links, () => store.isEmpty())] as const,
    ["/metrics", metrics] as const,
    ...(reflection ? [...schemaEndpoints(), ...referenceEndpoints()] : []),
    ...(options.preview ? previewEndpoints() : []),
  ];
  const listeners: Listener[] = [];
  const open = async ({ host, port }: Address, interfaces: Interfaces) => {
    const { studio, delivery } = interfaces;
    const readiness = () => readReadiness(interfaces);
    const served = [...(studio ? services.studio : []), ...(delivery ? services.delivery : [])].map(
      ({ desc }) => desc,
    );
    const openServices = createGrpcServices({ services: served, reflection, check: readiness });
    const dispatcher = new Dispatcher({
      log,
      clock: options.clock,
      findClient,
      cors: createCors(options.studioOrigins ?? []),
      endpoints: new Map([
        ...endpoints,
        ...healthEndpoints(readiness),
        ...(studio ? studioEndpoints : []),
        ...(delivery ? deliveryEndpoints : []),
      ]),
      ...(studio && { receivers: studioReceivers, streams: studioStreams }),
      connect: new ConnectInterface({ services: served, openServices, pipeline, slots }),
      toErrorResponse: toStatusResponse,
      cache,
      ...(studio && {
        rest: new RestInterface(
          services.studio.map(({ desc }) => desc),
          pipeline,
        ),
      }),
      rateLimits,
      load,
      unread,
      requests,
      tracer: tracing,
    });
    const listener = new Listener(dispatcher);
    listeners.push(listener);
    const actualPort = await listener.listen({
      host,
      port,
      reusePort: options.sharedMetrics !== undefined,
    });
    return toUrl({ host, port: actualPort });
  };

  const shared: Interfaces = { studio: !studioListen, delivery: !deliveryListen };
  const sharedUrl = shared.studio || shared.delivery ? await open(options.listen, shared) : "";
  const studioUrl = studioListen
    ? await open(studioListen, { studio: true, delivery: false })
    : sharedUrl;
  const deliveryUrl = deliveryListen
    ? await open(deliveryListen, { studio: false, delivery: true })
    : sharedUrl;
  if (runsActions) {
    const sender = createSender({ allowPrivateTargets: actionsAllowPrivate, localTargets });
    worker = new ActionWorker({
      runs: store.actionRuns,
      releases: schedule,
      retention: new Retention(
        store,
        new TrustedClock({ clock, findNewest: () => store.audit.findNewest(), log }),
        options,
      ),
      sender: tracing ? { ...sender, send: tracing.traceSend(sender.send) } : sender,
      clock,
      createId: randomUUID,
      random: Math.random,
      log,
    });
  }
  return {
    studioUrl,
    deliveryUrl,
    pages,
    async close(grace, drain = 0) {
      isClosing = true;
      if (drain > 0) {
        for (const listener of listeners) listener.drain();
        await setTimeout(drain);
      }
      places.close();
      rateLimits?.close();
      await Promise.all([
        ...listeners.map((listener) => listener.close(grace)),
        worker?.close(grace),
      ]);
      await tracing?.close();
    },
  };
}
