import { expect } from "vitest";
import { BUILT_IN_ROLES } from "../../../src/domain/built-in-roles.ts";
import { ALPHA, BETA, createEvent, createSmallDataset, GAMMA } from "../small-dataset.ts";
import type { Scenario } from "./scenario.ts";

const RESOURCE_KINDS = [
  "annotation",
  "annotation_type",
  "creative_work",
  "entity",
  "event",
  "page",
  "page_component",
  "ruleset",
  "transaction",
  "video",
];

/** Holds bindings, the projects of an organization and where resources lie. */
export function accessContract(scenario: Scenario): void {
  const data = createSmallDataset();

  scenario("an account's bindings say what is granted where", data, async (store) => {
    const granted = (roleId: string) =>
      new Set(BUILT_IN_ROLES.find((it) => it.id === roleId)?.permissions);
    expect(await store.access.listBindings({ id: "ann", organizationId: "acme" })).toEqual([
      { permissions: granted("owner"), organizationId: "acme" },
    ]);
    const ofBob = await store.access.listBindings({ id: "bob", organizationId: "acme" });
    expect(ofBob.length).toBe(2);
    expect(ofBob).toContainEqual({
      permissions: granted("viewer"),
      organizationId: "acme",
      projectId: ALPHA,
    });
    expect(ofBob).toContainEqual({
      permissions: granted("editor"),
      organizationId: "acme",
      projectId: ALPHA,
      resource: { kind: "page_component", id: "page_component-2" },
    });
  });

  scenario("an account without bindings, or no account, has none", data, async (store) => {
    for (const id of ["eve", "Ann", "nobody", ""]) {
      expect(await store.access.listBindings({ id, organizationId: "acme" })).toEqual([]);
    }
  });

  scenario("the projects of an organization come by id", PROJECTS, async (store) => {
    expect(await store.access.listProjectIds("acme")).toEqual([
      "B",
      "a",
      ALPHA,
      BETA,
      GAMMA,
      "\uff61",
      "\u{1f600}",
    ]);
    expect(await store.access.listProjectIds("Acme")).toEqual([]);
    expect(await store.access.listProjectIds("other")).toEqual([]);
  });

  for (const kind of RESOURCE_KINDS) {
    scenario(`a resource of kind ${kind} is located`, data, async (store) => {
      const id = `${kind}-1`;
      const got = await store.access.locate(kind, [id, id.toUpperCase(), "nothing", id], "acme");
      expect(got).toEqual([{ kind, id, organizationId: "acme", projectId: ALPHA }]);
    });
  }

  scenario("an organization and a project are located", data, async (store) => {
    const { access } = store;
    expect(await access.locate("organization", ["acme", "Acme", ALPHA])).toEqual([
      { kind: "organization", id: "acme", organizationId: "acme" },
    ]);
    expect(await access.locate("project", [GAMMA, "acme", "Gamma"])).toEqual([
      { kind: "project", id: GAMMA, organizationId: "other", projectId: GAMMA },
    ]);
  });

  scenario("an unknown type and an empty list find nothing", data, async (store) => {
    const types = ["", "nothing", "Page", "project ", "Account", "constructor", "lease", "secret"];
    for (const type of types) {
      expect(await store.access.locate(type, ["page-1", ALPHA, "ann"])).toEqual([]);
    }
    for (const type of [...RESOURCE_KINDS, "organization", "project", "nothing"]) {
      expect(await store.access.locate(type, [])).toEqual([]);
    }
  });

  scenario("an id of one kind is none of another", data, async (store) => {
    for (const kind of RESOURCE_KINDS) {
      const others = RESOURCE_KINDS.filter((it) => it !== kind).map((it) => `${it}-1`);
      expect(await store.access.locate(kind, others)).toEqual([]);
    }
  });

  scenario("a hundred ids of several projects are located", MANY, async (store) => {
    const ids = MANY.events.map((it) => it.id);
    expect(ids.length).toBe(100);
    const got = [
      ...(await store.access.locate("event", ids, "acme")),
      ...(await store.access.locate("event", ids, "other")),
    ];
    const places = new Map(got.map((it) => [it.id, [it.organizationId, it.projectId]]));
    expect(got.length).toBe(100);
    expect(places.get("e-10")).toEqual(["acme", ALPHA]);
    expect(places.get("e-11")).toEqual(["other", GAMMA]);
  });
}

const PROJECTS = createSmallDataset({
  projects: ["\u{1f600}", BETA, "a", "\uff61", ALPHA, "B", GAMMA].map((id) => ({
    id,
    organizationId: "acme",
    name: id,
  })),
});

const MANY = createSmallDataset({
  events: Array.from({ length: 100 }, (_, index) =>
    createEvent(`e-${index}`, { projectId: index % 2 === 0 ? ALPHA : GAMMA }),
  ),
});
