import { expect, test } from "vitest";
import { reasonOf, send } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";

const marquee = await useMarquee();

const get = (id: string, headers = {}) =>
  send("GET", `${marquee.url}/annotations/types/v1/${id}/action_configuration`, {
    token: marquee.tokens.owner,
    headers,
  });

test("a type answers its configuration and conditions", async () => {
  const got = await get("type-goal");
  expect([got.status, got.json]).toEqual([
    200,
    {
      configuration: {
        clip: { enabled: true, lead_in_seconds: 10, lead_out_seconds: 20 },
        notification: { enabled: true, channel: "goals" },
      },
      conditions: [
        {
          confidence_threshold: 0.9,
          source_types: { types: ["SOURCE_TYPE_MANUAL", "SOURCE_TYPE_AUTOMATIC"] },
        },
      ],
    },
  ]);
});

test("a type without a configuration answers an empty one", async () => {
  const got = await get("type-kickoff");
  expect([got.status, got.json]).toEqual([200, { configuration: {}, conditions: [] }]);
});

test("an unknown type is 404 and named", async () => {
  for (const id of ["nothing", "TYPE-GOAL", "type-goal%2F", "elsewhere-type-goal"]) {
    const got = await get(id);
    expect([got.status, got.json.code, reasonOf(got)]).toEqual([404, 5, "RESOURCE_NOT_FOUND"]);
    expect(got.json.message).toContain(decodeURIComponent(id));
  }
});

test("an id that is not there is another path", async () => {
  const got = await get("");
  expect([got.status, got.json.code]).toEqual([404, 5]);
});

test("a query parameter is unknown", async () => {
  const got = await send(
    "GET",
    `${marquee.url}/annotations/types/v1/type-goal/action_configuration?annotation_type_id=x`,
    { token: marquee.tokens.owner },
  );
  expect([got.status, reasonOf(got)]).toEqual([400, "QUERY_UNKNOWN"]);
});

test("a type lives from create to delete, which what refers to it holds up", async () => {
  const { owner: token } = marquee.tokens;
  const call = (method: string, path: string, body?: unknown) =>
    send(method, `${marquee.url}/annotations/${path}`, {
      token,
      ...(body !== undefined && { body }),
    });
  const created = await call("POST", "types/v1?annotation_type_id=corner", {
    ...{ project_id: "worldcup", name: "corner" },
  });
  expect(created.json.annotation_type).toMatchObject({ id: "corner", name: "corner" });
  const unnamed = await call("POST", "types/v1", { project_id: "worldcup" });
  expect([unnamed.status, reasonOf(unnamed)]).toEqual([400, "FIELD_REQUIRED"]);
  const early = await call("POST", "types/v1", {
    ...{ project_id: "worldcup", name: "x", action_configuration: { configuration: {} } },
  });
  expect([early.status, reasonOf(early)]).toEqual([400, "FIELD_OUTPUT_ONLY"]);
  const got = await call("GET", "types/v1/corner");
  expect(got.json).toEqual(created.json);
  const list = await call("GET", "types/v1?project_id=worldcup&filter=name:corner");
  expect(list.json.annotation_types).toEqual([created.json.annotation_type]);
  const patch = { annotation_type: { name: "corner kick" }, update_mask: "name" };
  const changed = await call("PATCH", "types/v1/corner", patch);
  expect(changed.json.annotation_type.name).toBe("corner kick");
  await call("POST", "annotations/v1?annotation_id=a-corner", {
    ...{ project_id: "worldcup", type_id: "corner" },
  });
  const refused = await call("DELETE", "types/v1/corner");
  expect([refused.status, reasonOf(refused)]).toEqual([400, "STILL_REFERRED_TO"]);
  expect((await call("DELETE", "types/v1/corner?force=true")).status).toBe(200);
  expect((await call("GET", "types/v1/corner")).status).toBe(404);
  expect((await call("GET", "annotations/v1/a-corner")).json.annotation.type_id).toBe("corner");
});
