import { type DescMessage, type JsonValue, toJson } from "@bufbuild/protobuf";

import {
  type CreativeWork,
  CreativeWorkSchema,
} from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import { type Entity, EntitySchema } from "../../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import { type Event, EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { checkField } from "../base/field-errors.ts";

import { compareTimes } from "../base/time.ts";
import { checkLanguages } from "./languages.ts";
import { checkAvailability } from "./window.ts";

/** Maximum size of one content item, so that writes are fast and lists stay small. */
const CONTENT_LIMITS = {
  /** Size as JSON, in bytes of UTF-8. */
  bytes: 256 * 1024,
  /** Number of strings, numbers, booleans, objects and lists; each one is indexed. */
  values: 5_000,
  /**
   * Nesting depth of objects and lists in `fields`, the outermost included. One level takes up to three nested
   * messages in the binary form, and Protobuf libraries accept 100.
   */
  levels: 30,
} as const;

/**
 * Checks an event. INVALID_ARGUMENT `LANGUAGE_INVALID`, `TIME_WINDOW_INVALID` for an end before the start,
 * `IDS_INVALID`, `WINDOW_INVALID`, `FIELDS_TOO_DEEP` or `CONTENT_TOO_LARGE`. `length` is the length of the JSON that the
 * message was parsed from, if known: a short text needs no counting.
 */
export function checkEvent(event: Event, path: string, length?: number): void {
  const { startTime, endTime } = event;
  const isWindow = !startTime || !endTime || compareTimes(endTime, startTime) >= 0;
  const description = "must not be before start_time";
  checkField(isWindow, `${path}.end_time`, "TIME_WINDOW_INVALID", description);
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

/** Checks ids of other resources, which may repeat or not exist: none is blank. */
function checkIdList(ids: readonly string[], path: string): void {
  const blank = ids.findIndex((id) => id.trim() === "");
  checkField(blank < 0, `${path}[${blank}]`, "IDS_INVALID", "must not be blank");
}

function checkContent(
  schema: DescMessage,
  content: Event | CreativeWork | Entity,
  path: string,
  length = Number.POSITIVE_INFINITY,
): void {
  checkAvailability(content, path);
  checkLanguages(content.title, `${path}.title`);
  checkLanguages(content.description, `${path}.description`);
  const { bytes, levels, values } = CONTENT_LIMITS;
  const isFlat = content.fields === undefined || !isDeeper(content.fields, levels);
  const deep = `must not nest objects and lists more than ${levels} levels deep`;
  checkField(isFlat, `${path}.fields`, "FIELDS_TOO_DEEP", deep);
  if (length <= values) return;
  const json = toJson(schema, content);
  const isSmall = Buffer.byteLength(JSON.stringify(json)) <= bytes;
  checkField(isSmall, path, "CONTENT_TOO_LARGE", `must not exceed ${bytes} bytes as JSON`);
  const isShort = countValues(json) <= values;
  checkField(isShort, path, "CONTENT_TOO_LARGE", `must not have more than ${values} values`);
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
