import { expect } from "vitest";
import type { ImportOptions } from "../../../src/storage/contract/records.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { OPEN_FRESH } from "../../harness/fresh-store.ts";
import { exportText, importRepeats, importText, toText } from "../../transfer/transfer.ts";
import { ALPHA, BETA, createSmallDataset, GAMMA } from "../small-dataset.ts";
import type { Scenario } from "./scenario.ts";

const SMALL = createSmallDataset();

const collection = (id: string, project_id = ALPHA) => ({
  banner_collection: { id, project_id, name: id },
});
const type = (id: string, project_id = ALPHA) => ({
  annotation_type: { id, project_id, name: id },
});
const banner = (id: string, to: string, member = "banner_collection_v2") => ({
  page_component: {
    page_id: "page-1",
    page_component: { id, project_id: ALPHA, type: member, [member]: { id: to } },
  },
});
const annotation = (id: string, type_id: string) => ({
  annotation: { id, project_id: ALPHA, type_id },
});

const actions = (id: string, ...names: string[]) => ({
  annotation_type: {
    ...{ id, project_id: ALPHA, name: id },
    action_configuration: { configuration: Object.fromEntries(names.map((it) => [it, {}])) },
  },
});

/** Files with references to nothing, as a forced deletion leaves them, and the reports on them. */
const DANGLING: readonly (readonly [string, readonly object[], readonly string[]])[] = [
  [
    "a banner collection that is nowhere",
    [collection("c"), banner("a", "C"), banner("b", "c")],
    ["page_component a: banner_collection C"],
  ],
  [
    "a banner collection of another project",
    [collection("c", BETA), banner("a", "c", "banner_collection")],
    ["page_component a: banner_collection c"],
  ],
  [
    "a stored banner collection's id in another kind",
    [annotation("a", "banner_collection-1")],
    ["annotation a: annotation_type banner_collection-1"],
  ],
  [
    "an annotation type of another project, after one that is there",
    [annotation("b", "annotation_type-1"), annotation("a", "t"), type("t", GAMMA)],
    ["annotation a: annotation_type t"],
  ],
  [
    "nothing, by the later of two records with one id",
    [annotation("a", "annotation_type-1"), annotation("a", "nothing")],
    ["annotation a: annotation_type nothing"],
  ],
  [
    "two actions that are nowhere",
    [actions("t", "x", "y")],
    ["annotation_type t: action x", "annotation_type t: action y"],
  ],
];

const KEPT: readonly (readonly [string, readonly object[]])[] = [
  ["what is stored", [banner("a", "banner_collection-1"), annotation("a", "annotation_type-1")]],
  ["what comes before", [collection("c"), type("t"), banner("a", "c"), annotation("a", "t")]],
  ["what comes later", [banner("a", "c"), annotation("a", "t"), type("t"), collection("c")]],
  ["nothing", [banner("a", ""), annotation("a", "")]],
  ["a variable", [banner("a", "{id}"), banner("b", "x-{id}", "banner_collection")]],
  ["a record that comes twice, by its later one", [banner("a", "nothing"), banner("a", "{id}")]],
];

const event = (id: string, resource: object = {}, project_id = ALPHA) => ({
  event: { id, project_id, content_type: "match", ...resource },
});
const entity = (id: string, project_id = ALPHA) => ({
  entity: { id, project_id, content_type: "team" },
});

/** Files with references to nothing that no rule forbids, and the reports on them. */
const MISSING: readonly (readonly [string, readonly object[], readonly string[]])[] = [
  [
    "an entity that is nowhere, of another project, and there",
    [
      ...[entity("x"), entity("y", BETA)],
      event("e", { entity_ids: ["x", "y", "z"], video_ids: ["video-1", "v"] }),
    ],
    [
      "event e entity_ids[1]: entity y",
      "event e entity_ids[2]: entity z",
      "event e video_ids[1]: video v",
    ],
  ],
  ["an entity that comes later", [event("e", { entity_ids: ["x"] }), entity("x")], []],
  [
    "an entity of two records, once",
    [event("e", { entity_ids: ["z"] }), event("f", { entity_ids: ["z"] })],
    ["event e entity_ids[0]: entity z"],
  ],
  [
    "a draft of the release, a resource and neither of them",
    [
      { release: { id: "r", project_id: ALPHA, name: "R" } },
      ...[entity("x"), { ...entity("y"), release_id: "r" }],
      { ...event("e", { entity_ids: ["x", "y", "z"] }), release_id: "r" },
      event("f", { entity_ids: ["y"] }),
    ],
    ["draft r/event:e entity_ids[2]: entity z", "event f entity_ids[0]: entity y"],
  ],
  [
    "what an offer opens, and an offer on a page",
    [
      { offer: { id: "o", project_id: ALPHA, name: "O", opens: { event_ids: ["none"] } } },
      {
        page_component: {
          page_id: "page-1",
          page_component: {
            ...{ id: "c", project_id: ALPHA, type: "offers" },
            offers: { offer: [{ offer_id: "o" }, { offer_id: "p" }, { offer_id: "{id}" }] },
          },
        },
      },
    ],
    ["page_component c offers.offer: offer p", "offer o opens.event_ids[0]: event none"],
  ],
];

