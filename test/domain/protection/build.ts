import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type VideoProtectionRuleset,
  VideoProtectionRulesetSchema,
} from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import type { ContentItem, VideoContent, Viewer } from "../../../src/domain/protection/index.ts";
import {
  decide,
  pickRuleset,
  prepareRulesets,
  selectRulesets,
} from "../../../src/domain/protection/index.ts";
import { checkRuleset, normalizeRuleset } from "../../../src/domain/protection/ruleset.ts";

/** What a ruleset is built from. */
export type RulesetInit = MessageInitShape<typeof VideoProtectionRulesetSchema>;

/** The time of every test. */
export const NOW = Date.parse("2026-06-11T18:00:00Z");

/** Builds a ruleset as it is, with the id `r`. */
export function build(init: RulesetInit): VideoProtectionRuleset {
  return create(VideoProtectionRulesetSchema, { id: "r", ...init });
}

/** Builds a ruleset the way that it is stored: normalized and checked. */
export function buildStored(init: RulesetInit): VideoProtectionRuleset {
  const ruleset = normalizeRuleset(build(init));
  checkRuleset(ruleset);
  return ruleset;
}

/** A part of a ruleset for each member of its groups. */
export const GROUPS = {
  geoAllow: (...countryCodes: string[]) => ({
    geoRestrictions: { case: "geoRestrictionsAllow", value: { countryCodes } },
  }),
  geoDisallow: (...countryCodes: string[]) => ({
    geoRestrictions: { case: "geoRestrictionsDisallow", value: { countryCodes } },
  }),
  geoAll: (value: boolean) => ({ geoRestrictions: { case: "allowAllGeographies", value } }),
  domains: (...domains: string[]) => ({
    domainRestrictions: { case: "domains", value: { domains } },
  }),
  allDomains: (value: boolean) => ({ domainRestrictions: { case: "allowAllDomains", value } }),
  apply: (...countryCodes: string[]) => ({
    geoApplicability: { case: "geoApplicabilityApply", value: { countryCodes } },
  }),
  exempt: (...countryCodes: string[]) => ({
    geoApplicability: { case: "geoApplicabilityExempt", value: { countryCodes } },
  }),
  all: (value: boolean) => ({ applicability: { case: "appliesToAll", value } }),
  target: ({ from, until, ...ids }: TargetInit) => ({
    applicability: {
      case: "target",
      value: {
        ...ids,
        ...(from === undefined ? {} : { contentStartTime: at(from) }),
        ...(until === undefined ? {} : { contentEndTime: at(until) }),
      },
    },
  }),
  filter: (filterEvents: string, filterCreativeWorks = "") => ({
    applicability: { case: "filter", value: { filterEvents, filterCreativeWorks } },
  }),
} satisfies Record<string, (...args: never[]) => RulesetInit>;

interface TargetInit {
  readonly videoIds?: string[];
  readonly eventIds?: string[];
  readonly creativeWorkIds?: string[];
  readonly entityIds?: string[];
  readonly from?: string;
  readonly until?: string;
}

/** Builds an event or creative work; `time` and `more` are in its JSON too. */
export function buildItem(
  id: string,
  init: {
    readonly entityIds?: string[];
    readonly time?: string;
    readonly more?: Record<string, string | number>;
  } = {},
): ContentItem {
  const { entityIds = [], time, more = {} } = init;
  return {
    id,
    entityIds,
    ...(time === undefined ? {} : { time: at(time) }),
    json: {
      id,
      entity_ids: entityIds,
      ...(time === undefined ? {} : { start_time: time }),
      ...more,
    },
  };
}

/** Builds a video, `v` unless told, and what shows it. */
export function buildContent(
  events: readonly ContentItem[] = [],
  creativeWorks: readonly ContentItem[] = [],
  videoId: string | undefined = "v",
): VideoContent {
  return { videoId, events, creativeWorks };
}

/** Tells whether a ruleset applies when it is the only one. */
export function appliesAlone(init: RulesetInit, content: VideoContent, country?: string): boolean {
  const selection = selectRulesets(prepareRulesets([build(init)]), content, NOW);
  return pickRuleset(selection, country) !== undefined;
}

/** Decides and answers `allow`, the reason of the denial, or `needs_entitlement`. */
export function decideInShort(init: RulesetInit | undefined, viewer: Viewer): string {
  const decision = decide(init === undefined ? undefined : build(init), viewer);
  return decision.kind === "deny" ? decision.reason : decision.kind;
}

function at(time: string) {
  return timestampFromDate(new Date(time));
}
