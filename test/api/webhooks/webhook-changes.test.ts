import { setTimeout } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { send } from "../../harness/http.ts";
import { startMarquee } from "../../harness/marquee.ts";
import { startReceiver } from "../../outbox/receiver.ts";

const receiver = await startReceiver((_request, response) => response.writeHead(200).end());
const marquee = await startMarquee({ runsActions: true, actionsAllowPrivate: true });
afterAll(async () => {
  await marquee.close();
  await receiver.close();
});

const inProject = { project_id: "worldcup" };

async function call(method: string, path: string, body?: unknown) {
  const got = await send(method, `${marquee.url}${path}`, {
    token: marquee.tokens.owner,
    ...(body !== undefined && { body }),
  });
  expect(got.status, got.text).toBe(200);
  return got.json;
}

/** Creates a webhook whose deliveries are those to a path of its own. */
function createHook(id: string, fields: object = {}) {
  const webhook = { ...inProject, name: id, url: `${receiver.url}/${id}`, ...fields };
  return call("POST", `/cms/webhooks/v1?webhook_id=${id}`, webhook);
}

function listBodies(id: string) {
  return receiver.requests
    .filter(({ path }) => path === `/${id}`)
    .map(({ body }) => JSON.parse(body));
}

async function createPage(id: string, componentIds: readonly string[]): Promise<void> {
  await call("POST", `/ott/pages/v1?page_id=${id}`, { ...inProject, slug: id });
  for (const componentId of componentIds) {
    await call("POST", `/ott/page_components/v2?page_id=${id}&page_component_id=${componentId}`, {
      ...{ ...inProject, name: componentId, type: "text", text: { body: "Hello" } },
    });
  }
}

test("reordering the components of a page announces the page", async () => {
  await createPage("reordered", ["first", "second"]);
  await createHook("reorder", { kinds: ["page"] });
  await call("POST", "/ott/pages/v1/reordered:reorderComponents", {
    page_component_ids: ["second", "first"],
  });
  await expect.poll(() => listBodies("reorder").length).toBe(1);
  const [{ type, data }] = listBodies("reorder");
  expect([type, data.surrogate_keys]).toEqual([
    "page.updated",
    ["worldcup/pages/reordered", "worldcup/pages"],
  ]);
});

test("an update that changes nothing announces nothing", async () => {
  await createPage("unchanged", ["same"]);
  await createHook("unchanged", { kinds: ["page", "page_component"] });
  const rename = (name: string) => ({ page_component_update: { name }, update_mask: "name" });
  await call("PATCH", "/ott/page_components/v2/same", rename("same"));
  await call("PATCH", "/ott/pages/v1/unchanged", { page: {}, update_mask: "title" });
  await call("PATCH", "/ott/page_components/v2/same", rename("other"));
  const filter = encodeURIComponent('webhook_id: "unchanged"');
  const path = `/annotations/action_runs/v1?project_id=worldcup&filter=${filter}`;
  const { action_runs } = await call("GET", path);
  expect(action_runs.map(({ type }: { type: string }) => type)).toEqual(["page_component.updated"]);
});

test("runs are sent at once, without waiting for the next poll", async () => {
  await createHook("at-once", { kinds: ["entity"] });
  const action = { ...inProject, name: "at once", webhook: { url: `${receiver.url}/goal` } };
  await call("POST", "/annotations/actions/v1?action_id=at-once", action);
  await call("POST", "/annotations/types/v1?annotation_type_id=at-once", {
    ...inProject,
    name: "at once",
  });
  await call("PATCH", "/annotations/types/v1/at-once/action_configuration", {
    configuration: { "at-once": {} },
  });
  const writes = {
    goal: (index: number) =>
      call("POST", "/annotations/annotations/v1", {
        ...{ ...inProject, type_id: "at-once", offset: `${index}s` },
      }),
    "at-once": (index: number) => call("POST", `/cms/entities/v1?entity_id=e${index}`, inProject),
  };
  for (const [path, write] of Object.entries(writes)) {
    const delays: number[] = [];
    for (let index = 1; index <= 5; index += 1) {
      await write(index);
      const start = performance.now();
      await expect.poll(() => listBodies(path).length, { interval: 5 }).toBe(index);
      delays.push(performance.now() - start);
      // The worker has recorded the outcome, and waits.
      await setTimeout(200);
    }
    // Of a worker that only polls, each run but the first waits 800 ms.
    expect(Math.min(...delays.slice(1))).toBeLessThan(500);
  }
});
