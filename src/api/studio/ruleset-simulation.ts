import { isIP } from "node:net";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  Availability,
  Decision,
  type SimulatedViewer,
  SimulatedViewerSchema,
  type SimulateRulesetsRequest,
  type SimulateRulesetsResponseSchema,
} from "../../../gen/svc/studio/streaming/ruleset/v2/simulation_pb.ts";
import type { Video } from "../../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import { type Window, WindowSchema } from "../../../gen/svc/type/v1/window_pb.ts";
import type { ResourceRef } from "../../domain/access/permissions.ts";
import { checkField } from "../../domain/base/field-errors.ts";
import { toDate } from "../../domain/base/time.ts";
import type { Warning } from "../../domain/base/warnings.ts";
import type { WorkBudget } from "../../domain/base/work-budget.ts";
import { checkCountryCode } from "../../domain/content/country-codes.ts";
import { toPeriod, WINDOW_PATHS } from "../../domain/content/window.ts";
import { type KqlNode, parseKql } from "../../domain/kql/index.ts";
import {
  type Allowance,
  type Denial,
  decide,
  lacksEntitlement,
  type RuleResult,
  type Viewer,
} from "../../domain/protection/decide.ts";
import { lintRuleset } from "../../domain/protection/lint.ts";
import { listApplicableRulesets } from "../../domain/protection/video-selection.ts";
import type { ContentStore } from "../../storage/contract/content-store.ts";
import type { Store } from "../../storage/contract/store.ts";
import { DraftMemory, openReleaseOverlay } from "../../storage/releases/release-overlay.ts";
import { hasVideo, ProtectedVideos } from "../delivery/protected-video.ts";
import type { ViewerPlaces } from "../delivery/viewer-place.ts";
import { ProjectRulesets } from "../reads/project-reads.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { matchesSomething } from "./written-warnings.ts";

/** The bytes of merged drafts that simulations keep. */
const MEMORY = 16 * 1024 * 1024;

/** Simulates playback with its decision code, and acquires no stream. */
export class RulesetSimulation {
  readonly #store: Store;
  readonly #protectedVideos: ProtectedVideos;
  readonly #places: Pick<ViewerPlaces, "lookUp">;
  readonly #memory = new DraftMemory(MEMORY);

  constructor(
    store: Store,
    protectedVideos: ProtectedVideos,
    places: Pick<ViewerPlaces, "lookUp">,
  ) {
    this.#store = store;
    this.#protectedVideos = protectedVideos;
    this.#places = places;
  }

  /**
   * Decides as playback would at the time of the request, unless it names another; with a release, as if that were
   * applied. INVALID_ARGUMENT `COUNTRY_CODE_INVALID` or `ADDRESS_INVALID`; fails like {@link ProtectedVideos}.
   */
  async simulate(
    request: SimulateRulesetsRequest,
    { now: requestTime, release, budget }: Pick<StudioCall, "budget" | "now" | "release">,
  ): Promise<MessageInitShape<typeof SimulateRulesetsResponseSchema>> {
    const viewer = readViewer(request.viewer ?? create(SimulatedViewerSchema), this.#places);
    const now = request.time === undefined ? requestTime : toDate(request.time);
    const { projectId, videoId } = request;
    const version = release ? this.#openRelease(release, budget) : this.#current;
    const asked = { projectId, videoId, now, budget };
    const { video, selection, rulesets } = await version.videos.find(asked);
    const applicable = listApplicableRulesets(selection, viewer.country);
    const [ruleset] = applicable;
    let decision = decide(ruleset, viewer);
    const { userId } = viewer;
    if (lacksEntitlement(decision) && userId) {
      const watched = { projectId, userId, now, budget, videoId: video.id };
      const coverage = await this.#store.entitlements.covers(watched);
      if (coverage) decision = decide(ruleset, { ...viewer, entitlement: true });
    }
    const all = rulesets.map((prepared) => prepared.ruleset);
    return {
      decision: decision.kind === "allow" ? Decision.ALLOW : Decision.DENY,
      rulesetId: decision.rulesetId ?? "",
      reason: decision.kind === "deny" ? decision.reason : "",
      rules: describeRules(decision),
      applicableRulesetIds: applicable.map(({ id }) => id),
      warnings: [
        // The filter of a deciding ruleset matches at least this video.
        ...(ruleset === undefined ? [] : lintRuleset(ruleset, all)),
        ...(await listVideoWarnings(video, version, { now, budget })),
      ],
      availability: toAvailability(video.availability, now),
    };
  }

  /** The current version. */
  get #current(): Version {
    const { events, creativeWorks } = this.#store;
    return { events, creativeWorks, videos: this.#protectedVideos };
  }

  /** Returns the videos of a project with the content and the rulesets of a release. */
  #openRelease(
    { id: releaseId, organizationId, projectId = "" }: ResourceRef,
    budget: WorkBudget,
  ): Version {
    const store = this.#store;
    const { videos } = store;
    const overlay = openReleaseOverlay({
      current: store,
      organization: store.in(organizationId),
      projectId,
      releaseIds: [releaseId],
      items: store.releaseItems,
      memory: this.#memory,
      budget,
    });
    const { events, creativeWorks, rulesets } = overlay;
    // Drafts move no revision, so nothing may be cached by it.
    const knownRevision = () => undefined;
    const projectRulesets = new ProjectRulesets(rulesets, { knownRevision });
    const stores = { events, creativeWorks, videos, knownRevision };
    return { events, creativeWorks, videos: new ProtectedVideos(stores, projectRulesets) };
  }
}

