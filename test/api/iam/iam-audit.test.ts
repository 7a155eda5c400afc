import { getOption } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { describe, expect, test } from "vitest";
import { access } from "../../../gen/svc/options/v1/access_pb.ts";
import type { Entry } from "../../../gen/svc/studio/iam/audit/v1/entry_pb.ts";
import { ProjectService } from "../../../gen/svc/studio/iam/project/v1/project_service_pb.ts";
import { rejection } from "../../harness/http.ts";
import { createEndlessBudget } from "../../storage/slow-budget.ts";
import { methodSamples, sampleOf } from "../method-samples.ts";
import { callConnect, findMethods, procedureOf } from "../methods.ts";
import { ok, useIam } from "./iam.ts";

const PATH = "GET /iam/audit/v1/entries";
const ORGANIZATION = "org-worldcup";

const NOW = new Date("2026-06-11T18:00:00.123Z");
const { marquee, call, make } = await useIam({ clock: () => NOW });

const list = async (filter = "", query: Record<string, string | number> = {}) =>
  ok(await call(PATH, { query: { organization_id: ORGANIZATION, filter, ...query } })).entries;

const readAll = async (organizationId: string) => {
  const query = { organizationId, limit: 10_000, now: NOW, budget: createEndlessBudget() };
  return (await marquee.store.audit.list(query)).values;
};
const countAll = async () => (await readAll(ORGANIZATION)).length;

/** Runs a step and returns the entries that it leaves, in all organizations of the samples. */
async function entriesOf(step: () => Promise<unknown>): Promise<Entry[]> {
  const read = async () => {
    const found: Entry[] = [];
    for (const organizationId of await organizationIds()) {
      found.push(...(await readAll(organizationId)));
    }
    return found;
  };
  const before = new Set((await read()).map(({ id }) => id));
  await step();
  return (await read()).filter(({ id }) => !before.has(id));
}

const organizationIds = async () => {
  const bindings = await marquee.store.access.listBindings({
    id: "account-owner",
    organizationId: "org-worldcup",
  });
  return new Set([...bindings.map((it) => it.organizationId), "deletable-organization"]);
};

/** What accounts write: what others do, such as a billing provider, is not a write of the Studio API. */
const WRITES = (await findMethods()).filter(
  (method) =>
    methodSamples[procedureOf(method)]?.isWrite &&
    // A dry run.
    method.name !== "CheckRelease" &&
    getOption(method, access).rule.case === "permission",
);

describe("each method that writes leaves one entry, and none when it is rejected", () => {
  for (const method of WRITES) {
    test(procedureOf(method), async () => {
      const headers = { "x-request-id": "audited-1" };
      const post = async (token: string, extra: object = {}) => {
        const message = { ...(await sampleOf(marquee, method)), ...extra };
        return callConnect(marquee.url, method, message, token, headers);
      };
      const { owner, outsider } = marquee.tokens;
      expect(await entriesOf(() => post(outsider))).toEqual([]);
      if (method.input.fields.some(({ name }) => name === "validate_only")) {
        expect(await entriesOf(async () => ok(await post(owner, { validateOnly: true })))).toEqual(
          [],
        );
      }
      const entries = await entriesOf(async () => ok(await post(owner)));
      expect(entries).toHaveLength(1);
      expect(entries[0]).toMatchObject({
        accountId: "account-owner",
        method: procedureOf(method),
        requestId: "audited-1",
        updatedFields: toPaths((await sampleOf(marquee, method)).updateMask),
      });
      expect(entries[0]?.resourceType).not.toBe("");
      expect(entries[0]?.resourceId).not.toBe("");
    });
  }

  test("there are such methods", () => {
    expect(WRITES.length).toBeGreaterThanOrEqual(20);
  });
});

