import { create, fromJson, type JsonObject, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type VideoProtectionRuleset,
  VideoProtectionRulesetSchema,
} from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import type { ContentItem, VideoContent } from "../../../src/domain/protection/index.ts";
import { checkRuleset, normalizeRuleset } from "../../../src/domain/protection/ruleset.ts";

/** What a ruleset is built from. */
export type RulesetInit = MessageInitShape<typeof VideoProtectionRulesetSchema>;

/** The time of every test. */
export const NOW = Date.parse("2026-06-11T18:00:00Z");

/** Builds a ruleset as it is, with the id `r`. */
export function build(init: RulesetInit): VideoProtectionRuleset {
  return create(VideoProtectionRulesetSchema, { id: "r", ...init });
}

/** Builds a ruleset of its ProtoJSON, with the id `r` unless it has one. */
export function readRuleset(json: JsonObject): VideoProtectionRuleset {
  return fromJson(VideoProtectionRulesetSchema, { id: "r", ...json });
}

/** Builds a ruleset the way that it is stored: normalized and checked. */
export function buildStored(init: RulesetInit): VideoProtectionRuleset {
  const ruleset = normalizeRuleset(build(init));
  checkRuleset(ruleset, "video_protection_ruleset");
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

/** Builds a video, `v` by default, and what shows it. */
export function buildContent(
  events: readonly ContentItem[] = [],
  creativeWorks: readonly ContentItem[] = [],
  videoId: string | undefined = "v",
): VideoContent {
  return { videoId, events, creativeWorks };
}

function at(time: string) {
  return timestampFromDate(new Date(time));
}
