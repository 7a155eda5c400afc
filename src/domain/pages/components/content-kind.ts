import { BaseType } from "../../../../gen/svc/studio/ott/page_component/v2/rail_pb.ts";
import type { ContentKind } from "../../content/order.ts";

const KINDS: ReadonlyMap<BaseType, ContentKind> = new Map([
  [BaseType.EVENT, "event"],
  [BaseType.CREATIVE_WORK, "creative_work"],
  [BaseType.ENTITY, "entity"],
]);

/** Returns the kind of content of a rail's type; undefined for an unspecified type. */
export function findContentKind(type: BaseType): ContentKind | undefined {
  return KINDS.get(type);
}