function toPaths(mask: unknown): string[] {
  const paths = typeof mask === "string" ? mask.split(",") : [];
  return paths.map((path) => path.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}

describe("an entry shows", () => {
  test("who wrote what, when, with which mask and request id, and in which project", async () => {
    await make.project("audited");
    const body = { project: { name: "Renamed" }, update_mask: "name" };
    const headers = { "x-request-id": "rename-1" };
    const before = await countAll();
    ok(await call("PATCH /iam/projects/v1/audited", { body, headers }));
    expect(await countAll()).toBe(before + 1);
    const [entry] = await list("request_id: rename-1");
    expect(entry).toEqual({
      id: expect.stringMatching(/./),
      time: "2026-06-11T18:00:00.123Z",
      organization_id: ORGANIZATION,
      project_id: "audited",
      account_id: "account-owner",
      method: "svc.studio.iam.project.v1.ProjectService/UpdateProject",
      resource_type: "project",
      resource_id: "audited",
      updated_fields: ["name"],
      request_id: "rename-1",
      release_id: "",
    });
  });

  test("each path of a binary mask once: 1,000 would take 20 KB", async () => {
    await make.project("masked");
    const authorization = `Bearer ${marquee.tokens.owner}`;
    const transport = createConnectTransport({ baseUrl: marquee.url, httpVersion: "1.1" });
    const projects = createClient(ProjectService, transport);
    const update = {
      ...{ projectId: "masked", project: { name: "Again" } },
      updateMask: { paths: Array<string>(1_000).fill("name") },
    };
    const headers = { authorization, "x-request-id": "masked-1" };
    await projects.updateProject(update, { headers });
    expect((await list("request_id: masked-1"))[0].updated_fields).toEqual(["name"]);
  });

  test("of something new its id, and of an organization itself as its place", async () => {
    const headers = { "x-request-id": "found-1" };
    const query = { organization_id: "org-audited" };
    ok(await call("POST /iam/organizations/v1", { body: { name: "A" }, headers, query }));
    const { entries } = ok(await call(PATH, { query }));
    expect(entries).toEqual([
      expect.objectContaining({
        organization_id: "org-audited",
        resource_type: "organization",
        resource_id: "org-audited",
        project_id: "",
      }),
    ]);
    const role = await make.role(["cms.events.get"]);
    const [made] = await list(`resource_id: ${role}`);
    expect(made).toMatchObject({ resource_type: "role", organization_id: ORGANIZATION });
  });
});

test("a repeated call leaves no second entry, and one that fails none", async () => {
  const body = { organization_id: ORGANIZATION, name: "Repeated" };
  const query = { request_id: "repeated-1", account_id: "account-repeated" };
  const before = await countAll();
  for (let time = 0; time < 3; time += 1) ok(await call("POST /iam/accounts/v1", { body, query }));
  expect(await countAll()).toBe(before + 1);
  const taken = { account_id: "account-repeated" };
  expect((await call("POST /iam/accounts/v1", { body, query: taken })).status).toBe(409);
  expect((await call("DELETE /iam/projects/v1/worldcup")).status).toBe(400);
  ok(await call("GET /iam/projects/v1/worldcup"));
  expect(await countAll()).toBe(before + 1);
});

test("entries outlive their project and their account", async () => {
  await make.project("short-lived");
  const account = await make.account();
  await make.binding(account, "owner", "short-lived/short-lived/project");
  const token = await make.token(account);
  const body = { project_id: "short-lived", title: { en: "E" } };
  ok(await call("POST /cms/events/v1", { body, query: { event_id: "short-lived-1" }, token }));
  ok(await call("DELETE /iam/projects/v1/short-lived", { query: { force: true } }));
  ok(await call(`DELETE /iam/accounts/v1/${account}`, { query: { force: true } }));
  const entries = await list("project_id: short-lived");
  const methods = entries.map((it: { method: string }) => it.method.split("/")[1]);
  expect(methods.sort()).toEqual(["CreateEvent", "CreateProject", "DeleteProject"]);
  expect(await list(`account_id: ${account}`)).toHaveLength(1);
});

test("a filter that cannot be read is rejected", async () => {
  const query = { organization_id: ORGANIZATION, filter: "a: (" };
  expect(rejection(await call(PATH, { query }))).toEqual([400, "KQL_SYNTAX"]);
});
