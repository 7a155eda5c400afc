import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Code, ConnectError, type HandlerContext } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { expect, test } from "vitest";
import { EntityService } from "../../gen/svc/cda/cms/entity/v1/entity_service_pb.ts";
import { verifyWebhook } from "../../src/outbox/signature.ts";
import { toDescriptorSet } from "../domain/actions/descriptor-set.ts";
import { send } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { startReceiver } from "./receiver.ts";

const marquee = await useMarquee({ runsActions: true, actionsAllowPrivate: true });

async function call(method: string, path: string, body?: unknown) {
  const got = await send(method, marquee.url + path, { token: marquee.tokens.owner, body });
  expect([got.status, got.text]).toEqual([200, expect.any(String)]);
  return got.json;
}

/** Makes a type whose action calls a method at an address, and an annotation of it; returns the run. */
async function runAction(id: string, baseUrl: string, request: object) {
  const { signing_secret } = await call("POST", `/annotations/actions/v1?action_id=${id}`, {
    project_id: "worldcup",
    name: id,
    connect_call: {
      base_url: baseUrl,
      method: `${EntityService.typeName}/GetEntity`,
      descriptor_set: Buffer.from(toDescriptorSet(EntityService.file)).toString("base64"),
      request,
    },
  });
  await call("POST", `/annotations/types/v1?annotation_type_id=${id}`, {
    project_id: "worldcup",
    name: id,
  });
  await call("PATCH", `/annotations/types/v1/${id}/action_configuration`, {
    configuration: { [id]: { prefix: "team" } },
  });
  const { action_runs } = await call("POST", "/annotations/annotations/v1", {
    project_id: "worldcup",
    type_id: id,
    timer_label: "45+2",
  });
  return { run: action_runs[0], secret: signing_secret };
}

const getRun = async (id: string) =>
  (await call("GET", `/annotations/action_runs/v1/${id}`)).action_run;

test("a Connect server is called as by any client, signed, and may reject", async () => {
  const received: { id: string; context: HandlerContext }[] = [];
  const server: Server = createServer(
    connectNodeAdapter({
      requestPathPrefix: "/api",
      routes: (router) =>
        router.service(EntityService, {
          getEntity({ id }, context) {
            received.push({ id, context });
            if (received.length === 1) throw new ConnectError("not yet", Code.Unavailable);
            return {};
          },
        }),
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`;
  const { run, secret } = await runAction("lookup", url, {
    id: "{settings.prefix}-{annotation.timer_label}",
  });
  await expect
    .poll(() => getRun(run.id))
    .toMatchObject({ state: "ACTION_RUN_STATE_PENDING", reason: "STATUS_503", attempt_count: 1 });
  const replayed = await call("POST", `/annotations/action_runs/v1/${run.id}:replay`, {});
  expect(replayed.action_run).toMatchObject({ reason: "", attempt_count: 0 });
  await expect
    .poll(() => getRun(run.id))
    .toMatchObject({ state: "ACTION_RUN_STATE_SUCCEEDED", reason: "", attempt_count: 1 });
  expect(received.map(({ id }) => id)).toEqual(["team-45+2", "team-45+2"]);
  for (const { context } of received) {
    expect(context.protocolName).toBe("connect");
    expect(context.requestHeader.get("connect-protocol-version")).toBe("1");
    const body = '{"id":"team-45+2"}';
    const headers = context.requestHeader;
    const verified = verifyWebhook({ secrets: [secret], headers, body, now: new Date() });
    expect(verified.id).toBe(run.id);
  }
  await new Promise((resolve) => server.close(resolve));
});

test("another success than 200 is no response of the protocol", async () => {
  const receiver = await startReceiver((_request, response) => {
    response.statusCode = 204;
    response.end();
  });
  const { run } = await runAction("empty", receiver.url, { id: "x" });
  await expect
    .poll(() => getRun(run.id))
    .toMatchObject({ state: "ACTION_RUN_STATE_PENDING", reason: "STATUS_204", attempt_count: 1 });
  expect(receiver.requests[0]).toMatchObject({
    path: `/${EntityService.typeName}/GetEntity`,
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"id":"x"}',
  });
  await receiver.close();
});

test("what the method does not take fails at once, and cannot be replayed", async () => {
  const { run } = await runAction("picky", "http://127.0.0.1:1", { id: "{settings.id}" });
  expect(run.state).toBe("ACTION_RUN_STATE_PENDING");
  await call("PATCH", "/annotations/types/v1/picky/action_configuration", {
    configuration: { picky: { id: { no: "text" } } },
  });
  const { action_runs } = await call("POST", "/annotations/annotations/v1", {
    project_id: "worldcup",
    type_id: "picky",
  });
  expect(action_runs).toMatchObject([
    { state: "ACTION_RUN_STATE_FAILED", reason: "REQUEST_NOT_ACCEPTED", attempt_count: 0 },
  ]);
  const url = `${marquee.url}/annotations/action_runs/v1/${action_runs[0].id}:replay`;
  const got = await send("POST", url, { token: marquee.tokens.owner, body: {} });
  expect([got.status, got.json.code]).toEqual([400, 9]);
});

test.each(["connect_call", "webhook"])(
  "a run of a %s is not sent once its action is another",
  async (of) => {
    const receiver = await startReceiver((_request, response) => {
      response.statusCode = 503;
      response.end();
    });
    const id = `former-${of}`;
    const path = `/annotations/actions/v1/${id}`;
    const change = (fields: object) =>
      call("PATCH", path, { action: fields, update_mask: Object.keys(fields).join() });
    let { run } = await runAction(id, receiver.url, { id: "x" });
    const { connect_call } = (await call("GET", path)).action;
    let other: object = { webhook: { url: receiver.url } };
    if (of === "webhook") {
      await change(other);
      const annotation = { project_id: "worldcup", type_id: id };
      run = (await call("POST", "/annotations/annotations/v1", annotation)).action_runs[0];
      other = { connect_call };
    }
    await expect.poll(() => getRun(run.id)).toMatchObject({ reason: "STATUS_503" });
    const { length } = receiver.requests;
    await change(other);
    await call("POST", `/annotations/action_runs/v1/${run.id}:replay`, {});
    await expect
      .poll(() => getRun(run.id))
      .toMatchObject({ state: "ACTION_RUN_STATE_FAILED", reason: "REQUEST_NOT_ACCEPTED" });
    expect(receiver.requests).toHaveLength(length);
    await receiver.close();
  },
);
