import { type DescMessage, type JsonValue, toJson } from "@bufbuild/protobuf";

import {
  type CreativeWork,
  CreativeWorkSchema,
} from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import { type Entity, EntitySchema } from "../../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import { type Event, EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { type DomainError, invalidField } from "../errors.ts";

import { compareTimes } from "../time.ts";
import { checkLanguages } from "./languages.ts";

/** Maximum size of one content item, so that writes are fast and lists stay small. */
export const CONTENT_LIMITS = {
  /** Size as JSON, in bytes of UTF-8. */
  bytes: 256 * 1024,
  /** Number of strings, numbers, booleans, objects and lists; each one is indexed. */
  values: 5_000,
  /**
   * Nesting depth of objects and lists in `fields`, the outermost included. One level takes up to three
   * nested messages in the binary form, of which Protobuf libraries accept 100.
   */
  levels: 30,
} as const;

/**
 * Checks an event. INVALID_ARGUMENT `LANGUAGE_INVALID`, `TIME_WINDOW_INVALID` for an end before the start,
 * `IDS_INVALID`, `FIELDS_TOO_DEEP` or `CONTENT_TOO_LARGE`. `length` is the length of the JSON that the
 * message was parsed from, if known: a short text needs no counting.
 */
export function checkEvent(event: Event, path: string, length?: number): void {
  const { startTime, endTime } = event;
  if (startTime && endTime && compareTimes(endTime, startTime) < 0) {
    throw invalidField(`${path}.end_time`, "TIME_WINDOW_INVALID", "must not be before start_time");
  }
  checkIdList(event.entityIds, `${path}.entity_ids`);
  checkIdList(event.videoIds, `${path}.video_ids`);
  checkContent(EventSchema, event, path, length);
}

/** Checks a creative work; see {@link checkEvent}. */
export function checkCreativeWork(work: CreativeWork, path: string, length?: number): void {
  checkIdList(work.entityIds, `${path}.entity_ids`);
  checkIdList(work.videoIds, `${path}.video_ids`);
  checkContent(CreativeWorkSchema, work, path, length);
}

/** Checks an entity; see {@link checkEvent}. */
export function checkEntity(entity: Entity, path: string, length?: number): void {
  checkContent(EntitySchema, entity, path, length);
}

/** Checks ids of other resources, which need not exist and may repeat: none is blank. */
function checkIdList(ids: readonly string[], path: string): void {
  const blank = ids.findIndex((id) => id.trim() === "");
  if (blank >= 0) throw invalidField(`${path}[${blank}]`, "IDS_INVALID", "must not be blank");
}

function checkContent(
  schema: DescMessage,
  content: Event | CreativeWork | Entity,
  path: string,
  length = Number.POSITIVE_INFINITY,
): void {
  checkLanguages(content.title, `${path}.title`);
  checkLanguages(content.description, `${path}.description`);
  if (content.fields !== undefined && isDeeper(content.fields, CONTENT_LIMITS.levels)) {
    throw invalidField(
      `${path}.fields`,
      "FIELDS_TOO_DEEP",
      `must not nest objects and lists more than ${CONTENT_LIMITS.levels} levels deep`,
    );
  }
  if (length <= CONTENT_LIMITS.values) return;
  const json = toJson(schema, content);
  if (Buffer.byteLength(JSON.stringify(json)) > CONTENT_LIMITS.bytes) {
    throw tooLarge(path, `must not exceed ${CONTENT_LIMITS.bytes} bytes as JSON`);
  }
  if (countValues(json) > CONTENT_LIMITS.values) {
    throw tooLarge(path, `must not have more than ${CONTENT_LIMITS.values} values`);
  }
}

function tooLarge(path: string, description: string): DomainError {
  return invalidField(path, "CONTENT_TOO_LARGE", description);
}

function isDeeper(value: JsonValue, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((it) => isDeeper(it, levels - 1));
}

/** Counts a value and all values inside it. */
function countValues(value: JsonValue): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((count: number, it) => count + countValues(it), 1);
}
