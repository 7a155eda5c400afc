import { describe, expect, test } from "vitest";
import { getUrl, PROCEDURES } from "../../harness/calls.ts";
import { dumpDatabase } from "../../harness/database.ts";
import { refusal, send } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { callIam, connectIam, ok } from "./iam.ts";

const PATH = "/iam/project_keys/v1";
const HIDDEN = "svc.cda.ott.page.v1.PageService/ListPages";

const marquee = await useMarquee();
const call = callIam(marquee);

const create = (fields: object = {}, query: Record<string, string> = {}) =>
  call(`POST ${PATH}`, {
    body: { project_id: "worldcup", kind: "PROJECT_KEY_KIND_PUBLIC", ...fields },
    query,
  });

const readEvents = (token: string) =>
  send("GET", marquee.url + getUrl(PROCEDURES.listEvents, { pageSize: 2 }), { token });

describe("creating a key", () => {
  for (const [kind, start] of [
    ["PROJECT_KEY_KIND_PUBLIC", "public"],
    ["PROJECT_KEY_KIND_PREVIEW", "preview"],
  ] as const) {
    test(`of ${kind} shows it once, and it opens its project`, async () => {
      const got = ok(await create({ kind, name: start }));
      expect(got.project_key).toMatchObject({ kind, name: start, project_id: "worldcup" });
      const answer = await readEvents(got.key);
      expect(answer.status).toBe(200);
      const isPublic = answer.headers.get("cache-control")?.startsWith("public") === true;
      expect(isPublic).toBe(start === "public");
      const read = await call(`GET ${PATH}/${got.project_key.id}`);
      expect(read.json.project_key).toEqual(got.project_key);
      expect(read.text).not.toContain(got.key);
      expect((await dumpDatabase(marquee.address)).includes(got.key)).toBe(false);
    });
  }

  for (const kind of [undefined, "PROJECT_KEY_KIND_UNSPECIFIED", "PRIVATE", 7]) {
    test(`of kind ${kind} is refused`, async () => {
      expect((await create({ kind })).status).toBe(400);
    });
  }

  test("of a kind that has only a number is refused over Connect as well", async () => {
    const got = await connectIam(marquee)("iam.project_key.v1.ProjectKeyService/CreateProjectKey", {
      projectKey: { projectId: "worldcup", kind: 7 },
    });
    expect(got.status).toBe(400);
  });

  test("is not for an editor, nor in a project of somebody else", async () => {
    const body = { project_id: "worldcup", kind: "PROJECT_KEY_KIND_PUBLIC" };
    const editor = await call(`POST ${PATH}`, { body, token: marquee.tokens.editor });
    expect(refusal(editor)).toEqual([403, "PERMISSION_DENIED"]);
    const outsider = await call(`POST ${PATH}`, { body, token: marquee.tokens.outsider });
    expect(refusal(outsider)).toEqual([404, "RESOURCE_NOT_FOUND"]);
  });
});

test("a key is renamed, and keeps its project and kind", async () => {
  const { project_key, key } = ok(await create({ name: "old" }));
  const path = `PATCH ${PATH}/${project_key.id}`;
  const got = ok(await call(path, { body: { project_key: { name: "new" }, update_mask: "name" } }));
  expect(got.project_key).toMatchObject({ name: "new", kind: "PROJECT_KEY_KIND_PUBLIC" });
  expect((await readEvents(key)).status).toBe(200);
  for (const name of ["kind", "project_id", "id", "create_time"]) {
    const refused = await call(path, { body: { project_key: {}, update_mask: name } });
    expect(refusal(refused), name).toEqual([400, "UPDATE_MASK_INVALID"]);
  }
});

test("a key that is deleted is 401 at once, also where answers are kept in memory", async () => {
  const { project_key, key } = ok(await create());
  for (let time = 0; time < 3; time += 1) expect((await readEvents(key)).status).toBe(200);
  const tag = (await readEvents(key)).headers.get("etag") ?? "";
  expect(ok(await call(`DELETE ${PATH}/${project_key.id}`))).toEqual({});
  expect((await readEvents(key)).status).toBe(401);
  const url = marquee.url + getUrl(PROCEDURES.listEvents, { pageSize: 2 });
  const again = await send("GET", url, { token: key, headers: { "if-none-match": tag } });
  expect(again.status).toBe(401);
  const post = await send("POST", `${marquee.url}/${HIDDEN}`, {
    token: key,
    headers: { "connect-protocol-version": "1" },
    body: {},
  });
  expect(post.status).toBe(401);
  expect((await readEvents(marquee.keys.public)).status).toBe(200);
  expect(refusal(await call(`GET ${PATH}/${project_key.id}`))[0]).toBe(404);
});

test("keys of a project are listed, and only those", async () => {
  ok(await create({ name: "listed" }, { project_key_id: "key-listed" }));
  const list = async (query: Record<string, string>) =>
    ok(await call(`GET ${PATH}`, { query: { project_id: "worldcup", ...query } })).project_keys;
  expect(await list({ filter: "name: listed" })).toEqual([
    expect.objectContaining({ id: "key-listed" }),
  ]);
  expect(await list({ project_id: "sandbox", filter: "name: listed" })).toEqual([]);
  const previews = await list({ filter: "kind: PROJECT_KEY_KIND_PREVIEW" });
  expect(previews.length).toBeGreaterThan(0);
});