/** Imports lines, and lists the reported references to nothing. */
async function listDangling(
  store: Store,
  lines: readonly (object | string)[],
  options: ImportOptions = {},
): Promise<string[]> {
  const reported: string[] = [];
  await importRepeats(store, lines, {
    ...options,
    onDangling: ({ kind, id, to }) => reported.push(`${kind} ${id}: ${to.kind} ${to.id}`),
  });
  return reported;
}

/** Holds an import to take references that a forced deletion can leave behind, and to report them. */
export function recordReferenceContract(scenario: Scenario): void {
  for (const [name, lines, want] of DANGLING) {
    scenario(`a reference to ${name} is taken and reported`, SMALL, async (store) => {
      expect(await listDangling(store, lines, { isDryRun: true })).toEqual(want);
      expect(await listDangling(store, lines)).toEqual(want);
      // Unchanged records are not reported again.
      expect(await listDangling(store, lines.slice(-1))).toEqual([]);
    });
  }

  for (const [name, lines, want] of MISSING) {
    scenario(`a reference to ${name} is reported as missing`, SMALL, async (store) => {
      const listMissing = async (of: readonly object[], options: ImportOptions = {}) => {
        const reported: string[] = [];
        await importText(store, toText(of), {
          ...options,
          onMissing: ({ kind, id, field, to }) =>
            reported.push(`${kind} ${id} ${field}: ${to.kind} ${to.id}`),
        });
        return reported.sort();
      };
      expect(await listMissing(lines, { isDryRun: true })).toEqual(want.toSorted());
      expect(await listMissing(lines)).toEqual(want.toSorted());
      // Unchanged records are not reported again.
      expect(await listMissing(lines.slice(-1))).toEqual([]);
    });
  }

  for (const [name, lines] of KEPT) {
    scenario(`a reference to ${name} is kept`, SMALL, async (store) => {
      expect(await listDangling(store, lines, { isDryRun: true })).toEqual([]);
      expect(await listDangling(store, lines)).toEqual([]);
      const again = await importText(store, toText(lines.slice(-1)));
      expect(again.unchanged).toBe(1);
    });
  }

  scenario(
    "references that a forced deletion left are imported again",
    undefined,
    async (store, { address }) => {
      const action = {
        action: { id: "x", project_id: ALPHA, name: "X", webhook: { url: "https://a.example/" } },
      };
      const page = { page: { id: "page-1", project_id: ALPHA, slug: "home" } };
      const lines = [
        { organization: { id: "acme", name: "Acme" } },
        { project: { id: ALPHA, organization_id: "acme", name: "Alpha" } },
        ...[page, action, actions("t", "x"), type("u"), collection("c")],
        ...[annotation("a", "u"), banner("b", "c")],
      ];
      expect(await listDangling(store, lines)).toEqual([]);
      const { documents } = store.in("acme");
      await documents.action.delete("x", () => {});
      await documents.annotation_type.delete("u", () => {});
      await documents.banner_collection.delete("c", () => {});
      const text = await exportText(store, ALPHA);
      const empty = await OPEN_FRESH[address.engine]();
      const records = text.trimEnd().split("\n");
      expect(await listDangling(empty.store, records)).toEqual([
        "annotation_type t: action x",
        "annotation a: annotation_type u",
        "page_component b: banner_collection c",
      ]);
      expect(await exportText(empty.store, ALPHA)).toBe(text);
      await empty.close();
    },
  );
}
