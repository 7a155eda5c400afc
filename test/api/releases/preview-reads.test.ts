import { create } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { PageSchema } from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import { PageComponentSchema } from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import type { RecordItem } from "../../../src/domain/records/record.ts";
import { getUrl } from "../../harness/calls.ts";
import { recordCalls, type StoreCall } from "../../harness/counted-store.ts";
import { send } from "../../harness/http.ts";
import { startOver } from "../../harness/marquee.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import type { JsonMessage } from "../methods.ts";
import { DEMO, ReleaseCalls } from "./releases.ts";

const marquee = await useMarquee();
const releases = new ReleaseCalls(marquee);
const calls: StoreCall[] = [];
const server = await startOver(recordCalls(marquee.store, calls), { runsActions: false });
afterAll(() => server.close(1_000));

const EVENTS = "svc.cda.cms.event.v1.EventService";
const inProject = { projectId: DEMO.projectId, visibility: Visibility.PUBLISHED };

/** Reads with the preview key, and returns the calls of the store that it makes. */
async function read(procedure: string, message: JsonMessage, ...releaseIds: string[]) {
  calls.length = 0;
  const headers = releaseIds.length === 0 ? {} : { "x-release-id": releaseIds.join() };
  const path = getUrl(procedure, message);
  const token = marquee.keys.preview;
  const got = await send("GET", `${server.deliveryUrl}/${path}`, { token, headers });
  expect([got.status, got.text]).toEqual([200, got.text]);
  return { json: got.json, made: [...calls] };
}

/** Counts calls by the names of their methods, from most of which others can be subtracted. */
function count(made: readonly StoreCall[], without: readonly StoreCall[] = []) {
  const counts: Record<string, number> = {};
  for (const { name } of made) counts[name] = (counts[name] ?? 0) + 1;
  for (const { name } of without) counts[name] = (counts[name] ?? 0) - 1;
  return Object.fromEntries(Object.entries(counts).filter(([, number]) => number !== 0));
}

/** Lists the drafts that are read and decoded, as `release/id`. */
const listDrafts = (made: readonly StoreCall[]): string[] =>
  made
    .filter(({ name }) => name === "releaseItems.list")
    .flatMap(({ args: [place, selection] }) =>
      (selection as { ids: string[] }).ids.map(
        (id) => `${(place as { releaseId: string }).releaseId}/${id}`,
      ),
    )
    .sort();

