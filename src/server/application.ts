import { randomBytes, randomUUID } from "node:crypto";
import type { Logger } from "pino";
import { ViewerPlaces } from "../api/delivery/viewer-place.ts";
import { Pipeline, type Services } from "../api/pipeline.ts";
import { ProjectReads } from "../api/reads/project-reads.ts";
import { ReleaseSchedule } from "../api/release-schedule.ts";
import { createServices } from "../api/services.ts";
import { StudioSignIns } from "../api/sign-in/studio-sign-ins.ts";
import { Previews } from "../api/steps/preview.ts";
import { createIdentityVerifier, type IdentityIssuer } from "../auth/identity-token.ts";
import { openPlaylistUrls, type PlaylistUrls } from "../auth/playlist-url.ts";
import { StaffProvider } from "../auth/staff-provider.ts";
import { openViewerTokens, type ViewerTokens } from "../auth/viewer-token.ts";
import { OPERATING } from "../domain/access/roles.ts";
import { PageTokens } from "../domain/base/paging.ts";
import {
  DEFAULT_PLAYBACK_LIMITS,
  type PlaybackLimits,
} from "../domain/protection/playback-limits.ts";
import {
  openPlaceDatabases,
  type PlaceDatabases,
  type PlaceFiles,
} from "../network/address-database.ts";
import type { Network } from "../network/ip-address.ts";
import { HISTORY_MIB, type RetentionOptions } from "../outbox/retention.ts";
import { createGuardedFetch } from "../outbox/send.ts";
import { createSecret } from "../outbox/signature.ts";
import { checkTarget, type LocalTargets } from "../outbox/target.ts";
import type { Store } from "../storage/contract/store.ts";

/** The store, the log and the time of a server. */
export interface Surroundings {
  readonly store: Store;
  readonly log: Logger;
  readonly clock: () => Date;
}

/** The options of the targets of actions. */
export interface TargetOptions {
  /** True to let actions call http URLs and private networks; absent: false. */
  readonly actionsAllowPrivate?: boolean;
  /** Origins of receivers on this machine that actions may call, such as the demo's; absent: none. */
  readonly localTargets?: LocalTargets;
}

/** The options of where viewers are: proxies, their headers, and databases. */
export interface LocationOptions extends PlaceFiles {
  /** The proxies whose X-Forwarded-For is trusted; absent: none. */
  readonly trustedProxies?: readonly Network[];
  /** The request header of trusted proxies with the viewer's country. */
  readonly countryHeader?: string | undefined;
  /** The request header of trusted proxies that reports whether the viewer uses a VPN. */
  readonly vpnHeader?: string | undefined;
}

/** The options of the services of both APIs. */
export interface ApplicationOptions extends Surroundings, TargetOptions {
  readonly identityIssuers: readonly IdentityIssuer[];
  readonly location?: LocationOptions;
  readonly retention?: RetentionOptions;
  /** The URL of the Studio API for browsers, without a slash at its end; absent: on this machine, the host of the request. */
  readonly studioUrl?: string | undefined;
  /** The limits of playback; absent: the defaults. */
  readonly playbackLimits?: PlaybackLimits;
}

/** The services of both APIs with the pipeline that calls them, and their tokens, URLs and places. */
export interface Application {
  readonly services: Services;
  readonly pipeline: Pipeline;
  readonly schedule: ReleaseSchedule;
  readonly signIns: StudioSignIns;
  readonly viewerTokens: ViewerTokens;
  readonly playlistUrls: PlaylistUrls;
  readonly places: PlaceDatabases;
}

/** Creates the services over a store. `onRuns` is called when runs of actions were created. */
export async function openApplication(
  options: ApplicationOptions,
  onRuns: () => void,
): Promise<Application> {
  const { store, log, clock } = options;
  const { location = {}, retention: { historyMib = HISTORY_MIB } = {} } = options;
  const { countryHeader, vpnHeader } = location;
  const { actionsAllowPrivate = false, localTargets = new Map() } = options;
  await warnOfOverreachingRoles(store, log);
  const pageTokenKey = await store.secrets.getOrCreate("page_token_key", () => randomBytes(32));
  const viewerTokens = await openViewerTokens(store, clock());
  const playlistUrls = await openPlaylistUrls(store.secrets);
  const places = await openPlaceDatabases(location, log);
  const reads = new ProjectReads(store.delivery ?? store, store);
  const previews = new Previews(store);
  const signInKey = await store.secrets.getOrCreate("sign_in_key", () => randomBytes(32));
  const signIns = new StudioSignIns({
    ...{ store, key: signInKey, createId: randomUUID, studioUrl: options.studioUrl },
    provider: new StaffProvider(createGuardedFetch({ allowPrivate: actionsAllowPrivate })),
  });
  const services = createServices({
    store,
    reads,
    previews,
    signIns,
    pageTokens: new PageTokens(pageTokenKey),
    identities: createIdentityVerifier(options.identityIssuers),
    viewerTokens,
    places: new ViewerPlaces({ countryHeader, vpnHeader, ...places }),
    playlistUrls,
    playbackLimits: options.playbackLimits ?? DEFAULT_PLAYBACK_LIMITS,
    createId: randomUUID,
    createSecret: () => createSecret(randomBytes),
    checkTarget: (url) =>
      void checkTarget(url, { allowPrivate: actionsAllowPrivate, local: localTargets }),
  });
  const parts = { store, log, createId: randomUUID, onRuns };
  const historyBytes = historyMib * 2 ** 20;
  const pipeline = new Pipeline({
    ...{ ...parts, services, reads, previews },
    ...{ viewerTokens, historyBytes },
  });
  const schedule = new ReleaseSchedule({ ...parts, pipeline, clock });
  return { services, pipeline, schedule, signIns, viewerTokens, playlistUrls, places };
}

async function warnOfOverreachingRoles({ access }: Store, log: Logger): Promise<void> {
  for (const { organizationId, id } of await access.listOverreachingRoles()) {
    const fields = { organization: organizationId, role: id, permission: OPERATING };
    log.warn(fields, "role names a permission that only the role operator gives; remove it");
  }
}
