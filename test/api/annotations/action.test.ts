import { expect, test } from "vitest";
import { EntityService } from "../../../gen/svc/cda/cms/entity/v1/entity_service_pb.ts";
import { toDescriptorSet } from "../../domain/actions/descriptor-set.ts";
import { metadataOf, rejection } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { playCases, toWriteCases } from "../play-cases.ts";
import { callRest } from "../studio.ts";

const marquee = await useMarquee();

const call = (method: string, path: string, body?: unknown) =>
  callRest(marquee, method, `annotations/${path}`, body);
const webhook = { url: "https://hooks.example.com/goals" };
const createAction = (id: string, action: object = { webhook }) =>
  call("POST", `actions/v1?action_id=${id}`, { project_id: "worldcup", name: id, ...action });

const connectCall = (changes: object = {}) => ({
  base_url: "https://rpc.example.com/api",
  method: `${EntityService.typeName}/GetEntity`,
  descriptor_set: Buffer.from(toDescriptorSet(EntityService.file)).toString("base64"),
  request: { id: "{annotation.source_id}" },
  ...changes,
});

test("an action shows its secret once, and a new one when it is rotated", async () => {
  const created = await createAction("life");
  expect(created.status).toBe(200);
  const { action, signing_secret } = created.json;
  expect(action).toMatchObject({ id: "life", project_id: "worldcup", name: "life", webhook });
  expect(signing_secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);

  const got = await call("GET", "actions/v1/life");
  expect([got.status, got.json]).toEqual([200, { action }]);

  const rotated = await call("POST", "actions/v1/life:rotateSecret", {});
  expect(rotated.status).toBe(200);
  expect(rotated.json.signing_secret).toMatch(/^whsec_/);
  expect(rotated.json.signing_secret).not.toBe(signing_secret);
  const after = await call("GET", "actions/v1/life");
  expect(after.headers.get("etag")).toBe(rotated.headers.get("etag"));
  expect(after.headers.get("etag")).not.toBe(got.headers.get("etag"));
  const list = await call("GET", "actions/v1?project_id=worldcup&filter=name:life");
  expect(list.json.actions).toMatchObject([{ id: "life", webhook }]);
  for (const it of [got, list, after]) expect(it.text).not.toContain("whsec_");
});

test("an update switches the kind, and clears none", async () => {
  await createAction("switch");
  const path = "actions/v1/switch";
  const switched = await call("PATCH", path, {
    action: { connect_call: connectCall() },
    update_mask: "connect_call",
  });
  expect(switched.json.action.webhook).toBeUndefined();
  expect(switched.json.action.connect_call.base_url).toBe("https://rpc.example.com/api");
  const emptied = await call("PATCH", path, { action: {}, update_mask: "connect_call" });
  expect(rejection(emptied)).toEqual([400, "ONEOF_REQUIRED"]);
  expect(
    rejection(await call("PATCH", path, { action: { webhook: {} }, update_mask: "webhook" })),
  ).toEqual([400, "FIELD_REQUIRED"]);
});

const rejected = (want: string, ...urls: string[]) =>
  urls.map((url) => [{ webhook: { url } }, `${want} webhook.url`] as const);
const rejectedCall = (want: string, changes: object) =>
  [{ connectCall: connectCall(changes) }, want.replace(/ (?=[a-z])/, " connect_call.")] as const;

playCases(
  marquee,
  "an action",
  toWriteCases(
    {
      ...{ service: "annotations.action.v1.ActionService", noun: "action" },
      resource: { projectId: "worldcup", name: "refused" },
    },
    [
      [{}, "ONEOF_REQUIRED ."],
      [{ webhook: {} }, "FIELD_REQUIRED webhook.url"],
      ...rejected("TARGET_INVALID", "nowhere", "https://a:b@example.com"),
      ...rejected("400/9 TARGET_NOT_ALLOWED", "http://example.com", "https://127.0.0.1"),
      ...rejected("400/9 TARGET_NOT_ALLOWED", "https://[::1]/", "https://localhost"),
      rejectedCall("400/9 TARGET_NOT_ALLOWED base_url", { base_url: "https://10.0.0.1" }),
      rejectedCall("TARGET_INVALID base_url", { base_url: "https://example.com/?a" }),
      rejectedCall("METHOD_NOT_DESCRIBED method", { method: "a.B/C" }),
      rejectedCall("METHOD_NOT_DESCRIBED method", { descriptor_set: "AAAA" }),
      rejectedCall("REQUEST_NOT_ACCEPTED request", { request: { id: 1 } }),
      rejectedCall("VARIABLE_MALFORMED request", { request: { id: "{annotation" } }),
      [{ webhook, connectCall: connectCall() }, "ONEOF_CONFLICT"],
    ],
  ),
  async () => (await call("GET", "actions/v1?project_id=worldcup")).json,
);

test("an action that a type names is deleted only by force, and then runs no more", async () => {
  await createAction("named");
  await call("POST", "types/v1?annotation_type_id=naming", { project_id: "worldcup", name: "n" });
  await call("PATCH", "types/v1/naming/action_configuration", { configuration: { named: {} } });
  const rejected = await call("DELETE", "actions/v1/named");
  expect(rejection(rejected)).toEqual([400, "STILL_REFERRED_TO"]);
  expect(metadataOf(rejected)?.referrers).toBe("annotation_type/naming");
  expect((await call("DELETE", "actions/v1/named?force=true")).status).toBe(200);
  const created = await call("POST", "annotations/v1", {
    project_id: "worldcup",
    type_id: "naming",
  });
  expect(created.json.action_runs).toMatchObject([
    { action_id: "named", state: "ACTION_RUN_STATE_SKIPPED", reason: "ACTION_NOT_FOUND" },
  ]);
  const [{ id }] = created.json.action_runs;
  const replayed = await call("POST", `action_runs/v1/${id}:replay`, {});
  expect(rejection(replayed)).toEqual([400, "ACTION_NOT_FOUND"]);
});
