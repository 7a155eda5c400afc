import { expect } from "vitest";
import { Code } from "../../../src/domain/errors.ts";
import { exportText, importText, toText } from "../../transfer/transfer.ts";
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

const REFUSED: readonly (readonly [string, readonly object[], RegExp])[] = [
  [
    "a banner collection that is nowhere",
    [collection("c"), banner("a", "C")],
    /^line 2: page_component\.page_component\.banner_collection_v2\.id: the project has no banner collection 'C'; create it first$/,
  ],
  [
    "a banner collection of another project",
    [collection("c", BETA), banner("a", "c", "banner_collection")],
    /^line 2: page_component\.page_component\.banner_collection\.id: /,
  ],
  [
    "a stored banner collection's id in another kind",
    [annotation("a", "banner_collection-1")],
    /^line 1: annotation\.type_id: the project has no annotation type 'banner_collection-1'/,
  ],
  [
    "an annotation type of another project, after one that is there",
    [annotation("b", "annotation_type-1"), annotation("a", "t"), type("t", GAMMA)],
    /^line 2: annotation\.type_id: /,
  ],
  [
    "a record that comes twice, by its later one",
    [annotation("a", "annotation_type-1"), annotation("a", "nothing")],
    /^line 2: annotation\.type_id: /,
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

/** Holds an import to the references that the management interface demands. */
export function recordReferenceContract(scenario: Scenario): void {
  for (const [name, lines, want] of REFUSED) {
    scenario(`${name} is refused with its line, and nothing is written`, SMALL, async (store) => {
      const before = await exportText(store, ALPHA);
      for (const isDryRun of [true, false]) {
        const failure = await importText(store, toText(lines), { isDryRun }).catch((it) => it);
        expect(failure).toMatchObject({
          ...{ code: Code.INVALID_ARGUMENT, reason: "REFERENCE_NOT_FOUND" },
          message: expect.stringMatching(want),
        });
      }
      expect(await exportText(store, ALPHA)).toBe(before);
    });
  }

  for (const [name, lines] of KEPT) {
    scenario(`a reference to ${name} is kept`, SMALL, async (store) => {
      await importText(store, toText(lines), { isDryRun: true });
      await importText(store, toText(lines));
      const again = await importText(store, toText(lines.slice(-1)));
      expect(again.unchanged).toBe(1);
    });
  }

  scenario("what stays as it is may refer to what is gone", SMALL, async (store) => {
    await importText(store, toText([collection("c"), banner("a", "c")]));
    await store.in("acme").documents.banner_collection.delete("c", () => {});
    expect((await importText(store, toText([banner("a", "c")]))).unchanged).toBe(1);
    const changed = importText(store, toText([banner("a", "c", "banner_collection")]));
    await expect(changed).rejects.toMatchObject({ reason: "REFERENCE_NOT_FOUND" });
  });
}
