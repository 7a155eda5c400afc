import { type JsonObject, toJson } from "@bufbuild/protobuf";
import { type Event, EventSchema } from "../../gen/svc/cda/cms/event/v1/event_pb.ts";
import type { OrderPlace } from "../../src/domain/base/paging.ts";
import type { ContentOrder } from "../../src/domain/content/order.ts";
import {
  compareCodePoints,
  createKqlTest,
  flattenDocument,
  KqlDocument,
  type KqlNode,
  parseInstant,
  type Scalar,
} from "../../src/domain/kql/index.ts";
import { toLeafKey } from "../../src/storage/content/leaf-key.ts";
import type { ContentQuery } from "../../src/storage/contract/content-store.ts";

/** What selects events, and their order. */
export type MemoryQuery = Pick<ContentQuery, "now" | "order" | "visibilities" | "words"> & {
  readonly filter: KqlNode;
};

/** Lists events by their meaning alone: all of them, in order. */
export function createListInMemory(events: readonly Event[]): (query: MemoryQuery) => Event[] {
  const documents = new Map(
    events.map((it) => [it, toJson(EventSchema, it, { useProtoFieldName: true }) as JsonObject]),
  );
  const wordsOf = new Map<Event, readonly string[]>();
  const readWords = (event: Event) => {
    const words = wordsOf.get(event) ?? listWords(documents.get(event) ?? {});
    wordsOf.set(event, words);
    return words;
  };
  return ({ filter, words, visibilities, order, now }) => {
    const matches = createKqlTest(filter, now.getTime());
    return events
      .filter((it) => visibilities.includes(it.visibility))
      .filter((it) => matches(new KqlDocument(documents.get(it))))
      .filter((it) => words.every((word) => hasWord(readWords(it), word)))
      .sort((a, b) => compareEvents(a, b, order));
  };
}

/** The place of an event as a page token would hold it. */
export function toPlace(event: Event, order: ContentOrder): OrderPlace {
  const { id } = event;
  const key = toKey(event, order);
  if (order.second === undefined) return { key, id };
  return { key: JSON.stringify([key, toKey(event, order.second)]), id };
}

function toKey(event: Event, order: ContentOrder): string | number | null {
  const value = findValue(event, order);
  if (value === undefined || order.field === "id") return null;
  if (order.field.endsWith("_time")) return Number(value) * 1_000_000;
  return Array.from(toLeafKey(value)).slice(0, 256).join("");
}

const LEAVES = new WeakMap<Event, ReturnType<typeof flattenDocument>["leaves"]>();

/** Finds the value that an order places an event by: of several, the first in its direction. */
function findValue(event: Event, { field, direction }: ContentOrder): Scalar | undefined {
  const { id, startTime, createTime, updateTime } = event;
  const times = { start_time: startTime, create_time: createTime, update_time: updateTime };
  if (field === "id") return id;
  if (Object.hasOwn(times, field)) {
    const time = times[field as keyof typeof times];
    return time && Number(time.seconds);
  }
  const leaves = LEAVES.get(event) ?? flattenDocument(toJson(EventSchema, event)).leaves;
  LEAVES.set(event, leaves);
  const values = leaves.flatMap(({ path, value }) => (path === field ? [value] : []));
  return values.toSorted(compareValues).at(direction === "asc" ? 0 : -1);
}

const KINDS = ["boolean", "number", "string", "instant"];

/** Compares booleans, then numbers, then texts by their first 255 characters, then timestamps. */
function compareValues(a: Scalar, b: Scalar): number {
  const instants = [a, b].map((it) => (typeof it === "string" ? parseInstant(it) : undefined));
  const [kindA = 0, kindB = 0] = [a, b].map((it, index) =>
    KINDS.indexOf(instants[index] === undefined ? typeof it : "instant"),
  );
  if (kindA !== kindB) return kindA - kindB;
  if (typeof a === "number") return a - Number(b);
  const [textA = "", textB = ""] = [a, b].map((it, index) =>
    Array.from(instants[index] ?? String(it))
      .slice(0, 255)
      .join(""),
  );
  return compareCodePoints(textA, textB);
}

function compareEvents(a: Event, b: Event, order: ContentOrder): number {
  const sign = order.direction === "asc" ? 1 : -1;
  const [valueA, valueB] = [findValue(a, order), findValue(b, order)];
  if (valueA === undefined && valueB !== undefined) return 1;
  if (valueB === undefined && valueA !== undefined) return -1;
  const byValue = valueA === undefined || valueB === undefined ? 0 : compareValues(valueA, valueB);
  if (byValue !== 0) return sign * byValue;
  return order.second ? compareEvents(a, b, order.second) : compareCodePoints(a.id, b.id);
}

function listWords({ title, description, fields }: JsonObject): readonly string[] {
  return JSON.stringify([title, description, Object.values(fields ?? {})])
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
}

function hasWord(words: readonly string[], word: string): boolean {
  return words.some((it) => (word.length < 3 ? it === word : it.startsWith(word)));
}
