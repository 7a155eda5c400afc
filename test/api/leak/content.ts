import {
  type DescMessage,
  fromJson,
  type JsonObject,
  type JsonValue,
  type MessageShape,
} from "@bufbuild/protobuf";
import type { Dataset } from "../../../demo/data/dataset-records.ts";
import { CreativeWorkSchema } from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import { EntitySchema } from "../../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import { EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { createFilled } from "./filled-message.ts";
import { PROJECT, TARGETS, type Variant } from "./variants.ts";

/** Events, creative works and entities. */
export type LeakContent = Pick<Dataset, "events" | "creativeWorks" | "entities">;

/** How many events, creative works and entities are published. */
export const PUBLISHED = 12;

/** The days of events, counted from the first: those of a variant lie before, amid and behind. */
const DAYS = [-3, 4, 11, 40];

/** Creates published content, named `event-1` and so on, that refers to all variants. */
export function createPublishedContent(): LeakContent {
  const numbers = Array.from({ length: PUBLISHED }, (_, index) => index + 1);
  const toRest = (prefix: string, number: number): JsonObject => ({
    ...toTimes(number),
    id: `${prefix}-${number}`,
    projectId: PROJECT,
    visibility: "VISIBILITY_PUBLISHED",
    title: { en: `Xylophone ${number}`, de: `Xylophon ${PUBLISHED - number}` },
    description: { en: "A concert" },
    contentType: "match",
    posterImageUrl: "https://media.example/concert.jpg",
    entityIds: ["entity-1", ...TARGETS.map((target) => `entity-${target}-0`)],
    videoIds: ["video-1"],
    fields: {
      season: { id: "2026", name: "Season 2026" },
      number,
      related: TARGETS.map((target) => `event-${target}-0`),
    },
  });
  const toMessages = <Desc extends DescMessage>(schema: Desc, prefix: string) =>
    numbers.map(
      (number): MessageShape<Desc> =>
        fromJson(schema, toRest(prefix, number), { ignoreUnknownFields: true }),
    );
  return {
    events: toMessages(EventSchema, "event"),
    creativeWorks: toMessages(CreativeWorkSchema, "work"),
    entities: toMessages(EntitySchema, "entity"),
  };
}

/**
 * Creates the content of a variant: `event-hidden-0` and `-1`, which published things refer to, and
 * two that have the word in their ids as well and come first and last.
 */
export function createVariantContent({ name, word, ...rest }: Variant): LeakContent {
  const toMessages = <Desc extends DescMessage>(schema: Desc, prefix: string) =>
    DAYS.map((day, index): MessageShape<Desc> => {
      const ids = [`${prefix}-${name}-0`, `${prefix}-${name}-1`, `a-${word}-${prefix}`];
      const title = ["Aaron", "Xylophone 1", "Zulu"][index] ?? "Xylophone";
      return createFilled(schema, word, {
        ...rest,
        ...toTimes(day),
        id: ids[index] ?? `z-${word}-${prefix}`,
        title: { en: `${title} ${word}`, de: word, [word]: word },
        contentType: index < 2 ? "match" : word,
        entityIds: ["entity-1", `entity-${name}-0`, word],
        videoIds: ["video-1", word],
        fields: toFields(word, day),
      });
    });
  return {
    events: toMessages(EventSchema, "event"),
    creativeWorks: toMessages(CreativeWorkSchema, "work"),
    entities: toMessages(EntitySchema, "entity"),
  };
}

function toFields(word: string, number: number): JsonValue {
  const tags = [word, { deep: word }];
  return { season: { id: "2026", name: word }, number, [word]: word, tags };
}

function toTimes(day: number): JsonObject {
  const time = new Date(Date.UTC(2026, 2, 1 + day, 18)).toISOString();
  return { startTime: time, endTime: time, releaseTime: time, createTime: time, updateTime: time };
}
