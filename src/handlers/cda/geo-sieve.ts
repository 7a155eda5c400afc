import { type JsonValue, toJson } from "@bufbuild/protobuf";
import { CreativeWorkSchema } from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import { EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import type { Item } from "../../../gen/svc/cda/cms/item/v1/item_pb.ts";
import {
  isGeoblocked,
  type PreparedRulesets,
  prepareRulesets,
} from "../../domain/protection/index.ts";
import type { Store } from "../../storage/store.ts";
import type { ListViewer } from "./content-list.ts";

/** Tells which items a project's rulesets keep from a viewer's country. */
export interface GeoSieves {
  open(viewer: ListViewer): Promise<(item: Item) => boolean>;
}

/** Creates the sieves; the rulesets of a project are read anew when it has changed. */
export function createGeoSieves(store: Pick<Store, "projectRevision" | "rulesets">): GeoSieves {
  const known = new Map<string, { revision: number; rulesets: PreparedRulesets }>();

  async function findRulesets(projectId: string): Promise<PreparedRulesets> {
    const revision = await store.projectRevision(projectId);
    const found = known.get(projectId);
    if (found?.revision === revision) return found.rulesets;
    const rulesets = prepareRulesets(await store.rulesets.list(projectId));
    known.set(projectId, { revision, rulesets });
    return rulesets;
  }

  return {
    async open({ key, country, now }) {
      const rulesets = await findRulesets(key.projectId);
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
    case "event": {
      const { id, entityIds, videoIds, startTime: time } = item.value;
      const json = toJson(EventSchema, item.value, NAMES);
      return isGeoblocked({ id, entityIds, videoIds, time, json }, "event", rulesets, country, now);
    }
    case "creativeWork": {
      const { id, entityIds, videoIds, releaseTime: time } = item.value;
      const json: JsonValue = toJson(CreativeWorkSchema, item.value, NAMES);
      const content = { id, entityIds, videoIds, time, json };
      return isGeoblocked(content, "creative_work", rulesets, country, now);
    }
    default:
      return false;
  }
}

/** The names that filters use. */
const NAMES = { useProtoFieldName: true } as const;
