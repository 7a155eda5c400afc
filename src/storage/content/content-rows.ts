import {
  type DescMessage,
  fromJson,
  type JsonObject,
  type JsonValue,
  type Message,
  toJson,
} from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { CHECKED_DEPTH } from "../../domain/base/descriptors.ts";
import type { ContentKind } from "../../domain/content/order.ts";
import { SEARCH_LIMITS, toWords } from "../../domain/content/search.ts";
import { nameFields } from "../../domain/content/stored-fields.ts";
import { KINDS, type KindMessage } from "../../domain/kinds.ts";
import { timeColumn } from "../db/times.ts";
import { type LeafKey, toLeafKey } from "./leaf-key.ts";
import { type Leaf, toLeafRows } from "./leaf-rows.ts";

/** The messages of the kinds of content. */
export type ContentMessages = { readonly [Kind in ContentKind]: KindMessage<Kind> };

/** The schemas of the kinds of content. */
const CONTENT_SCHEMAS = {
  event: KINDS.event.schema,
  creative_work: KINDS.creative_work.schema,
  entity: KINDS.entity.schema,
} as const satisfies Readonly<Record<ContentKind, unknown>>;

/** A content item of any kind. */
export type ContentMessage = ContentMessages[ContentKind];

/** Returns the time of an item's default order; undefined if that order is by id. */
function sortTimeOf(message: ContentMessage & Message): Timestamp | undefined {
  switch (message.$typeName) {
    case "svc.cda.cms.event.v1.Event":
      return message.startTime;
    case "svc.cda.cms.creative_work.v1.CreativeWork":
      return message.releaseTime;
    case "svc.cda.cms.entity.v1.Entity":
      return undefined;
    default:
      return message satisfies never;
  }
}

/** A content item to store. */
export interface Content {
  readonly kind: ContentKind;
  readonly message: ContentMessage;
  /** Its line in the imported file; 0 without a file. */
  readonly line: number;
}

/** The index entries of an item. */
export interface IndexRows {
  /** The distinct words that a search finds it by. */
  readonly words: readonly string[];
  /** Its scalars, in their order. */
  readonly leaves: readonly Leaf[];
}

/** The row of an item. */
export interface ContentRow {
  readonly kind: ContentKind;
  readonly projectId: string;
  readonly id: string;
  /** The line in the file, from 1, named in errors. */
  readonly line: number;
  readonly visibility: number;
  /** Microseconds since 1970, or UNSET_TIME. */
  readonly sortTime: number;
  readonly createTime: number;
  readonly updateTime: number;
  /** The start and the end of its window as keys of leaves; without them texts before and after all of these. */
  readonly openFrom: LeafKey;
  readonly openUntil: LeafKey;
  /** The JSON that the Delivery API returns. */
  readonly doc: string;
}

/** An item, ready to be written. */
export type PreparedItem = ContentRow & IndexRows;

/** Parses a stored document. Its free JSON is in the form that messages have it in. */
export function readContent<Kind extends ContentKind>(
  kind: Kind,
  doc: string,
): ContentMessages[Kind] {
  const { fields, ...json } = JSON.parse(doc) as JsonObject;
  const schema: DescMessage = CONTENT_SCHEMAS[kind];
  const message = fromJson(schema, json, CHECKED_DEPTH) as Message as ContentMessages[Kind];
  return fields === undefined ? message : Object.assign(message, { fields });
}

/** Returns all rows of a content item, without a database. */
export function prepareItem(content: Content): PreparedItem {
  const json = toStoredJson(content);
  return { ...toRow(content, json), ...toIndexRows(json) };
}

/** Returns the row of a content item alone. */
export function prepareRow(content: Content): ContentRow {
  return toRow(content, toStoredJson(content));
}

function toStoredJson({ kind, message }: Content): JsonObject {
  return toJson<DescMessage>(CONTENT_SCHEMAS[kind], message) as JsonObject;
}

function toRow({ kind, message, line }: Content, json: JsonObject): ContentRow {
  const { availability } = json;
  const { startTime, endTime } = (availability ?? {}) as JsonObject;
  return {
    kind,
    projectId: message.projectId,
    id: message.id,
    line,
    visibility: message.visibility,
    sortTime: timeColumn(sortTimeOf(message)),
    createTime: timeColumn(message.createTime),
    updateTime: timeColumn(message.updateTime),
    openFrom: typeof startTime === "string" ? toLeafKey(startTime) : "",
    openUntil: typeof endTime === "string" ? toLeafKey(endTime) : "~",
    doc: JSON.stringify(json),
  };
}

/** Returns what a document is found by. */
export function toIndexRows(doc: JsonObject): IndexRows {
  return { words: listWords(doc), leaves: toLeafRows(nameFields(doc)) };
}

/**
 * Lists the distinct words that a search finds an item by: the first `SEARCH_LIMITS.wordsOfItem` of its title, its
 * description and its fields, in this order.
 */
export function listWords({ title, description, fields }: JsonObject): readonly string[] {
  const texts: string[] = [];
  const waiting: (JsonValue | undefined)[] = [fields, description, title];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === "string") texts.push(value);
    else if (typeof value === "number") texts.push(String(value));
    else if (typeof value === "object" && value !== null) {
      waiting.push(...Object.values(value).reverse());
    }
  }
  const words = [...new Set(toWords(texts.join("\n")))];
  return words.slice(0, SEARCH_LIMITS.wordsOfItem);
}
