import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { connectHeaders, getUrl } from "../harness/calls.ts";
import { rejection, send } from "../harness/http.ts";
import { ok, useIam } from "./iam/iam.ts";
import { sampleOf } from "./method-samples.ts";
import { findMethods, procedureOf } from "./methods.ts";

const { marquee, call, make } = await useIam();
const { tokens, keys, url } = marquee;
const PERMISSION = "iam.projects.preview";
const LIST = "/svc.cda.cms.event.v1.EventService/ListEvents";

const METHODS = (await findMethods()).filter(({ parent }) =>
  parent.typeName.startsWith("svc.cda."),
);
const isRead = ({ idempotency }: (typeof METHODS)[number]) =>
  idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;

/** Reads with a credential, for a project if one is named. */
const read = (token: string, project?: string, headers: Readonly<Record<string, string>> = {}) =>
  send("GET", `${url}${getUrl(LIST, { pageSize: 3, filter: "not visibility: 2" })}`, {
    token,
    headers: { ...headers, ...(project !== undefined && { "x-project-id": project }) },
  });

describe("an access token with X-Project-Id reads what a preview key reads", () => {
  for (const method of METHODS.filter(isRead)) {
    const procedure = procedureOf(method);
    test(procedure, async () => {
      // A stall cuts the lists of geoblocked items short.
      const message = { ...(await sampleOf(marquee, method)), includeItems: false };
      const ask = (headers: Readonly<Record<string, string>>) =>
        send("POST", `${url}/${procedure}`, { headers, body: message });
      const want = await ask(connectHeaders(keys.preview));
      const got = await ask({ ...connectHeaders(tokens.viewer), "x-project-id": "worldcup" });
      expect([got.status, got.text]).toEqual([want.status, want.text]);
      expect(got.headers.get("cache-control")).toBe(want.headers.get("cache-control"));
    });
  }
});

test("no other method of the Delivery API takes an access token", async () => {
  const others = METHODS.filter((method) => !isRead(method));
  expect(others.length).toBeGreaterThan(3);
  for (const method of others) {
    const headers = { ...connectHeaders(tokens.owner), "x-project-id": "worldcup" };
    const got = await send("POST", `${url}/${procedureOf(method)}`, { headers, body: {} });
    expect([...rejection(got), method.name]).toEqual([401, "CREDENTIALS_WRONG_KIND", method.name]);
  }
});

test("the permission is needed on the project", async () => {
  const project = await make.project("previewed");
  const [all, one, without, other] = [
    await make.caller([PERMISSION]),
    await make.caller([PERMISSION], `${project}/${project}/project`),
    await make.caller(["cms.events.list", "iam.projects.get"]),
    tokens.outsider,
  ];
  expect((await read(all.token, "worldcup")).status).toBe(200);
  expect((await read(one.token, project)).json).toEqual({});
  const notFound = async (token: string, id: string) => {
    const got = await read(token, id);
    expect([...rejection(got), got.json.message]).toEqual([
      ...[404, "RESOURCE_NOT_FOUND", `project ${id} does not exist`],
    ]);
  };
  await notFound(all.token, "nowhere");
  for (const token of [one.token, without.token, other]) await notFound(token, "worldcup");
});

test("releases, another audience and another time apply as with a preview key", async () => {
  for (const headers of [{ "x-preview-audience": "public" }, { "x-release-id": "none" }]) {
    const want = await read(keys.preview, undefined, headers);
    expect((await read(tokens.viewer, "worldcup", headers)).text).toBe(want.text);
  }
});

test("without the header, or when it is revoked, an access token is rejected", async () => {
  expect(rejection(await read(tokens.owner))).toEqual([401, "CREDENTIALS_WRONG_KIND"]);
  const { id: account_id, token } = await make.caller([PERMISSION]);
  expect((await read(token, "worldcup")).status).toBe(200);
  const listed = ok(await call("GET /iam/access_tokens/v1", { query: { account_id } }));
  ok(await call(`POST /iam/access_tokens/v1/${listed.access_tokens[0].id}:revoke`, { body: {} }));
  expect(rejection(await read(token, "worldcup"))).toEqual([401, "CREDENTIALS_INVALID"]);
});

test("a key of a project ignores the header", async () => {
  const want = await read(keys.public);
  expect((await read(keys.public, "nowhere")).text).toBe(want.text);
});
