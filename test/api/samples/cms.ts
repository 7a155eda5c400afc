import type { DescMessage } from "@bufbuild/protobuf";
import { CreativeWorkSchema } from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import { EntitySchema } from "../../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import { EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import type { MethodSample } from "../method-samples.ts";
import { deletable } from "./deletable.ts";

interface Kind {
  readonly type: "creative_work" | "entity" | "event";
  readonly schema: DescMessage;
  readonly service: string;
  readonly name: string;
  readonly names: string;
  readonly field: string;
  /** An item that the demo has. */
  readonly id: string;
}

const KINDS: readonly Kind[] = [
  {
    ...{ type: "creative_work", schema: CreativeWorkSchema },
    service: "svc.studio.cms.creative_work.v1.CreativeWorkService",
    ...{ name: "CreativeWork", names: "CreativeWorks", field: "creativeWork" },
    id: "highlights-2026-103",
  },
  {
    ...{ type: "entity", schema: EntitySchema },
    service: "svc.studio.cms.entity.v1.EntityService",
    ...{ name: "Entity", names: "Entities", field: "entity" },
    id: "team-esp",
  },
  {
    ...{ type: "event", schema: EventSchema },
    service: "svc.studio.cms.event.v1.EventService",
    ...{ name: "Event", names: "Events", field: "event" },
    id: "match-2026-103",
  },
];

const PROJECT = "worldcup/worldcup/project";

/** Samples of the methods of content in management. */
export const cmsSamples: Readonly<Record<string, MethodSample>> = Object.assign(
  {},
  ...KINDS.map(toSamples),
);

function toSamples(kind: Kind): Record<string, MethodSample> {
  const { type, schema, service, name, names, field, id } = kind;
  const resource = `${id}/worldcup/${type}`;
  return {
    [`${service}/Create${name}`]: {
      message: { [field]: { projectId: "worldcup", title: { en: "A sample" } } },
      resource: PROJECT,
      isWrite: true,
    },
    [`${service}/Get${name}`]: { message: { [`${field}Id`]: id }, resource },
    [`${service}/List${names}`]: {
      message: { projectId: "worldcup", pageSize: 2, filter: `id: "${id}"` },
      resource: PROJECT,
    },
    [`${service}/Update${name}`]: {
      message: {
        [`${field}Id`]: id,
        [field]: { posterImageUrl: "https://media.example/changed.jpg" },
        updateMask: "posterImageUrl",
      },
      resource,
      isWrite: true,
    },
    [`${service}/Delete${name}`]: {
      message: deletable(type, schema),
      resource: `deletable-${type}/worldcup/${type}`,
      isWrite: true,
    },
  };
}
