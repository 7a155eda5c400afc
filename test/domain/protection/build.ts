import { create, fromJson, type JsonObject, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type VideoProtectionRuleset,
  VideoProtectionRulesetSchema,
} from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { runAll } from "../../../src/domain/base/steps.ts";
import type { ProtectedItem, ProtectedKind } from "../../../src/domain/protection/content.ts";
import type { PreparedRulesets } from "../../../src/domain/protection/prepare.ts";
import { checkRuleset, normalizeRuleset } from "../../../src/domain/protection/ruleset.ts";
import {
  type VideoSelection,
  VideoSelector,
} from "../../../src/domain/protection/video-selection.ts";

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

/** Builds an event; `time` and `more` are in its JSON too. */
export function buildItem(
  id: string,
  init: {
    readonly entityIds?: string[];
    readonly time?: string;
    readonly more?: Record<string, string | number>;
  } = {},
): ProtectedItem {
  const { entityIds = [], time, more = {} } = init;
  return {
    kind: "event",
    id,
    entityIds,
    videoIds: [],
    ...(time === undefined ? {} : { time: at(time) }),
    json: {
      id,
      entity_ids: entityIds,
      ...(time === undefined ? {} : { start_time: time }),
      ...more,
    },
  };
}

/** A video, or none, and the content that shows it. */
export interface VideoContent {
  readonly videoId?: string | undefined;
  readonly items: readonly ProtectedItem[];
}

/** Builds a video, `v` by default, and the events and creative works that show it. */
export function buildContent(
  events: readonly ProtectedItem[] = [],
  creativeWorks: readonly ProtectedItem[] = [],
  videoId: string | undefined = "v",
): VideoContent {
  return { videoId, items: [...events, ...toKind("creative_work", creativeWorks)] };
}

/** Makes items of another kind. */
export function toKind(kind: ProtectedKind, items: readonly ProtectedItem[]): ProtectedItem[] {
  return items.map((it) => ({ ...it, kind }));
}

/** Selects the rulesets of a video by all of its content. */
export function selectRulesets(
  rulesets: PreparedRulesets,
  { videoId, items }: VideoContent,
  now: number,
): VideoSelection {
  const selector = new VideoSelector(rulesets, videoId, now);
  for (const item of items) runAll(selector.add(item));
  return selector.selection;
}

function at(time: string) {
  return timestampFromDate(new Date(time));
}
