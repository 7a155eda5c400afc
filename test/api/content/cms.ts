import type { DescService } from "@bufbuild/protobuf";
import { CreativeWorkService } from "../../../gen/svc/studio/cms/creative_work/v1/creative_work_service_pb.ts";
import { EntityService } from "../../../gen/svc/studio/cms/entity/v1/entity_service_pb.ts";
import { EventService } from "../../../gen/svc/studio/cms/event/v1/event_service_pb.ts";
import type { Marquee } from "../../harness/marquee.ts";
import { callDelivery, idsOf } from "../delivery.ts";
import type { JsonMessage } from "../methods.ts";
import { callStudio, type StudioAnswer, type StudioCall, type StudioFace } from "../studio.ts";

/** A kind of content, by the names that its methods have. */
export interface CmsKind {
  readonly service: DescService;
  /** Of one item in methods, such as `CreativeWork`, and of many. */
  readonly name: string;
  readonly names: string;
  /** The same in messages. */
  readonly field: string;
  readonly list: string;
  /** The delivery service. */
  readonly delivery: string;
  /** What it has beside the fields that all have. */
  readonly extra: JsonMessage;
  /** The type and data member of a page component that shows it by its id. */
  readonly player: readonly [type: string, member: string];
}

/** The kinds of content. */
export const CMS_KINDS: readonly CmsKind[] = [
  {
    service: EventService,
    ...{ name: "Event", names: "Events", field: "event", list: "events" },
    delivery: "svc.cda.cms.event.v1.EventService",
    extra: {
      startTime: "2031-05-01T18:00:00Z",
      endTime: "2031-05-01T18:00:00Z",
      entityIds: ["team-esp", "nobody"],
      videoIds: ["video-match-2026-104"],
    },
    player: ["event_player", "eventPlayer"],
  },
  {
    service: CreativeWorkService,
    ...{ name: "CreativeWork", names: "CreativeWorks" },
    ...{ field: "creativeWork", list: "creativeWorks" },
    delivery: "svc.cda.cms.creative_work.v1.CreativeWorkService",
    extra: { releaseTime: "2031-05-01T18:00:00.123456789Z", entityIds: ["team-esp"] },
    player: ["creative_work_player", "creativeWorkPlayer"],
  },
  {
    service: EntityService,
    ...{ name: "Entity", names: "Entities", field: "entity", list: "entities" },
    delivery: "svc.cda.cms.entity.v1.EntityService",
    extra: {},
    player: ["player_profile", "playerProfile"],
  },
];

/** The methods of a kind over one face, with messages as short as they can be. */
export interface CmsCalls {
  create(item: JsonMessage, more?: JsonMessage, call?: StudioCall): Promise<StudioAnswer>;
  get(id: string): Promise<StudioAnswer>;
  update(id: string, item: JsonMessage, mask: string, call?: StudioCall): Promise<StudioAnswer>;
  delete(id: string, more?: JsonMessage, call?: StudioCall): Promise<StudioAnswer>;
  list(message: JsonMessage): Promise<StudioAnswer>;
  /** The ids that delivery lists. */
  delivered(message: JsonMessage): Promise<string[]>;
  /** Reads one item as delivery gives it. */
  deliver(id: string): Promise<{ readonly status: number; readonly item: unknown }>;
}

/** Makes the calls of a kind. */
export function callCms(marquee: Marquee, kind: CmsKind, face: StudioFace): CmsCalls {
  const { name, names, field, list, delivery } = kind;
  const call = callStudio(marquee, kind.service, face);
  const idField = `${field}Id`;
  return {
    create: (item, more = {}, options) =>
      call(
        `Create${name}`,
        { [field]: { projectId: "worldcup", ...item }, ...renamed(more, idField) },
        options,
      ),
    get: (id) => call(`Get${name}`, { [idField]: id }),
    update: (id, item, updateMask, options) =>
      call(`Update${name}`, { [idField]: id, [field]: item, updateMask }, options),
    delete: (id, more = {}, options) => call(`Delete${name}`, { [idField]: id, ...more }, options),
    list: (message) => call(`List${names}`, { projectId: "worldcup", ...message }),
    async delivered(message) {
      const got = await callDelivery(marquee, `${delivery}/List${names}`, message);
      return idsOf(got, list);
    },
    async deliver(id) {
      const got = await callDelivery(marquee, `${delivery}/Get${name}`, { id });
      return { status: got.status, item: got.json[field] };
    },
  };
}

/** Calls the chosen id of a creation as the kind does. */
function renamed({ id, ...more }: JsonMessage, idField: string): JsonMessage {
  return { ...more, ...(id !== undefined && { [idField]: id }) };
}
