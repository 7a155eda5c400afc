import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { send } from "../harness/http.ts";
import { serveHere, serveProcess } from "../harness/service-process.ts";
import { useServiceFolder } from "../harness/test-folder.ts";
import { type Receiver, startReceiver } from "./receiver.ts";

const folder = useServiceFolder();
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver((_request, response) => response.end());
});
afterAll(() => receiver.close());

test("--no-background-work leaves runs and releases to another service, which ends in time", async () => {
  const idle = await serveProcess(folder, [
    "--demo",
    "--no-background-work",
    "--actions-allow-private",
  ]);
  const demo = JSON.parse(readFileSync(folder.demoFile, "utf8")) as {
    accounts: { owner: string };
  };
  const call = async (method: string, path: string, body?: unknown) => {
    const url = `${idle.studioUrl}/${path}`;
    const got = await send(method, url, { token: demo.accounts.owner, body });
    expect([got.status, got.text]).toEqual([200, expect.any(String)]);
    return got.json;
  };
  const named = { project_id: "worldcup", name: "x" };
  const webhook = { url: receiver.url };
  await call("POST", "annotations/actions/v1?action_id=hook", { ...named, webhook });
  await call("POST", "annotations/types/v1?annotation_type_id=corner", named);
  const configuration = { hook: {} };
  await call("PATCH", "annotations/types/v1/corner/action_configuration", { configuration });
  const annotation = { project_id: "worldcup", type_id: "corner" };
  const { action_runs } = await call("POST", "annotations/annotations/v1", annotation);
  await call("POST", "cms/releases/v1?release_id=due", named);
  const change = { update_mask: "title", page: { title: { en: "Applied" } } };
  await call("PATCH", "ott/pages/v1/page-home?release_id=due", change);
  const soon = { apply_time: new Date(Date.now() + 2_000).toISOString() };
  await call("PATCH", "cms/releases/v1/due", { release: soon, update_mask: "apply_time" });
  const metrics = async () => (await send("GET", `${idle.studioUrl}/metrics`)).text;
  await expect
    .poll(metrics, { timeout: 30_000 })
    .toMatch(/^marquee_release_overdue_seconds [1-9]/m);
  expect(await metrics()).toMatch(/^marquee_actions_pending 1$/m);

  const busy = await serveHere(folder, { actionsAllowPrivate: true });
  await expect.poll(() => receiver.requests.length, { timeout: 50_000 }).toBe(1);
  expect(receiver.requests[0]?.headers["webhook-id"]).toBe(action_runs[0].id);
  const own = () => send("GET", `${busy.studioUrl}/metrics`).then(({ text }) => text);
  await expect.poll(own).toMatch(/^marquee_action_attempts_total{outcome="succeeded"} 1$/m);
  expect(await metrics()).toMatch(/^marquee_actions_pending 0$/m);
  const isApplied = async () => (await call("GET", "cms/releases/v1/due")).release.state;
  await expect.poll(isApplied, { timeout: 30_000 }).toBe("RELEASE_STATE_APPLIED");

  const start = performance.now();
  await busy.stop();
  expect(await idle.stop()).toBe(0);
  expect(performance.now() - start).toBeLessThan(5_000);
});