describe("a page of grids that mirror the components of one page", () => {
  const MANY = 100;
  const mirroredOf = (index: number) => `mirrored-${index}`;

  beforeAll(async () => {
    const toPage = (id: string): RecordItem => ({
      ...{ kind: "page", line: 0 },
      message: create(PageSchema, { id, slug: id, ...inProject }),
    });
    const toComponent = (id: string, pageId: string, data: object): RecordItem => ({
      ...{ kind: "page_component", line: 0, pageId },
      message: create(PageComponentSchema, { id, ...inProject, ...data }),
    });
    const toRail = (id: string) =>
      toComponent(id, "mirrored", {
        type: "rail",
        data: { case: "rail", value: { type: 1, filter: "id: none" } },
      });
    const toGrid = (pageId: string, index: number) => {
      const value = { page_component_id: mirroredOf(index) };
      const source = { case: "reference", value } as const;
      return toComponent(`${pageId}-${index}`, pageId, {
        type: "content_grid",
        data: { case: "contentGrid", value: { source } },
      });
    };
    const numbers = Array.from({ length: MANY }, (_, index) => index);
    await marquee.store.importRecords([
      ["mirrored", "many", "two"].map(toPage),
      numbers.map((index) => toRail(mirroredOf(index))),
      numbers.map((index) => toGrid("many", index)),
      numbers.slice(0, 2).map((index) => toGrid("two", index)),
    ]);
    for (const id of ["of-component", "of-page"]) await releases.createRelease(id);
    await rename(mirroredOf(0));
    const page = { title: { en: "Renamed" } };
    await releases.call("PATCH", "ott/pages/v1/mirrored", {
      ...{ page, update_mask: "title", release_id: "of-page" },
    });
    // Finds the key, and merges the drafts.
    for (const id of ["of-component", "of-page"]) await getPage("two", id);
  });

  const rename = (id: string, releaseId = "of-component") =>
    releases.call("PATCH", `ott/page_components/v2/${id}`, {
      ...{ page_component: { name: "Renamed" }, update_mask: "name", release_id: releaseId },
    });
  const getPage = (id: string, ...releaseIds: string[]) =>
    read("svc.cda.ott.page.v1.PageService/GetPage", { id }, ...releaseIds);

  test.each(["of-component", "of-page"])(
    "reads that page once in a preview, however many grids there are: a draft %s",
    async (release) => {
      const extra = async (page: string) => {
        const current = await getPage(page);
        const preview = await getPage(page, release);
        expect(preview.json).toEqual(current.json);
        return count(preview.made, current.made);
      };
      const [few, many] = [await extra("two"), await extra("many")];
      expect((await getPage("many", release)).json.components).toHaveLength(MANY);
      expect(many).toEqual(few);
      expect(many["in.documents.page.getMany"]).toBe(1);
    },
  );

  test("reads no drafts of components on other pages", async () => {
    await releases.createRelease("of-pages");
    for (const id of ["two-0", mirroredOf(5)]) await rename(id, "of-pages");
    expect(listDrafts((await getPage("mirrored", "of-pages")).made)).toEqual([
      `of-pages/${mirroredOf(5)}`,
    ]);
  });

  test("reads again only the draft that a client has saved", async () => {
    expect(listDrafts((await getPage("many", "of-component")).made)).toEqual([]);
    await rename(mirroredOf(1));
    const want = [`of-component/${mirroredOf(1)}`];
    expect(listDrafts((await getPage("many", "of-component")).made)).toEqual(want);
  });
});

describe("a preview through three releases", () => {
  const RELEASES = ["first", "second", "third"];
  const IDS = Array.from({ length: 5 }, (_, index) => `drafted-${index}`);

  beforeAll(async () => {
    for (const release of RELEASES) await releases.createRelease(release);
    for (const id of IDS) {
      const event = create(EventSchema, { id, ...inProject, contentType: "drafted" });
      await marquee.store.in(DEMO.organizationId).documents.event.create(event);
      for (const release of RELEASES) await save(release, id);
    }
  });

  let saves = 0;
  const save = (release: string, id: string) => {
    saves += 1;
    return releases.patchEvent(id, { title: { en: `${release} ${saves}` } }, release);
  };
  const get = (id: string) => read(`${EVENTS}/GetEvent`, { id }, ...RELEASES);
  const list = () => read(`${EVENTS}/ListEvents`, { filter: "content_type: drafted" }, ...RELEASES);
  const inEach = (...ids: string[]) =>
    RELEASES.flatMap((release) => ids.map((id) => `${release}/${id}`)).sort();

  test("reads of a resource only its own drafts, and the second time none", async () => {
    const id = IDS[4] ?? "";
    const got = await get(id);
    expect(got.json.event.title.en).toMatch(/^third /);
    expect(listDrafts(got.made)).toEqual(inEach(id));
    const revisions = got.made.filter((it) => it.name === "releaseItems.listRevisions");
    expect(revisions.map(({ args: [selection] }) => selection)).toEqual([
      expect.objectContaining({ kind: "event", ids: [id] }),
    ]);
    expect(listDrafts((await get(id)).made)).toEqual([]);
    expect(listDrafts((await get("match-2026-1")).made)).toEqual([]);
  });

  test("reads for a list each draft once, then none, then those of what was saved", async () => {
    for (const id of IDS) await save("first", id);
    const first = await list();
    expect(first.json.events).toHaveLength(IDS.length);
    expect(listDrafts(first.made)).toEqual(inEach(...IDS));
    expect(listDrafts((await list()).made)).toEqual([]);
    await save("second", "drafted-3");
    expect(listDrafts((await list()).made)).toEqual(inEach("drafted-3"));
  });
});
