import { type JsonObject, toJson } from "@bufbuild/protobuf";
import { type Event, EventSchema } from "../../gen/svc/cda/cms/event/v1/event_pb.ts";
import type { ContentOrder } from "../../src/domain/content/order.ts";
import { compareCodePoints, createKqlTest, type KqlNode } from "../../src/domain/kql/index.ts";
import type { ContentPlace, ContentQuery } from "../../src/storage/delivery-store.ts";

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
      .filter((it) => matches(documents.get(it)))
      .filter((it) => words.every((word) => hasWord(readWords(it), word)))
      .sort((a, b) => compareEvents(a, b, order));
  };
}

/** The place of an event as a page token would hold it. */
export function toPlace(event: Event, field: string): ContentPlace {
  const { id, startTime, createTime, updateTime, title } = event;
  const times = { start_time: startTime, create_time: createTime, update_time: updateTime };
  if (field === "id") return { key: null, id };
  if (field.startsWith("title.")) {
    const text = title[field.slice("title.".length)];
    return { key: text === undefined ? null : `s${text}`, id };
  }
  const time = times[field as keyof typeof times];
  return { key: time === undefined ? null : Number(time.seconds) * 1_000_000, id };
}

function compareEvents(a: Event, b: Event, { field, direction }: ContentOrder): number {
  const byId = compareCodePoints(a.id, b.id);
  const sign = direction === "asc" ? 1 : -1;
  if (field === "id") return sign * byId;
  const [keyA, keyB] = [toPlace(a, field).key, toPlace(b, field).key];
  if (keyA === keyB) return byId;
  if (keyA === null || keyB === null) return keyA === null ? 1 : -1;
  if (typeof keyA === "number") return sign * (keyA - Number(keyB));
  return sign * compareCodePoints(keyA, String(keyB));
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
