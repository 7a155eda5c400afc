import { randomUUID } from "node:crypto";
import { RecordService } from "../../gen/svc/studio/cms/record/v1/record_service_pb.ts";
import { createBillingEvents } from "../api/studio/billing-event.ts";
import { RecordReader } from "../api/studio/record-reader.ts";
import { BILLING_EVENTS_PATH, billingEndpoint } from "../http/endpoints/billing-events.ts";
import {
  REFERENCE,
  referenceEndpoints,
  STUDIO,
  studioEndpoints,
} from "../http/endpoints/browser-pages.ts";
import {
  type BrowserPage,
  openApiEndpoint,
  SCHEMA_DOCUMENTS,
  schemaEndpoints,
} from "../http/endpoints/documents.ts";
import { jsonEndpoint } from "../http/endpoints/health.ts";
import { VERIFY_PATH, verifyEndpoint } from "../http/endpoints/playback-verify.ts";
import { RECORDS_PATH, recordsEndpoint } from "../http/endpoints/records.ts";
import { signInEndpoints } from "../http/endpoints/staff-sign-in.ts";
import { START_PATH, startPage } from "../http/endpoints/start-page.ts";
import type { Endpoint, Receiver } from "../http/listener/exchange.ts";
import type { Application, Surroundings } from "./application.ts";

/** The options of the fixed paths. */
export interface EndpointOptions extends Surroundings {
  /** True to serve gRPC server reflection and the schema endpoints. */
  readonly reflection: boolean;
  /** True to serve the studio with the Studio API; absent: false. */
  readonly studio?: boolean;
  /** Further paths that every listener serves, such as the pictures of the demo; absent: none. */
  readonly endpoints?: readonly PathEndpoint[];
}

/** An endpoint with its path. */
export type PathEndpoint = readonly [path: string, endpoint: Endpoint];

/** The fixed paths that listeners serve in addition to the methods of the APIs. */
export interface Endpoints {
  /** Served by every listener. */
  readonly common: readonly PathEndpoint[];
  readonly studio: readonly PathEndpoint[];
  readonly delivery: readonly PathEndpoint[];
  /** Endpoints that are called like methods of the Studio API, within the limits of calls. */
  readonly receivers: ReadonlyMap<string, Receiver>;
  /** The pages for browsers that are on. */
  readonly pages: readonly BrowserPage[];
}

/** Creates the fixed paths; `metrics` is served with the Studio API. */
export function createEndpoints(
  options: EndpointOptions,
  { pipeline, signIns, viewerTokens, playlistUrls }: Application,
  metrics: Endpoint,
): Endpoints {
  const { store, clock, reflection, studio = false, endpoints = [] } = options;
  const signIn = studio ? signInEndpoints(signIns, options) : undefined;
  const pages = [...(studio ? [STUDIO] : []), ...(reflection ? [REFERENCE] : [])];
  const links = [...pages, ...(reflection ? SCHEMA_DOCUMENTS : [])];
  const keySet = jsonEndpoint(() => viewerTokens.getKeySet(clock()), "public, max-age=300");
  const records = new RecordReader(store, async (headers, now) => {
    const caller = await pipeline.authenticate(RecordService.method.writeRecords, headers, now);
    await pipeline.begin(caller);
    return caller;
  });
  const billing = billingEndpoint(createBillingEvents(store, randomUUID));
  return {
    pages,
    common: [["/.well-known/jwks.json", keySet], ...endpoints],
    studio: [
      [START_PATH, startPage(links, () => store.isEmpty())],
      ["/metrics", metrics],
      ...(reflection ? [...schemaEndpoints(), ...referenceEndpoints()] : []),
      ...(studio ? studioEndpoints(openApiEndpoint()) : []),
      ...(signIn ? [signIn.page] : []),
    ],
    delivery: [[VERIFY_PATH, verifyEndpoint(playlistUrls)]],
    receivers: new Map<string, Receiver>([
      [BILLING_EVENTS_PATH, { method: "POST", receive: billing }],
      [RECORDS_PATH, { method: "GET", receive: recordsEndpoint(store, records) }],
      ...(signIn?.receivers ?? []),
    ]),
  };
}
