import { describe, expect, test } from "vitest";
import { isRecorded, isUndoable, KIND_NAMES } from "../../../src/domain/kinds.ts";
import { reasonOf } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { ReleaseCalls } from "../releases/releases.ts";

const marquee = await useMarquee();

const calls = new ReleaseCalls(marquee);
const getChange = async (id: string) => (await calls.call("GET", `cms/changes/v1/${id}`)).change;

test("changes of an event: who, by which method, what, from which value to which", async () => {
  await calls.createEvent("h1", { title: { en: "One" }, fields: { score: 0, "a.b": 1 } });
  await calls.patchEvent("h1", { title: { en: "Uno" } });
  await calls.patchEvent("h1", { fields: { score: 1, "a.b": 2, c: {} } });
  await calls.call("DELETE", "cms/events/v1/h1");
  const changes = await calls.listChanges("event:h1");
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

describe("a change of what cannot be taken back names its fields", () => {
  const WRITES: readonly [kind: string, path: string, body: object][] = [
    ["project", "iam/projects/v1/worldcup", { project: { name: "Cup" }, update_mask: "name" }],
    ["sign_in_integration", "iam/users/v1/sso/worldcup", { audiences: ["site"] }],
    ["project_key", "iam/project_keys/v1/h-key", { project_key: {}, update_mask: "name" }],
  ];

  test("of every such kind", () => {
    const kinds = KIND_NAMES.filter((kind) => isRecorded(kind) && !isUndoable(kind));
    expect(WRITES.map(([kind]) => kind).sort()).toEqual(kinds.sort());
  });

  test.each(WRITES)("%s", async (kind, path, body) => {
    if (kind === "project_key") {
      const key = { project_id: "worldcup", name: "Key", kind: "PROJECT_KEY_KIND_PUBLIC" };
      await calls.call("POST", "iam/project_keys/v1?project_key_id=h-key", key);
    }
    await calls.call("PATCH", path, body);
    const [{ id }] = await calls.listChanges(`${kind}:${path.split("/").at(-1)}`);
    const [resource] = (await getChange(id)).resources;
    const paths = [kind === "sign_in_integration" ? "audiences" : "name"];
    expect(resource).toMatchObject({ verb: "CHANGE_VERB_UPDATED", paths });
    const reverted = await calls.send("POST", `cms/changes/v1/${id}:revert`, {});
    expect(reasonOf(reverted)).toBe("CHANGE_NOT_REVERTIBLE");
  });
});

test("updates of the same paths within a minute are one change", async () => {
  await calls.createEvent("h2", { fields: { score: 0 } });
  for (const score of [1, 2, 3]) await calls.patchEvent("h2", { fields: { score } });
  const [joined, ...others] = await calls.listChanges("event:h2");
  expect(others).toHaveLength(1);
  const [{ before, after }] = (await getChange(joined.id)).resources;
  expect([before, after].map(({ event }) => event.fields.score)).toEqual([0, 3]);
  await calls.patchEvent("h2", { title: { en: "Other" } });
  await calls.patchEvent("h2", { fields: { score: 4 } });
  expect(await calls.listChanges("event:h2")).toHaveLength(4);
});

test("records that are written each for itself are changes of their own, and are joined", async () => {
  const write = (score: number) =>
    calls.call("POST", "cms/records/v1:write", {
      project_id: "worldcup",
      mode: "WRITE_MODE_EACH",
      records: ["h3", "h4"].map((id) => ({ event: { id, fields: { score } } })),
    });
  for (const score of [1, 2, 3]) await write(score);
  for (const id of ["h3", "h4"]) {
    const changes = await calls.listChanges(`event:${id}`);
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
  await calls.call("POST", `streaming/videos/v1?video_id=${id}`, body);
  for (const records of [annotations.slice(0, 500), annotations.slice(500)]) {
    if (records.length === 0) continue;
    await calls.call("POST", "cms/records/v1:write", { project_id: "worldcup", records });
  }
  await calls.call("DELETE", `streaming/videos/v1/${id}?force=true`);
  const [deleted] = await calls.listChanges(`video:${id}`);
  const got = await calls.send("POST", `cms/changes/v1/${deleted.id}:revert`, {});
  expect([got.status, reasonOf(got)]).toEqual([status, reason]);
  if (reason === undefined) expect(got.json.resources).toHaveLength(count + 1);
});

test("a page that is deleted takes its components with it, in their order", async () => {
  await calls.createPage("hp");
  for (const letter of "ab") await calls.createComponent("hp", letter);
  await calls.reorder("hp", "ba");
  await calls.call("DELETE", "ott/pages/v1/hp?force=true");
  const [deleted, reordered] = await calls.listChanges("page:hp");
  expect((await getChange(reordered.id)).resources).toMatchObject([
    { paths: ["page_component_ids"], before: { page_component_ids: ["hp-a", "hp-b"] } },
  ]);
  expect((await getChange(deleted.id)).resources).toMatchObject([
    { key: "page:hp", before: { page: { slug: "hp" } } },
    {
      key: "page_component:hp-b",
      before: { page_component: { page_id: "hp", after: "" } },
    },
    { key: "page_component:hp-a", before: { page_component: { after: "hp-b" } } },
  ]);
});

test("the paths of many values are their parents, and updates are joined by all of them", async () => {
  const fields = (count: number, value: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]));
  await calls.createEvent("h-many", { fields: fields(60, 0) });
  await calls.patchEvent("h-many", { fields: fields(60, 1) });
  await calls.patchEvent("h-many", { fields: fields(60, 2) });
  await calls.patchEvent("h-many", { fields: { ...fields(60, 2), ...fields(55, 3) } });
  await calls.patchEvent("h-many", {
    fields: { ...fields(60, 2), ...fields(55, 3), ...fields(51, 4) },
  });
  const changes = await calls.listChanges("event:h-many");
  const paths = changes.map((it: { resources: { paths: string[] }[] }) => it.resources[0]?.paths);
  expect(paths).toEqual([["fields"], ["fields"], ["fields"], []]);
});
