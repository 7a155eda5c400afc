import type { Item } from "../../../gen/svc/cda/cms/item/v1/item_pb.ts";
import { isGeoblocked, type PreparedRulesets } from "../../domain/protection/index.ts";
import { toCreativeWorkItem, toEventItem } from "../content-item.ts";
import type { PreparedRulesetsSource } from "../prepared-rulesets.ts";
import type { ListViewer } from "./content-list.ts";

/** Tells which items a project's rulesets keep from a viewer's country. */
export interface GeoSieves {
  open(viewer: ListViewer): Promise<(item: Item) => boolean>;
}

/** Creates the sieves over the rulesets of projects. */
export function createGeoSieves(preparedRulesets: PreparedRulesetsSource): GeoSieves {
  return {
    async open({ key, country, now }) {
      const rulesets = await preparedRulesets.find(key.projectId);
      return (item) => isBlocked(item, rulesets, country, now.getTime());
    },
  };
}

function isBlocked(
  { item }: Item,
  rulesets: PreparedRulesets,
  country: string | undefined,
  now: number,
): boolean {
  switch (item.case) {
    case "event":
      return isGeoblocked(toEventItem(item.value), "event", rulesets, country, now);
    case "creativeWork":
      return isGeoblocked(toCreativeWorkItem(item.value), "creative_work", rulesets, country, now);
    default:
      return false;
  }
}
