import type { GenMessage } from "@bufbuild/protobuf/codegenv2";
import {
  type CreativeWork,
  CreativeWorkSchema,
} from "../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import { type Entity, EntitySchema } from "../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import { type Event, EventSchema } from "../../gen/svc/cda/cms/event/v1/event_pb.ts";
import type { ContentKind } from "../domain/order.ts";

/** A message that a line of an import may hold. */
export type Resource = Event | CreativeWork | Entity;

/** The kinds of resources that an import takes: the key of a line, and what stands behind it. */
export const RESOURCE_KINDS: Readonly<Record<ContentKind, GenMessage<Resource>>> = {
  event: EventSchema,
  creative_work: CreativeWorkSchema,
  entity: EntitySchema,
};
