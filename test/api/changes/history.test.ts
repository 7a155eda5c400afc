import { afterAll, expect, test } from "vitest";
import { reasonOf } from "../../harness/http.ts";
import { startMarquee } from "../../harness/marquee.ts";
import { callRest } from "../studio.ts";

const marquee = await startMarquee();
afterAll(() => marquee.close());

const call = async (method: string, path: string, body?: unknown) => {
  const { status, json } = await callRest(marquee, method, path, body);
  if (status !== 200) throw new Error(`${method} ${path}: ${JSON.stringify(json)}`);
  return json;
};
const createEvent = (id: string, fields: object = {}) =>
  call("POST", `cms/events/v1?event_id=${id}`, {
    project_id: "worldcup",
    content_type: "match",
    ...fields,
  });
const patchEvent = (id: string, event: object) =>
  call("PATCH", `cms/events/v1/${id}`, { event, update_mask: Object.keys(event).join() });
const listChanges = async (filter: string) => {
  const query = new URLSearchParams({ project_id: "worldcup", filter });
  return (await call("GET", `cms/changes/v1?${query}`)).changes ?? [];
};
const getChange = async (id: string) => (await call("GET", `cms/changes/v1/${id}`)).change;

test("changes of an event: who, by which method, what, from which value to which", async () => {
  await createEvent("h1", { title: { en: "One" }, fields: { score: 0, "a.b": 1 } });
  await patchEvent("h1", { title: { en: "Uno" } });
  await patchEvent("h1", { fields: { score: 1, "a.b": 2, c: {} } });
  await call("DELETE", "cms/events/v1/h1");
  const changes = await listChanges('resource: "event:h1"');
  expect(changes).toEqual(
    [
      ["Delete", "DELETED", []],
      ["Update", "UPDATED", ["fields.score", 'fields."a.b"', "fields.c"]],
      ["Update", "UPDATED", ["title.en"]],
      ["Create", "CREATED", []],
    ].map(([method, verb, paths]) => ({
      id: expect.any(String),
      project_id: "worldcup",
      time: expect.any(String),
      account_id: "account-owner",
      release_id: "",
      method: `svc.studio.cms.event.v1.EventService/${method}Event`,
      resources: [{ key: "event:h1", verb: `CHANGE_VERB_${verb}`, paths, is_hidden: false }],
    })),
  );
  const values = await Promise.all(
    changes.map(async ({ id }: { id: string }) => {
      const [{ before, after }] = (await getChange(id)).resources;
      return [before, after].map((it) => it && [it.event.title.en, it.event.fields.score]);
    }),
  );
  expect(values).toEqual([
    [["Uno", 1], undefined],
    [
      ["Uno", 0],
      ["Uno", 1],
    ],
    [
      ["One", 0],
      ["Uno", 0],
    ],
    [undefined, ["One", 0]],
  ]);
});

test("updates of the same paths within a minute are one change", async () => {
  await createEvent("h2", { fields: { score: 0 } });
  for (const score of [1, 2, 3]) await patchEvent("h2", { fields: { score } });
  const [joined, ...others] = await listChanges('resource: "event:h2"');
  expect(others).toHaveLength(1);
  const [{ before, after }] = (await getChange(joined.id)).resources;
  expect([before, after].map(({ event }) => event.fields.score)).toEqual([0, 3]);
  await patchEvent("h2", { title: { en: "Other" } });
  await patchEvent("h2", { fields: { score: 4 } });
  expect(await listChanges('resource: "event:h2"')).toHaveLength(4);
});

test("records that are written each for itself are changes of their own, and are joined", async () => {
  const write = (score: number) =>
    call("POST", "cms/records/v1:write", {
      project_id: "worldcup",
      mode: "WRITE_MODE_EACH",
      records: ["h3", "h4"].map((id) => ({ event: { id, fields: { score } } })),
    });
  for (const score of [1, 2, 3]) await write(score);
  for (const id of ["h3", "h4"]) {
    const changes = await listChanges(`resource: "event:${id}"`);
    expect(changes.map(({ resources }: { resources: object[] }) => resources.length)).toEqual([
      1, 1,
    ]);
    const [{ before, after }] = (await getChange(changes[0].id)).resources;
    expect([before, after].map(({ event }) => event.fields.score)).toEqual([1, 3]);
  }
});

test.each([
  [500, 200, undefined],
  [501, 400, "CHANGE_NOT_REVERTIBLE"],
])("a video with %i annotations is deleted and taken back: %i", async (count, status, reason) => {
  const id = `h-video-${count}`;
  const annotations = Array.from({ length: count }, (_, index) => ({
    annotation: { id: `${id}-${index}`, video_id: id, offset: "1s" },
  }));
  const body = { project_id: "worldcup", name: "Long" };
  await call("POST", `streaming/videos/v1?video_id=${id}`, body);
  for (const records of [annotations.slice(0, 500), annotations.slice(500)]) {
    if (records.length === 0) continue;
    await call("POST", "cms/records/v1:write", { project_id: "worldcup", records });
  }
  await call("DELETE", `streaming/videos/v1/${id}?force=true`);
  const [deleted] = await listChanges(`resource: "video:${id}"`);
  const got = await callRest(marquee, "POST", `cms/changes/v1/${deleted.id}:revert`, {});
  expect([got.status, reasonOf(got)]).toEqual([status, reason]);
  if (reason === undefined) expect(got.json.resources).toHaveLength(count + 1);
});

test("a page that is deleted takes its components with it, in their order", async () => {
  const inProject = { project_id: "worldcup" };
  await call("POST", "ott/pages/v1?page_id=hp", { ...inProject, slug: "hp" });
  for (const id of ["hc1", "hc2"]) {
    const body = { ...inProject, type: "text", text: { html: id } };
    await call("POST", `ott/page_components/v2?page_id=hp&page_component_id=${id}`, body);
  }
  await call("POST", "ott/pages/v1/hp:reorderComponents", { page_component_ids: ["hc2", "hc1"] });
  await call("DELETE", "ott/pages/v1/hp?force=true");
  const [deleted, reordered] = await listChanges('resource: "page:hp"');
  expect((await getChange(reordered.id)).resources).toMatchObject([
    { paths: ["page_component_ids"], before: { page_component_ids: ["hc1", "hc2"] } },
  ]);
  expect((await getChange(deleted.id)).resources).toMatchObject([
    { key: "page:hp", before: { page: { slug: "hp" } } },
    {
      key: "page_component:hc2",
      before: { page_component: { page_id: "hp", after: "" } },
    },
    { key: "page_component:hc1", before: { page_component: { after: "hc2" } } },
  ]);
});

test("the paths of many values are their parents, and updates are joined by all of them", async () => {
  const fields = (count: number, value: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]));
  await createEvent("h-many", { fields: fields(60, 0) });
  await patchEvent("h-many", { fields: fields(60, 1) });
  await patchEvent("h-many", { fields: fields(60, 2) });
  await patchEvent("h-many", { fields: { ...fields(60, 2), ...fields(55, 3) } });
  await patchEvent("h-many", { fields: { ...fields(60, 2), ...fields(55, 3), ...fields(51, 4) } });
  const changes = await listChanges('resource: "event:h-many"');
  const paths = changes.map((it: { resources: { paths: string[] }[] }) => it.resources[0]?.paths);
  expect(paths).toEqual([["fields"], ["fields"], ["fields"], []]);
});
