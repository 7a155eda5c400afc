import { type JsonValue, toJson } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { createDemoDataset } from "../../demo/data/dataset.ts";
import { CreativeWorkSchema } from "../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import { EntitySchema } from "../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import { EventSchema } from "../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { BaseType, type Rail } from "../../gen/svc/studio/ott/page_component/v2/rail_pb.ts";
import { composeFilter, KqlTemplate, matchKql, parseKql } from "../../src/domain/kql/index.ts";
import { DATA_MEMBERS, RAIL_ALIAS } from "../../src/domain/pages/components/data-member.ts";

const { pages, events, entities, creativeWorks, rulesets } = createDemoDataset();
const components = pages.flatMap((record) => record.components);
const options = { useProtoFieldName: true };
const documents = new Map<BaseType, readonly JsonValue[]>([
  [BaseType.EVENT, events.map((it) => toJson(EventSchema, it, options))],
  [BaseType.ENTITY, entities.map((it) => toJson(EntitySchema, it, options))],
  [BaseType.CREATIVE_WORK, creativeWorks.map((it) => toJson(CreativeWorkSchema, it, options))],
]);

/** The values of the pages' variables, for pages about the final of 2026 and its winner. */
const VARIABLES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "page-match": {
    id: "match-2026-104",
    "event.fields.season.id": "2026",
    "event.entity_ids": ["team-esp", "team-arg", "stadium-2026-metlife-stadium"],
  },
  "page-team": { id: "team-esp", "entity.fields.season.id": "2026" },
  "page-player": {
    id: "player-esp-7",
    "entity.fields.team.id": "team-esp",
    "entity.fields.season.id": "2026",
  },
  "page-highlights": { id: "highlights-2026-104", "creative_work.fields.season.id": "2026" },
};

function getRail(id: string): Rail {
  const data = components.find((it) => it.id === id)?.data;
  if (data?.case !== "rail") throw new Error(`no rail ${id}`);
  return data.value;
}

/** Counts what a filter finds in a project. */
function count(type: BaseType, filter: string, now = 0, projectId = "worldcup"): number {
  const node = parseKql(filter);
  const ofProject = parseKql(`project_id: ${projectId}`);
  const found = documents.get(type)?.filter((document) => {
    return matchKql(ofProject, document) && matchKql(node, document, now);
  });
  return found?.length ?? 0;
}

describe("components", () => {
  test("are of all nineteen kinds, and of the rail's alias", () => {
    const got = new Set(components.map((component) => component.type));
    expect(got).toEqual(new Set([...DATA_MEMBERS, RAIL_ALIAS]));
    expect(DATA_MEMBERS).toHaveLength(19);
  });

  test("have no variable in an object, where none is resolved", () => {
    for (const { id, data } of components) {
      const json = JSON.stringify(data.value, (_, value) =>
        typeof value === "bigint" ? String(value) : value,
      );
      const isObject = data.value !== undefined && !("$typeName" in data.value);
      if (isObject) expect(json, id).not.toMatch(/"[^"]*\{[a-z_.]+\}[^"]*"/);
    }
  });
});

describe("rails", () => {
  const now = Date.parse("2026-06-20T00:00:00Z");
  const rails = pages.flatMap(({ page, components: own }) =>
    own.flatMap(({ id, data }) => (data.case === "rail" ? [{ page, id, rail: data.value }] : [])),
  );
  // The film that leaves gets its window when the demo is loaded.
  const inFile = rails.filter(({ id }) => id !== "rail-leaving-soon");

  test.each(inFile.map(({ page, id, rail }) => [id, page, rail] as const))(
    "%s shows something during the World Cup of 2026",
    (_, page, rail) => {
      const lookup = (path: string) => VARIABLES[page.id]?.[path];
      const got = new KqlTemplate(rail.filter).fill(lookup);
      if (got.kind === "failed") throw new Error(`no value for ${got.placeholder}`);
      expect(count(rail.type, got.text, now, page.projectId)).toBeGreaterThan(0);
    },
  );

  test("narrow by what the page's filter writes", () => {
    const rail = getRail("rail-home-matches");
    const session = { season: ["2022", "2026"], team: { ids: ["team-esp"] }, stage: "knockout" };
    const { filter, dropped } = composeFilter({
      filter: rail.filter,
      clauses: rail.additionalFilters,
      session,
    });
    expect(dropped).toEqual([]);
    const want = events.filter((event) => {
      return (
        event.projectId === "worldcup" &&
        ["2022", "2026"].some((season) => event.id.startsWith(`match-${season}-`)) &&
        event.entityIds.includes("team-esp") &&
        event.fields?.stage === "knockout"
      );
    });
    expect(count(rail.type, filter, now)).toBe(want.length);
    expect(want.length).toBeGreaterThan(1);
  });
});

test("a ruleset by filter finds events and creative works", () => {
  const { applicability } = rulesets.find((it) => it.id === "ruleset-subscribers") ?? {};
  if (applicability?.case !== "filter") throw new Error("not by filter");
  const { filterEvents, filterCreativeWorks } = applicability.value;
  expect(count(BaseType.EVENT, filterEvents)).toBe(16);
  expect(count(BaseType.CREATIVE_WORK, filterCreativeWorks)).toBe(16);
});
