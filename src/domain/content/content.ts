import { type DescMessage, type JsonValue, toJson } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import {
  type CreativeWork,
  CreativeWorkSchema,
} from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import { type Entity, EntitySchema } from "../../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import { type Event, EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { type DomainError, invalidField } from "../errors.ts";
import { checkIdList } from "./id-list.ts";
import { checkLanguages } from "./languages.ts";

/** How much one item of content may hold, so that writing it takes a moment and lists stay readable. */
export const CONTENT_LIMITS = {
  /** As JSON, in bytes of UTF-8. */
  bytes: 256 * 1024,
  /** Texts, numbers, booleans, objects and lists in it: each can be filtered by. */
  values: 5_000,
  /**
   * Objects and lists inside each other in `fields`, itself included. One costs up to three messages
   * in the binary form, of which Protobuf libraries read 100 inside each other.
   */
  levels: 30,
} as const;

/**
 * Checks an event. INVALID_ARGUMENT `LANGUAGE_INVALID`, `TIME_WINDOW_INVALID` for an end before the start,
 * `IDS_INVALID`, `FIELDS_TOO_DEEP` or `CONTENT_TOO_LARGE`. `length` is that of a text that it was read
 * from, if it was: a short text holds nothing large, and counting takes time.
 */
export function checkEvent(event: Event, path: string, length?: number): void {
  const { startTime, endTime } = event;
  if (startTime && endTime && toNanos(endTime) < toNanos(startTime)) {
    throw invalidField(`${path}.end_time`, "TIME_WINDOW_INVALID", "it lies before start_time");
  }
  checkIdList(event.entityIds, `${path}.entity_ids`);
  checkIdList(event.videoIds, `${path}.video_ids`);
  checkContent(EventSchema, event, path, length);
}

/** Checks a creative work as {@link checkEvent} does an event. */
export function checkCreativeWork(work: CreativeWork, path: string, length?: number): void {
  checkIdList(work.entityIds, `${path}.entity_ids`);
  checkIdList(work.videoIds, `${path}.video_ids`);
  checkContent(CreativeWorkSchema, work, path, length);
}

/** Checks an entity as {@link checkEvent} does an event. */
export function checkEntity(entity: Entity, path: string, length?: number): void {
  checkContent(EntitySchema, entity, path, length);
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
      `it has more than ${CONTENT_LIMITS.levels} objects and lists inside each other`,
    );
  }
  if (length <= CONTENT_LIMITS.values) return;
  const json = toJson(schema, content);
  if (Buffer.byteLength(JSON.stringify(json)) > CONTENT_LIMITS.bytes) {
    throw tooLarge(path, `as JSON it has more than ${CONTENT_LIMITS.bytes} bytes`);
  }
  if (countValues(json) > CONTENT_LIMITS.values) {
    throw tooLarge(path, `it has more than ${CONTENT_LIMITS.values} values`);
  }
}

function tooLarge(path: string, description: string): DomainError {
  return invalidField(path, "CONTENT_TOO_LARGE", description);
}

function isDeeper(value: JsonValue, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((it) => isDeeper(it, levels - 1));
}

/** Counts a value and all that is in it. */
function countValues(value: JsonValue): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((count: number, it) => count + countValues(it), 1);
}

function toNanos({ seconds, nanos }: Timestamp): bigint {
  return seconds * 1_000_000_000n + BigInt(nanos);
}
