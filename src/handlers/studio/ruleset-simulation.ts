import { isIP } from "node:net";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import {
  Decision,
  type SimulatedViewer,
  SimulatedViewerSchema,
  type SimulateRulesetsRequest,
  type SimulateRulesetsResponseSchema,
} from "../../../gen/svc/studio/streaming/ruleset/v2/simulation_pb.ts";
import { isCountryCode } from "../../domain/content/country-codes.ts";
import { invalidField } from "../../domain/errors.ts";
import {
  type Allowance,
  type Denial,
  decide,
  lintRuleset,
  listApplicableRulesets,
  type RuleResult,
  type Viewer,
} from "../../domain/protection/index.ts";
import type { Store } from "../../storage/store.ts";
import type { ProtectedVideos } from "../protected-video.ts";

/** What is known of an address; a member that is absent is not known. */
export interface Place {
  /** ISO 3166-1 alpha-2 in upper case. */
  readonly country?: string | undefined;
  readonly vpn?: boolean | undefined;
}

/** Looks up where an IPv4 or IPv6 address is. */
export type LookUpPlace = (address: string) => Place;

/** What a simulation stands on. */
export interface SimulationParts {
  readonly protectedVideos: ProtectedVideos;
  readonly entitlements: Pick<Store["entitlements"], "covers">;
  readonly lookUpPlace: LookUpPlace;
}

/** Says how playback would decide; `now` is the time of the request. */
export type Simulate = (
  request: SimulateRulesetsRequest,
  now: Date,
) => Promise<MessageInitShape<typeof SimulateRulesetsResponseSchema>>;

/**
 * Creates the simulation, which decides by the same code as playback and takes no stream.
 * INVALID_ARGUMENT `COUNTRY_CODE_INVALID` or `ADDRESS_INVALID`; the errors of {@link ProtectedVideos}.
 */
export function createSimulate(parts: SimulationParts): Simulate {
  const { protectedVideos, entitlements, lookUpPlace } = parts;

  return async (request, requestTime) => {
    const viewer = readViewer(request.viewer ?? create(SimulatedViewerSchema), lookUpPlace);
    const now = request.time === undefined ? requestTime : timestampDate(request.time);
    const { projectId, videoId } = request;
    const { video, selection, rulesets } = await protectedVideos.find(projectId, videoId, now);
    const applicable = listApplicableRulesets(selection, viewer.country);
    const [ruleset] = applicable;
    let decision = decide(ruleset, viewer);
    if (decision.kind === "needs_entitlement") {
      const { userId } = decision;
      const coverage = await entitlements.covers({ projectId, userId, now, videoId: video.id });
      decision = decide(ruleset, { ...viewer, entitlement: coverage !== undefined });
    }
    if (decision.kind === "needs_entitlement") throw new Error("the entitlement is known");
    const all = rulesets.map((it) => it.ruleset);
    return {
      decision: decision.kind === "allow" ? Decision.ALLOW : Decision.DENY,
      rulesetId: decision.rulesetId ?? "",
      reason: decision.kind === "deny" ? decision.reason : "",
      rules: describeRules(decision),
      applicableRulesetIds: applicable.map(({ id }) => id),
      // Its filter matches something: otherwise it would not decide.
      warnings: ruleset === undefined ? [] : [...lintRuleset(ruleset, all)],
    };
  };
}

function readViewer(sent: SimulatedViewer, lookUpPlace: LookUpPlace): Viewer {
  const { ipAddress, countryCode, referrer, userId } = sent;
  if (ipAddress !== "" && isIP(ipAddress) === 0) {
    throw invalidField("viewer.ip_address", "ADDRESS_INVALID", "it is no IPv4 or IPv6 address");
  }
  const code = /^[A-Za-z]{2}$/.test(countryCode) ? countryCode.toUpperCase() : countryCode;
  if (code !== "" && !isCountryCode(code)) {
    throw invalidField(
      "viewer.country_code",
      "COUNTRY_CODE_INVALID",
      `'${countryCode}' is not an ISO 3166-1 alpha-2 code`,
    );
  }
  const place = ipAddress === "" ? {} : lookUpPlace(ipAddress);
  return {
    country: code === "" ? place.country : code,
    vpn: sent.vpn ?? place.vpn,
    referrer,
    userId,
  };
}

/** Puts into words that no stream is taken. */
function describeRules(decision: Allowance | Denial): RuleResult[] {
  const claims = decision.kind === "allow" && decision.enforceConcurrency;
  return decision.rules.map((result) =>
    claims && result.rule === "enforce_concurrency_limits"
      ? { ...result, detail: "simulated as if a stream is free" }
      : result,
  );
}
