import type {
  ContentFilter,
  Target,
  VideoProtectionRuleset,
} from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import type { ContentKind } from "./content.ts";
import { type PreparedFilter, prepareFilter } from "./filter.ts";
import { compareByPrecedence } from "./precedence.ts";
import { type GeoRestrictions, readGeoRestrictions } from "./rules/geo.ts";
import { RulesetIndex } from "./ruleset-index.ts";
import { readViewers, type Viewers } from "./viewers.ts";

/** What a target selects. */
export interface PreparedTarget {
  readonly videoIds: ReadonlySet<string>;
  readonly eventIds: ReadonlySet<string>;
  readonly creativeWorkIds: ReadonlySet<string>;
  readonly entityIds: ReadonlySet<string>;
  readonly target: Target;
}

/** Which content a ruleset is for. */
export type Selection =
  | { readonly kind: "nothing" }
  | { readonly kind: "everything" }
  | ({ readonly kind: "target" } & PreparedTarget)
  | {
      readonly kind: "filter";
      readonly events: PreparedFilter | undefined;
      readonly creativeWorks: PreparedFilter | undefined;
    };

/** A ruleset made ready to be asked often. */
export interface PreparedRuleset {
  readonly ruleset: VideoProtectionRuleset;
  readonly viewers: Viewers;
  readonly geo: GeoRestrictions;
  readonly selection: Selection;
}

/** The rulesets of a project, the one that wins first. */
export type PreparedRulesets = readonly PreparedRuleset[] & {
  readonly index: RulesetIndex;
  /** How many of them may apply to a video by content of a kind that shows it. */
  readonly selectable: Readonly<Record<ContentKind, number>>;
};

/**
 * Prepares all rulesets of a project, which are in the form that `normalizeRuleset` gives and were
 * checked; the order does not matter. It parses each filter once; whoever asks more than once keeps
 * the result until a ruleset changes. Throws like `parseKql` for a filter that was never checked.
 */
export function prepareRulesets(rulesets: readonly VideoProtectionRuleset[]): PreparedRulesets {
  const prepared = rulesets.toSorted(compareByPrecedence).map((ruleset) => ({
    ruleset,
    viewers: readViewers(ruleset),
    geo: readGeoRestrictions(ruleset),
    selection: readSelection(ruleset),
  }));
  const countSelectable = (kind: ContentKind) =>
    prepared.filter(({ selection }) => isSelectableBy(selection, kind)).length;
  return Object.assign(prepared, {
    index: new RulesetIndex(prepared),
    selectable: {
      event: countSelectable("event"),
      creative_work: countSelectable("creative_work"),
    },
  });
}

/** Tells whether a ruleset may apply to a video by content of a kind that shows it. */
export function isSelectableBy(selection: Selection, kind: ContentKind): boolean {
  switch (selection.kind) {
    case "nothing":
    case "everything":
      return false;
    case "target": {
      const { eventIds, creativeWorkIds, entityIds, target } = selection;
      const hasWindow =
        target.contentStartTime !== undefined || target.contentEndTime !== undefined;
      const own = kind === "event" ? eventIds : creativeWorkIds;
      return own.size > 0 || entityIds.size > 0 || hasWindow;
    }
    case "filter":
      return (kind === "event" ? selection.events : selection.creativeWorks) !== undefined;
    default:
      return selection satisfies never;
  }
}

function readSelection({ applicability }: VideoProtectionRuleset): Selection {
  switch (applicability.case) {
    case "appliesToAll":
      return applicability.value ? { kind: "everything" } : { kind: "nothing" };
    case "target":
      return { kind: "target", ...readTarget(applicability.value) };
    case "filter":
      return { kind: "filter", ...readFilters(applicability.value) };
    case undefined:
      return { kind: "nothing" };
    default:
      return applicability satisfies never;
  }
}

function readTarget(target: Target): PreparedTarget {
  return {
    videoIds: new Set(target.videoIds),
    eventIds: new Set(target.eventIds),
    creativeWorkIds: new Set(target.creativeWorkIds),
    entityIds: new Set(target.entityIds),
    target,
  };
}

function readFilters({ filterEvents, filterCreativeWorks }: ContentFilter) {
  return {
    events: prepareFilter(filterEvents),
    creativeWorks: prepareFilter(filterCreativeWorks),
  };
}
