import { describe, expect, test } from "vitest";
import { getUrl, PROCEDURES } from "../../harness/calls.ts";
import { dumpDatabase } from "../../harness/database.ts";
import { rejection, send } from "../../harness/http.ts";
import { playCases, toCases } from "../play-cases.ts";
import { ok, useIam } from "./iam.ts";

const PATH = "/iam/project_keys/v1";
const HIDDEN = "svc.cda.ott.page.v1.PageService/ListPages";

const { marquee, call } = await useIam();

const create = (fields: object = {}) =>
  call(`POST ${PATH}`, {
    body: { project_id: "worldcup", kind: "PROJECT_KEY_KIND_PUBLIC", ...fields },
  });

const readEvents = (token: string) =>
  send("GET", marquee.url + getUrl(PROCEDURES.listEvents, { pageSize: 2 }), { token });

playCases(
  marquee,
  "a key",
  toCases(
    {
      ...{ call: "iam.project_key.v1.ProjectKeyService/CreateProjectKey", within: "project_key" },
      body: (kind: unknown) => ({ projectKey: { projectId: "worldcup", kind } }),
    },
    [
      [undefined, "FIELD_REQUIRED kind"],
      ["PROJECT_KEY_KIND_UNSPECIFIED", "FIELD_REQUIRED kind"],
      ["PRIVATE", "ENUM_UNKNOWN kind"],
      [7, "VALUE_INVALID kind"],
    ],
  ),
);

describe("creating a key", () => {
  for (const [kind, start] of [
    ["PROJECT_KEY_KIND_PUBLIC", "public"],
    ["PROJECT_KEY_KIND_PREVIEW", "preview"],
  ] as const) {
    test(`of ${kind} shows it once, and it opens its project`, async () => {
      const got = ok(await create({ kind, name: start }));
      expect(got.project_key).toMatchObject({ kind, name: start, project_id: "worldcup" });
      const response = await readEvents(got.key);
      expect(response.status).toBe(200);
      const isPublic = response.headers.get("cache-control")?.startsWith("public") === true;
      expect(isPublic).toBe(start === "public");
      const read = await call(`GET ${PATH}/${got.project_key.id}`);
      expect(read.json.project_key).toEqual(got.project_key);
      expect(read.text).not.toContain(got.key);
      expect((await dumpDatabase(marquee.address)).includes(got.key)).toBe(false);
    });
  }
});

test("a key that is deleted is 401 at once, also where responses are cached", async () => {
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
  expect(rejection(await call(`GET ${PATH}/${project_key.id}`))[0]).toBe(404);
});