/** The videos of projects, and the content that shows them. */
interface Version extends Pick<Store, "creativeWorks" | "events"> {
  readonly videos: ProtectedVideos;
}

function toAvailability(window: Window = create(WindowSchema), now: Date): Availability {
  const { from, until } = toPeriod(window);
  if (now.getTime() < from) return Availability.BEFORE;
  return now.getTime() < until ? Availability.OPEN : Availability.AFTER;
}

/** Warns of a video without an end that only items with an end show: it plays on for those who know its id. */
async function listVideoWarnings(
  { id, projectId, availability }: Video,
  { events, creativeWorks }: Version,
  call: Pick<StudioCall, "budget" | "now">,
): Promise<readonly Warning[]> {
  if (availability?.endTime !== undefined) return [];
  const item = parseKql(`${WINDOW_PATHS[1]}: *`);
  const { span } = item;
  const isShown = (clause: KqlNode) => {
    const filter: KqlNode = { type: "and", items: [hasVideo(id), clause], span };
    return (store: ContentStore) => matchesSomething(store, projectId, filter, call);
  };
  const stores = [events, creativeWorks];
  const isShownForEver = await Promise.all(stores.map(isShown({ type: "not", item, span })));
  if (isShownForEver.includes(true)) return [];
  const isShownUntil = await Promise.all(stores.map(isShown(item)));
  if (!isShownUntil.includes(true)) return [];
  const message = "the video has no end, but all items that show it end; set availability.end_time";
  return [{ code: "VIDEO_OUTLIVES_ITEM", message }];
}

function readViewer(sent: SimulatedViewer, places: Pick<ViewerPlaces, "lookUp">): Viewer {
  const { ipAddress, countryCode, referrer, userId } = sent;
  const isAddress = ipAddress === "" || isIP(ipAddress) !== 0;
  const address = "must be an IPv4 or IPv6 address";
  checkField(isAddress, "viewer.ip_address", "ADDRESS_INVALID", address);
  const code = /^[A-Za-z]{2}$/.test(countryCode) ? countryCode.toUpperCase() : countryCode;
  if (code !== "") checkCountryCode(code, "viewer.country_code");
  const viewerPlace = ipAddress === "" ? {} : places.lookUp(ipAddress);
  return {
    country: code === "" ? viewerPlace.country : code,
    vpn: sent.vpn ?? viewerPlace.vpn,
    referrer,
    userId,
  };
}

/** Explains that no stream was acquired. */
function describeRules(decision: Allowance | Denial): RuleResult[] {
  const claims = decision.kind === "allow" && decision.enforceConcurrency;
  return decision.rules.map((result) =>
    claims && result.rule === "enforce_concurrency_limits"
      ? { ...result, detail: "simulated as if a stream is free" }
      : result,
  );
}
