import type { JsonObject } from "@bufbuild/protobuf";
import { CreativeWorkSchema } from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import { EntitySchema } from "../../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import { EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";

/** The proto names of the fields of content by their names in JSON. */
const PROTO_NAMES: ReadonlyMap<string, string> = new Map(
  [EventSchema, CreativeWorkSchema, EntitySchema].flatMap(({ fields }) =>
    fields.map(({ jsonName, name }) => [jsonName, name]),
  ),
);

/**
 * Reads the JSON of stored content as filters, rulesets and variables see it: with proto names, below which content
 * has only maps and free JSON.
 */
export function readStoredFields(json: string): JsonObject {
  const members = Object.entries(JSON.parse(json) as JsonObject);
  return Object.fromEntries(members.map(([name, value]) => [PROTO_NAMES.get(name) ?? name, value]));
}
