import { describe, expect, test } from "vitest";
import { AnnotationService } from "../../gen/svc/studio/annotations/annotation/v1/annotation_service_pb.ts";
import { PageComponentService } from "../../gen/svc/studio/ott/page_component/v2/page_component_service_pb.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { callRest, callStudio, errorOf } from "./studio.ts";

const marquee = await useMarquee();
const post = (path: string, body: unknown, method = "POST") =>
  callRest(marquee, method, path.slice(1), body);

for (const [project_id, id] of [
  ["sandbox", "foreign"],
  ["worldcup", "gone"],
]) {
  await post(`/ott/banner_collections/v2?banner_collection_id=${id}`, { project_id, name: "C" });
  await post(`/annotations/types/v1?annotation_type_id=${id}`, { project_id, name: "T" });
}

const MEMBERS = ["bannerCollection", "bannerCollectionV2"] as const;
const TYPES = { bannerCollection: "banner_collection", bannerCollectionV2: "banner_collection_v2" };
const ABSENT = ["nothing", "foreign", "BANNERS-HOME", "banners-home "];

const component = callStudio(marquee, PageComponentService);
const annotation = callStudio(marquee, AnnotationService);

describe("a banner collection that a component names", () => {
  for (const member of MEMBERS) {
    const about = (id: string) => ({ type: TYPES[member], [member]: { id } });
    const make = (id: string) =>
      component("CreatePageComponent", {
        pageId: "page-help",
        pageComponent: { projectId: "worldcup", ...about(id) },
      });
    const change = (pageComponentId: string, pageComponentUpdate: object, updateMask: string) =>
      component("UpdatePageComponent", { pageComponentId, pageComponentUpdate, updateMask });

    test(`${member} must exist in the project, on creation and in an update`, async () => {
      const made = await make("banners-home");
      expect(made.status).toBe(200);
      const { id } = made.value.pageComponent;
      for (const to of ABSENT) {
        const field = `${TYPES[member]}.id`;
        expect(errorOf(await make(to))).toEqual([
          ...[400, "REFERENCE_NOT_FOUND", `page_component.${field}`],
        ]);
        expect(errorOf(await change(id, about(to), `type,${member}`))).toEqual([
          ...[400, "REFERENCE_NOT_FOUND", `page_component_update.${field}`],
        ]);
      }
      const kept = await component("GetPageComponent", { pageComponentId: id });
      expect(kept.value.pageComponent[member].id).toBe("banners-home");
    });

    test(`${member} may be left open: a variable, or none`, async () => {
      for (const to of ["{id}", "a-{event.id}", ""]) expect((await make(to)).status).toBe(200);
    });

    test(`${member} that is deleted later hinders no change of other fields`, async () => {
      await post("/ott/banner_collections/v2?banner_collection_id=late", {
        ...{ project_id: "worldcup", name: "L" },
      });
      const { id } = (await make("late")).value.pageComponent;
      await post("/ott/banner_collections/v2/late?force=true", undefined, "DELETE");
      expect((await change(id, { name: "N" }, "name")).status).toBe(200);
      const named = await change(id, about("late"), member);
      expect(errorOf(named).slice(0, 2)).toEqual([400, "REFERENCE_NOT_FOUND"]);
    });
  }
});

describe("the type of an annotation", () => {
  const change = (update: object, updateMask: string) =>
    annotation("UpdateAnnotation", {
      ...{ annotationId: "goal-2026-104-1", annotation: update, updateMask },
    });

  test("must exist in the project in an update as on creation", async () => {
    const field = "annotation.type_id";
    for (const typeId of ["nothing", "foreign", "TYPE-GOAL"]) {
      const made = await annotation("CreateAnnotation", {
        annotation: { projectId: "worldcup", typeId },
      });
      expect(errorOf(made)).toEqual([400, "REFERENCE_NOT_FOUND", field]);
      const changed = await change({ typeId, sourceId: "no" }, "typeId,sourceId");
      expect(errorOf(changed)).toEqual([400, "REFERENCE_NOT_FOUND", field]);
    }
    const kept = await annotation("GetAnnotation", { annotationId: "goal-2026-104-1" });
    expect(kept.value.annotation.typeId).toBe("type-goal");
    expect(kept.value.annotation.sourceId ?? "").not.toBe("no");
  });

  test("may be another, or none, and is not asked for by other changes", async () => {
    for (const typeId of ["type-kickoff", "", "type-goal"]) {
      expect((await change({ typeId }, "typeId")).status).toBe(200);
    }
    expect((await change({ typeId: "nothing" }, "timerLabel")).status).toBe(200);
  });
});
