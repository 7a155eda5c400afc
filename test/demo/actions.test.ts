import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDemoDataset } from "../../demo/data/dataset.ts";
import { checkAction } from "../../src/domain/actions/action.ts";
import { checkTarget } from "../../src/outbox/target.ts";
import { reasonOf, send } from "../harness/http.ts";
import {
  makeFolder,
  type ServiceFolder,
  type ServiceProcess,
  serveProcess,
} from "../harness/service-process.ts";

const { actions = [], annotationTypes } = createDemoDataset();

test("every action that the demo configures is one of its project's, and has a form that is kept", () => {
  const projectOf = new Map(actions.map((it) => [it.id, it.projectId]));
  for (const { id, projectId, actionConfiguration } of annotationTypes) {
    for (const actionId of Object.keys(actionConfiguration?.configuration ?? {})) {
      expect([id, projectOf.get(actionId)]).toEqual([id, projectId]);
    }
  }
  expect(actions.map((it) => it.id)).toEqual([
    ...["clip", "notification", "sandbox-clip", "elsewhere-clip"],
  ]);
  for (const action of actions) expect(() => checkAction(action, "action", () => {})).not.toThrow();
});

test("without the demo no action of it reaches anything", () => {
  for (const { kind } of actions) {
    const url = kind.case === "webhook" ? kind.value.url : kind.value?.baseUrl;
    expect(() => checkTarget(String(url), { allowPrivate: false })).toThrow(/not allowed/);
  }
});

describe("serve --demo", () => {
  let folder: ServiceFolder;
  let service: ServiceProcess;
  let receiver = "";
  let accounts: Readonly<Record<"owner" | "outsider", string>>;
  beforeAll(async () => {
    folder = makeFolder();
    service = await serveProcess(folder);
    accounts = JSON.parse(readFileSync(folder.demoFile, "utf8")).accounts;
    receiver =
      /runs of its actions +(http:\/\/127\.0\.0\.1:\d+)\n/.exec(service.stdout())?.[1] ?? "";
  });
  afterAll(async () => {
    await service.stop();
    folder.remove();
  });

  const call = (method: string, path: string, body?: unknown, token = accounts.owner) =>
    send(method, `${service.studioUrl}/annotations/${path}`, {
      token,
      ...(body !== undefined && { body }),
    });

  /** Waits until all runs of an annotation have ended. */
  async function listRuns(filter: string) {
    const end = performance.now() + 10_000;
    for (;;) {
      const query = `project_id=worldcup&filter=${encodeURIComponent(filter)}`;
      const { action_runs: runs } = (await call("GET", `action_runs/v1?${query}`)).json;
      if (runs.every((it: { state: string }) => !/PENDING/.test(it.state))) return runs;
      expect(performance.now()).toBeLessThan(end);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  test("a new goal runs both actions of its type, and each succeeds at once", async () => {
    const goal = {
      ...{ project_id: "worldcup", type_id: "type-goal", video_id: "video-match-2026-104" },
      ...{ event_id: "match-2026-104", offset: "300s", start_offset: "290s", confidence: 1 },
    };
    const created = await call("POST", "annotations/v1?annotation_id=new-goal", goal);
    expect(created.status, created.text).toBe(200);
    const runs = await listRuns('annotation_id: "new-goal"');
    const outcomes = runs.map((it: Record<string, unknown>) => [
      ...[it.action_id, it.state, it.reason, it.attempt_count],
    ]);
    expect(outcomes.sort()).toEqual([
      ["clip", "ACTION_RUN_STATE_SUCCEEDED", "", 1],
      ["notification", "ACTION_RUN_STATE_SUCCEEDED", "", 1],
    ]);
    const { deliveries } = (await send("GET", receiver)).json;
    expect(deliveries.map((it: { webhook_id: string }) => it.webhook_id).sort()).toEqual(
      runs.map((it: { id: string }) => it.id).sort(),
    );
    const byPath = new Map(deliveries.map((it: Record<string, unknown>) => [it.path, it.body]));
    expect(byPath.get("/demo.v1.ClipService/CreateClip")).toEqual({
      ...{ videoId: "video-match-2026-104", start: "290s", leadInSeconds: 10, leadOutSeconds: 20 },
    });
    expect(byPath.get("/notifications")).toMatchObject({
      type: "annotation.created",
      data: { annotation: { id: "new-goal" }, settings: { channel: "goals" } },
    });
  });

  test("the configuration that is returned is accepted back, as it is and once an action is gone", async () => {
    const path = "types/v1/type-goal/action_configuration";
    const { json } = await call("GET", path);
    expect(Object.keys(json.configuration)).toEqual(["clip", "notification"]);
    const back = await call("PATCH", path, json);
    expect([back.status, back.json]).toEqual([200, json]);
    const unknown = { ...json, configuration: { ...json.configuration, other: {} } };
    const rejected = await call("PATCH", path, unknown);
    expect([rejected.status, reasonOf(rejected)]).toEqual([400, "ACTION_NOT_FOUND"]);
    expect((await call("DELETE", "actions/v1/notification?force=true")).status).toBe(200);
    expect((await call("PATCH", path, json)).status).toBe(200);
  });

  test("what is not signed is rejected by the receiver, and so is what is too long or for another host", async () => {
    const { deliveries } = (await send("GET", receiver)).json;
    const body = { type: "annotation.created" };
    const forged = {
      "webhook-id": deliveries[0].webhook_id,
      "webhook-timestamp": String(Math.floor(Date.now() / 1_000)),
      "webhook-signature": "v1,AAAA",
    };
    expect((await send("POST", receiver, { body })).status).toBe(401);
    expect((await send("POST", receiver, { body, headers: forged })).status).toBe(401);
    const long = { text: "x".repeat(1_024 * 1_024) };
    expect((await send("POST", receiver, { body: long })).status).toBe(413);
    expect((await send("GET", receiver.replace("127.0.0.1", "localhost"))).status).toBe(421);
    expect((await send("GET", receiver)).json.deliveries).toEqual(deliveries);
  });

  test("another tenant gets to nothing of this machine by it", async () => {
    for (const url of [
      `${service.studioUrl}/metrics`,
      `${receiver}/notifications`,
      "http://receiver.demo.internal:81/notifications",
      "https://receiver.demo.internal/notifications",
      "http://receiver.demo.internal.localhost/notifications",
    ]) {
      const action = { project_id: "elsewhere", name: "A", webhook: { url } };
      const got = await call("POST", "actions/v1", action, accounts.outsider);
      expect([url, got.status, reasonOf(got)]).toEqual([url, 400, "TARGET_NOT_ALLOWED"]);
    }
  });
});
