import { create } from "@bufbuild/protobuf";
import { expect } from "vitest";
import { CreativeWorkSchema } from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import { EntitySchema } from "../../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import { EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { OfferSchema } from "../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import { AnnotationSchema } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { AnnotationTypeSchema } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_pb.ts";
import { VideoProtectionRulesetSchema } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import type { ResourceRef } from "../../../src/domain/access/permissions.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { ALPHA, createComponent, createSmallDataset, createTransaction } from "../small-dataset.ts";
import type { Scenario } from "./scenario.ts";

const projectId = ALPHA;
const ENTITY = "entity-1";

/** One of each that refers to something: to `video-1`, `event-1`, `creative_work-1`, `entity-1` … */
const REFERRING = createSmallDataset({
  entities: [create(EntitySchema, { id: ENTITY, projectId })],
  creativeWorks: [
    create(CreativeWorkSchema, { id: "creative_work-1", projectId }),
    create(CreativeWorkSchema, {
      ...{ id: "film", projectId, videoIds: ["video-1", "video-1"], entityIds: [ENTITY] },
      visibility: Visibility.HIDDEN,
    }),
  ],
  events: [
    create(EventSchema, { id: "event-1", projectId }),
    create(EventSchema, { id: "game", projectId, videoIds: ["video-1"], entityIds: [ENTITY] }),
  ],
  annotations: [
    create(AnnotationSchema, {
      ...{ id: "goal", projectId, typeId: "annotation_type-1", videoId: "video-1" },
      ...{ eventId: "event-1", creativeWorkId: "creative_work-1", entityIds: [ENTITY, ENTITY] },
    }),
  ],
  annotationTypes: [
    create(AnnotationTypeSchema, {
      ...{ id: "annotation_type-1", projectId },
      actionConfiguration: { configuration: { "action-1": {} } },
    }),
  ],
  rulesets: [
    create(VideoProtectionRulesetSchema, {
      ...{ id: "ruleset-1", projectId },
      applicability: {
        case: "target",
        value: {
          ...{ videoIds: ["video-1"], eventIds: ["event-1"] },
          ...{ creativeWorkIds: ["creative_work-1"], entityIds: [ENTITY] },
        },
      },
    }),
  ],
  offers: [
    create(OfferSchema, {
      ...{ id: "offer-1", projectId },
      opens: {
        ...{ videoIds: ["video-1"], eventIds: ["event-1"] },
        creativeWorkIds: ["creative_work-1"],
      },
    }),
  ],
  transactions: [createTransaction("bought", { offerId: "offer-1" })],
});

/** Holds the search for what refers to a resource, or cannot be without it. */
export function referrerContract(scenario: Scenario): void {
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    [
      "video",
      "video-1",
      ["annotation goal", "creative_work film", "event game", "offer offer-1", "ruleset ruleset-1"],
    ],
    ["event", "event-1", ["annotation goal", "offer offer-1", "ruleset ruleset-1"]],
    ["creative_work", "creative_work-1", ["annotation goal", "offer offer-1", "ruleset ruleset-1"]],
    [
      "entity",
      ENTITY,
      ["annotation goal", "creative_work film", "event game", "ruleset ruleset-1"],
    ],
    ["annotation_type", "annotation_type-1", ["annotation goal"]],
    ["action", "action-1", ["annotation_type annotation_type-1"]],
    ["offer", "offer-1", ["transaction bought"]],
    ["page", "page-1", [1, 2, 3].map((number) => `page_component page_component-${number}`)],
    ["organization", "other", ["account eve", "project gamma"]],
    ["project", "gamma", []],
    ["video", "Video-1", []],
    ["entity", "video-1", []],
    ["", "video-1", []],
    ["nothing", "video-1", []],
  ];
  for (const [type, id, want] of cases) {
    scenario(`${type} ${id} is referred to by ${want.length}`, REFERRING, async (store) => {
      expect(await list(store, type, id)).toEqual(want);
      for (const limit of [1, 2]) {
        const got = await store.referrers.list(toResource(type, id), limit);
        expect(got.length).toBe(Math.min(limit, want.length));
        for (const { kind: from, id: name } of got) expect(want).toContain(`${from} ${name}`);
      }
    });
  }

  scenario("everything in a project keeps it", REFERRING, async (store) => {
    const got = await list(store, "project", ALPHA);
    for (const name of ["video video-1", "page page-1", "event game", "transaction bought"]) {
      expect(got).toContain(name);
    }
    expect((await store.referrers.list(toResource("project", ALPHA), 3)).length).toBe(3);
  });

  scenario("a role and an account are kept by bindings", createSmallDataset(), async (store) => {
    expect((await list(store, "account", "ann")).map((it) => it.split(" ")[0])).toEqual([
      "binding",
    ]);
    expect((await list(store, "role", "viewer")).length).toBe(1);
    expect(await list(store, "account", "eve")).toEqual([]);
  });

  scenario("a reference follows a change, and goes with what refers", REFERRING, async (store) => {
    const { documents } = store.in("acme");
    await documents.annotation.update("goal", ({ value }) => ({ ...value, entityIds: [] }));
    await documents.event.update("game", ({ value }) => ({ ...value, entityIds: ["other"] }));
    await documents.ruleset.delete("ruleset-1", () => undefined);
    expect(await list(store, "entity", ENTITY)).toEqual(["creative_work film"]);
    expect(await list(store, "entity", "other")).toEqual(["event game"]);
    await documents.creative_work.delete("film", () => undefined);
    expect(await list(store, "entity", ENTITY)).toEqual([]);
  });

  scenario("what is referred to goes, and the reference stays", REFERRING, async (store) => {
    await store.in("acme").documents.entity.delete(ENTITY, () => undefined);
    expect((await list(store, "entity", ENTITY)).length).toBe(4);
    expect((await store.in("acme").documents.annotation.get("goal")).value.entityIds).toContain(
      ENTITY,
    );
  });

  scenario("a component refers to what it shows by a literal id", REFERRING, async (store) => {
    const show = (id: string) =>
      store.in("acme").pageComponents.update("page_component-1", () =>
        createComponent("page_component-1", {
          type: "event_player",
          data: { case: "eventPlayer", value: { content: { case: "id", value: id } } },
        }),
      );
    await show("game");
    expect(await list(store, "event", "game")).toEqual(["page_component page_component-1"]);
    await show("event-1");
    expect(await list(store, "event", "game")).toEqual([]);
  });
}

async function list({ referrers }: Store, kind: string, id: string): Promise<string[]> {
  const found = await referrers.list(toResource(kind, id), 100);
  return found.map((it) => `${it.kind} ${it.id}`).sort();
}

const ORGANIZATIONAL = ["account", "organization", "role"];

/** Places a resource where the small dataset has it. */
function toResource(kind: string, id: string): ResourceRef {
  const isOther = ["eve", "gamma", "other"].includes(id);
  const organizationId = isOther ? "other" : "acme";
  if (ORGANIZATIONAL.includes(kind)) return { kind, id, organizationId };
  return { kind, id, organizationId, projectId: kind === "project" ? id : ALPHA };
}
