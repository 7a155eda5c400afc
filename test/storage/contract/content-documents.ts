import { create } from "@bufbuild/protobuf";
import { expect } from "vitest";
import { CreativeWorkSchema } from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import { EntitySchema } from "../../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import { EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { Code } from "../../../src/domain/base/errors.ts";
import { ALL_VISIBILITIES } from "../../../src/domain/content/visibility.ts";
import { parseKql } from "../../../src/domain/kql/index.ts";
import type {
  DocumentMessages,
  DocumentStore,
} from "../../../src/storage/contract/document-store.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { ALPHA, BETA, createSmallDataset, IN_ALPHA } from "../small-dataset.ts";
import type { Scenario } from "./scenario.ts";

const NOT_FOUND = { code: Code.NOT_FOUND, reason: "RESOURCE_NOT_FOUND" };
const NOW = new Date("2026-01-01T00:00:00Z");
const allow = () => {};

type Kind = "event" | "creative_work" | "entity";
type Item = DocumentMessages["entity"];

/** What all kinds have in common is an entity's. */
const SCHEMAS = { event: EventSchema, creative_work: CreativeWorkSchema, entity: EntitySchema };
const CONTENTS = { event: "events", creative_work: "creativeWorks", entity: "entities" } as const;

/** Holds that the Studio API of content writes all that delivery finds items by. */
export function contentDocumentContract(scenario: Scenario): void {
  const data = createSmallDataset({ events: [], creativeWorks: [], entities: [] });

  for (const kind of ["event", "creative_work", "entity"] as const) {
    const documentsOf = (store: Store) =>
      store.in("acme").documents[kind] as unknown as DocumentStore<Item>;
    const make = (id: string, init: object = {}) =>
      create(SCHEMAS[kind], {
        id,
        projectId: ALPHA,
        visibility: Visibility.PUBLISHED,
        ...init,
      }) as unknown as Item;

    scenario(`${kind}: every write is found by lists`, data, async (store) => {
      const documents = documentsOf(store);
      const findAll = async () => [
        await find(store, kind, {}),
        await find(store, kind, { filter: "fields.deep.key: one" }),
        await find(store, kind, { filter: "fields.deep.other >= 5" }),
        await find(store, kind, { words: ["unique"] }),
        await find(store, kind, { order: "title.en" }),
      ];
      await documents.create(make("a", { title: { en: "z" }, fields: { deep: { key: "one" } } }));
      await documents.create(
        make("b", { title: { en: "y unique" }, fields: { deep: { other: 5 } } }),
      );
      expect(await findAll()).toEqual(["ab", "a", "b", "b", "ba"]);
      await documents.update("a", ({ value }) => ({
        ...value,
        title: { en: "x unique" },
        fields: { deep: { other: 7 } },
      }));
      expect(await findAll()).toEqual(["ab", "", "ab", "ab", "ab"]);
      await documents.update("b", ({ value }) => ({ ...value, visibility: Visibility.HIDDEN }));
      const published = [Visibility.PUBLISHED];
      expect(await find(store, kind, { visibilities: published })).toBe("a");
      expect(await find(store, kind, { words: ["unique"], visibilities: published })).toBe("a");
      await documents.delete("a", allow);
      expect(await findAll()).toEqual(["b", "", "b", "b", "b"]);
    });
  }

  scenario("content refers to entities and videos until it is gone", data, async (store) => {
    const entity = { kind: "entity", id: "e", ...IN_ALPHA };
    const video = { kind: "video", id: "video-1", ...IN_ALPHA };
    const { event } = store.in("acme").documents;
    const value = create(EventSchema, { id: "a", projectId: ALPHA, entityIds: ["e"] });
    await event.create(value);
    await event.create({ ...value, id: "b", projectId: BETA });
    const [first, second] = ["a", "b"].map((id) => ({ kind: "event", id }));
    expect(await store.referrers.list(entity, 9)).toEqual([first]);
    expect(await store.referrers.list({ ...entity, projectId: BETA }, 9)).toEqual([second]);
    await event.update("a", () => ({ ...value, entityIds: [], videoIds: ["video-1"] }));
    expect(await store.referrers.list(video, 9)).toEqual([first]);
    expect(await store.referrers.list(entity, 9)).toEqual([]);
    await event.delete("a", allow);
    expect(await store.referrers.list(video, 9)).toEqual([]);
  });

  scenario("writes of one transaction are kept together or not at all", data, async (store) => {
    const value = create(EventSchema, { id: "a", projectId: ALPHA, title: { en: "word" } });
    const error = new Error("no");
    await expect(
      store.transaction("installation", async (unit) => {
        await unit.in("acme").documents.event.create(value);
        await unit.in("acme").documents.event.update("a", (current) => ({
          ...current.value,
          contentType: "x",
        }));
        expect((await unit.in("acme").documents.event.get("a")).value.contentType).toBe("x");
        throw error;
      }),
    ).rejects.toBe(error);
    await expect(store.in("acme").documents.event.get("a")).rejects.toMatchObject(NOT_FOUND);
    expect(await find(store, "event", { words: ["word"] })).toBe("");
    await store.in("acme").documents.event.create(value);
    expect(await find(store, "event", { words: ["word"] })).toBe("a");
  });
}

/** The ids that delivery finds. */
async function find(
  store: Store,
  kind: Kind,
  query: {
    readonly filter?: string;
    readonly words?: readonly string[];
    readonly order?: string;
    readonly visibilities?: readonly Visibility[];
  },
): Promise<string> {
  const { filter, words = [], order = "id", visibilities = ALL_VISIBILITIES } = query;
  const { entries } = await store[CONTENTS[kind]].list({
    projectId: ALPHA,
    at: undefined,
    visibilities,
    words,
    order: { field: order, direction: "asc" },
    limit: 9,
    now: NOW,
    ...(filter !== undefined && { filter: parseKql(filter) }),
  });
  return entries.map(({ item }) => item.id).join("");
}
