import type { DescMessage, JsonObject } from "@bufbuild/protobuf";
import { CreativeWorkSchema } from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import { EntitySchema } from "../../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import { EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { WindowSchema } from "../../../gen/svc/type/v1/window_pb.ts";

/** The proto names of the fields of content and of its window by their names in JSON. */
const PROTO_NAMES = toNames([EventSchema, CreativeWorkSchema, EntitySchema]);
const WINDOW_NAMES = toNames([WindowSchema]);

function toNames(schemas: readonly DescMessage[]): ReadonlyMap<string, string> {
  const fields = schemas.flatMap((schema) => schema.fields);
  return new Map(fields.map(({ jsonName, name }) => [jsonName, name]));
}

/** Reads the JSON of stored content as filters, rulesets and variables see it: with proto names. */
export function readStoredFields(json: string): JsonObject {
  return nameFields(JSON.parse(json) as JsonObject);
}

/** Returns content as JSON with proto names. Below the first level, it has only its window, maps and free JSON. */
export function nameFields(content: JsonObject): JsonObject {
  const fields = rename(content, PROTO_NAMES);
  const { availability } = fields;
  return availability === undefined
    ? fields
    : { ...fields, availability: rename(availability as JsonObject, WINDOW_NAMES) };
}

function rename(object: JsonObject, names: ReadonlyMap<string, string>): JsonObject {
  const members = Object.entries(object);
  return Object.fromEntries(members.map(([name, value]) => [names.get(name) ?? name, value]));
}
