import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type VideoProtectionRuleset,
  VideoProtectionRulesetSchema,
} from "../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { WORLD_CUP } from "../ids.ts";

/**
 * Creates the rulesets of the World Cup. Only the default one applies to the videos of 2026, so that any viewer can
 * play them.
 */
export function createRulesets(): readonly VideoProtectionRuleset[] {
  return [
    toRuleset("ruleset-default", "Everything, everywhere", {
      geoRestrictions: { case: "allowAllGeographies", value: true },
      domainRestrictions: { case: "allowAllDomains", value: true },
      disallowHotlinking: false,
      applicability: { case: "appliesToAll", value: true },
      drm: { enabled: false },
    }),
    toRuleset("ruleset-finals", "Earlier finals in German-speaking countries", {
      geoRestrictions: {
        case: "geoRestrictionsAllow",
        value: { countryCodes: ["AT", "CH", "DE", "LI"] },
      },
      applicability: {
        case: "target",
        value: {
          eventIds: ["match-2018-64", "match-2022-64"],
          contentStartTime: timestampFromDate(new Date("2018-01-01T00:00:00Z")),
          contentEndTime: timestampFromDate(new Date("2023-01-01T00:00:00Z")),
        },
      },
      drm: { enabled: true, hwsMinimumQuality: 720, splitKeys: true },
      priority: 100n,
    }),
    toRuleset("ruleset-subscribers", "Knock-out stage of 2022 for subscribers", {
      disallowVpnUsage: true,
      disallowHotlinking: true,
      requireAuthentication: true,
      requireEntitlement: true,
      enforceConcurrencyLimits: true,
      applicability: {
        case: "filter",
        value: {
          filterEvents: 'fields.season.id: "2022" and fields.stage: knockout',
          filterCreativeWorks: 'content_type: highlights and fields.season.id: "2022"',
        },
      },
      priority: 50n,
    }),
    toRuleset("ruleset-opening-2018", "Opening match of 2018, as it was sold then", {
      geoRestrictions: { case: "geoRestrictionsDisallow", value: { countryCodes: ["US"] } },
      domainRestrictions: { case: "domains", value: { domains: ["worldcup.example"] } },
      geoApplicability: { case: "geoApplicabilityExempt", value: { countryCodes: ["RU"] } },
      applicability: { case: "target", value: { videoIds: ["video-match-2018-1"] } },
      disabled: true,
      priority: 10n,
    }),
  ];
}

function toRuleset(
  id: string,
  name: string,
  rest: MessageInitShape<typeof VideoProtectionRulesetSchema>,
): VideoProtectionRuleset {
  return create(VideoProtectionRulesetSchema, { id, projectId: WORLD_CUP, name, ...rest });
}
