import { create as createMessage } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { BindingSchema } from "../../../gen/svc/studio/iam/binding/v1/binding_pb.ts";
import { RoleSchema } from "../../../gen/svc/studio/iam/role/v1/role_pb.ts";
import { MAX_BINDINGS, MAX_ROLES } from "../../../src/domain/access/binding.ts";
import { BUILT_IN_ROLES } from "../../../src/domain/built-in-roles.ts";
import { rejection } from "../../harness/http.ts";
import { playCases, toWriteCases } from "../play-cases.ts";
import { metadata, ok, useIam } from "./iam.ts";

const { marquee, call, make } = await useIam();

const PATH = "/iam/roles/v1";
const ORGANIZATION = "org-worldcup";

const create = (permissions: readonly string[], { id = "", token = marquee.tokens.owner } = {}) =>
  call(`POST ${PATH}`, {
    body: { organization_id: ORGANIZATION, name: "R", permissions },
    query: { ...(id !== "" && { role_id: id }) },
    token,
  });

const update = (id: string, permissions: readonly string[], token = marquee.tokens.owner) =>
  call(`PATCH ${PATH}/${id}`, {
    body: { role: { permissions }, update_mask: "permissions" },
    token,
  });

describe("a role", () => {
  test("opens what it says, at once after each change, until it is deleted", async () => {
    const { id: account, token } = await make.caller(["cms.events.list"]);
    const list = async (what: string) =>
      (await call(`GET /${what}`, { token, query: { project_id: "worldcup" } })).status;
    expect([await list("cms/events/v1"), await list("streaming/videos/v1")]).toEqual([200, 403]);
    const { bindings } = ok(
      await call("GET /iam/bindings/v1", {
        query: { organization_id: ORGANIZATION, filter: `account_id: ${account}` },
      }),
    );
    const role = bindings[0].role_id;
    ok(await update(role, ["streaming.videos.list"]));
    expect([await list("cms/events/v1"), await list("streaming/videos/v1")]).toEqual([403, 200]);
    ok(await call(`DELETE ${PATH}/${role}`, { query: { force: true } }));
    expect(await list("streaming/videos/v1")).toBe(404);
    expect(rejection(await call(`GET /iam/bindings/v1/${bindings[0].id}`))[0]).toBe(404);
  });
});

test(`a binding past the ${MAX_BINDINGS}th of its account is rejected`, async () => {
  const account = await make.account();
  const first = await make.binding(account, "viewer");
  const resourceKey = `${ORGANIZATION}/organization`;
  const given = { organizationId: ORGANIZATION, accountId: account, roleId: "viewer", resourceKey };
  const { binding } = marquee.store.in(ORGANIZATION).documents;
  for (let count = 1; count < MAX_BINDINGS; count += 1)
    await binding.create(createMessage(BindingSchema, { ...given, id: `given-${count}` }));
  const body = {
    ...{ organization_id: ORGANIZATION, account_id: account, role_id: "viewer" },
    resource_key: resourceKey,
  };
  const got = await call("POST /iam/bindings/v1", { body });
  expect(rejection(got)).toEqual([429, "BINDING_LIMIT"]);
  ok(await call(`DELETE /iam/bindings/v1/${first}`));
  ok(await call("POST /iam/bindings/v1", { body }));
});

test(`a binding of another role than the ${MAX_ROLES} of its account is rejected`, async () => {
  const account = await make.account();
  const permissions = ["cms.events.get"];
  const bind = async (roleId: string) => {
    const resourceKey = `${ORGANIZATION}/organization`;
    const body = { organization_id: ORGANIZATION, account_id: account, role_id: roleId };
    return call("POST /iam/bindings/v1", { body: { ...body, resource_key: resourceKey } });
  };
  const { role } = marquee.store.in(ORGANIZATION).documents;
  for (let count = 0; count <= MAX_ROLES; count += 1) {
    const value = { organizationId: ORGANIZATION, id: `many-${count}`, name: "R", permissions };
    await role.create(createMessage(RoleSchema, value));
  }
  for (let count = 0; count < MAX_ROLES; count += 1) ok(await bind(`many-${count}`));
  expect(rejection(await bind(`many-${MAX_ROLES}`))).toEqual([429, "BINDING_LIMIT"]);
  expect(rejection(await bind("viewer"))).toEqual([429, "BINDING_LIMIT"]);
  ok(await bind("many-0"));
  ok(await call(`DELETE ${PATH}/many-1`, { query: { force: true } }));
  ok(await bind(`many-${MAX_ROLES}`));
});

const KEPT = await make.role(["cms.events.get"]);
playCases(
  marquee,
  "a role",
  toWriteCases(
    {
      ...{ service: "iam.role.v1.RoleService", noun: "role", id: KEPT },
      resource: { organizationId: ORGANIZATION, name: "R", permissions: ["cms.events.get"] },
    },
    [
      [{ permissions: [] }, "FIELD_REQUIRED"],
      [{ permissions: ["cms.events.get", "cms.events.fly"] }, "PERMISSION_UNKNOWN permissions[1]"],
      [{ permissions: ["cms.events.*"] }, "PERMISSION_UNKNOWN permissions[0]"],
      [{ permissions: ["cms.events.get", "cms.events.get"] }, "PERMISSION_REPEATED permissions[1]"],
    ],
  ),
  async () => ok(await call(`GET ${PATH}/${KEPT}`)),
);

test("nobody puts into a role, or takes out of it, what they do not hold", async () => {
  const { token } = await make.caller(["iam.roles.update", "iam.roles.get", "cms.events.get"]);
  const before = ["cms.events.get", "cms.events.delete"];
  const id = await make.role(before);
  for (const after of [["cms.events.get"], [...before, "cms.events.list"]]) {
    expect(rejection(await update(id, after, token))).toEqual([403, "PERMISSION_NOT_HELD"]);
    expect(ok(await call(`GET ${PATH}/${id}`)).role.permissions).toEqual(before);
  }
  ok(await update(id, ["cms.events.delete"], token));
  ok(await update(id, before, token));
});

describe("built-in roles", () => {
  for (const { id, permissions } of BUILT_IN_ROLES) {
    test(`${id} is listed, cannot be made, and exists in no other method`, async () => {
      const list = ok(
        await call(`GET ${PATH}`, { query: { organization_id: ORGANIZATION, page_size: 1 } }),
      );
      const found = list.built_in_roles.find((it: { id: string }) => it.id === id);
      expect(found).toMatchObject({ permissions, organization_id: "" });
      const taken = await create(["cms.events.get"], { id });
      expect(rejection(taken)).toEqual([409, "ALREADY_EXISTS"]);
      expect(metadata(taken).resource).toBe(`role/${id}`);
      for (const got of [
        await call(`GET ${PATH}/${id}`),
        await update(id, ["cms.events.get"]),
        await call(`DELETE ${PATH}/${id}`, { query: { force: true } }),
      ]) {
        expect(rejection(got)).toEqual([404, "RESOURCE_NOT_FOUND"]);
      }
    });
  }
});

test("a stored role with the id of a built-in one grants its own permissions, and delegates them only", async () => {
  const { documents } = marquee.store.in(ORGANIZATION);
  const permissions = ["cms.events.get", "cms.events.delete"];
  await documents.role.create(
    createMessage(RoleSchema, { id: "author", organizationId: ORGANIZATION, permissions }),
  );
  const { id, token } = await make.caller(["cms.releases.create", "iam.bindings.create"]);
  await make.binding(id, "viewer");
  const denied = await bind({ role_id: "author" }, token);
  expect(rejection(denied)).toEqual([403, "PERMISSION_NOT_HELD"]);
  expect(metadata(denied).permissions).toBe("cms.events.delete");
  const account = await make.account();
  await make.binding(account, "author");
  const held = await marquee.store.access.listBindings({
    id: account,
    organizationId: ORGANIZATION,
  });
  expect(held.map((it) => [...it.permissions])).toEqual([permissions]);
  ok(await call(`DELETE ${PATH}/author`, { query: { force: true } }));
});

const BINDINGS = "/iam/bindings/v1";
const ON_ORGANIZATION = `${ORGANIZATION}/organization`;
const ON_PROJECT = "worldcup/worldcup/project";

const bind = (sent: Readonly<Record<string, string>>, token?: string) =>
  call(`POST ${BINDINGS}`, {
    body: {
      ...{ organization_id: ORGANIZATION, account_id: "account-viewer", role_id: "viewer" },
      ...{ resource_key: ON_PROJECT, ...sent },
    },
    ...(token && { token }),
  });

describe("a binding", () => {
  for (const [key, sees, other] of [
    [ON_ORGANIZATION, "streaming/videos/v1/video-match-2026-104", undefined],
    [ON_PROJECT, "cms/events/v1/match-2026-104", "cms/events/v1/sandbox-match-1"],
    [
      "match-2026-104/worldcup/event",
      "cms/events/v1/match-2026-104",
      "cms/events/v1/match-2026-103",
    ],
  ] as const) {
    test(`on ${key} opens what is there, at once, and only that`, async () => {
      const account_id = await make.account();
      const token = await make.token(account_id);
      const statusOf = async (path: string) => (await call(`GET /${path}`, { token })).status;
      expect(await statusOf(sees)).toBe(404);
      const { binding } = ok(await bind({ account_id, resource_key: key }));
      expect(await statusOf(sees)).toBe(200);
      if (other !== undefined) expect(await statusOf(other)).toBe(404);
      ok(await call(`DELETE ${BINDINGS}/${binding.id}`));
      expect(await statusOf(sees)).toBe(404);
    });
  }
});

ok(
  await call("POST /iam/roles/v1", {
    body: { organization_id: "org-elsewhere", name: "R", permissions: ["cms.events.get"] },
    query: { role_id: "role-elsewhere" },
    token: marquee.tokens.outsider,
  }),
);
playCases(
  marquee,
  "a binding",
  toWriteCases(
    {
      ...{ service: "iam.binding.v1.BindingService", noun: "binding" },
      resource: {
        ...{ organizationId: ORGANIZATION, accountId: "account-viewer", roleId: "viewer" },
        resourceKey: ON_PROJECT,
      },
    },
    [
      ...["nobody", "account-outsider"].map(
        (accountId) => [{ accountId }, "RESOURCE_NOT_FOUND account_id"] as const,
      ),
      ...["nothing", "role-elsewhere"].map(
        (roleId) => [{ roleId }, "RESOURCE_NOT_FOUND role_id"] as const,
      ),
      ...Object.entries({
        "elsewhere/elsewhere/project": "RESOURCE_NOT_FOUND",
        "org-elsewhere/organization": "RESOURCE_NOT_FOUND",
        "none/worldcup/event": "RESOURCE_NOT_FOUND",
        "match-2026-104/sandbox/event": "RESOURCE_NOT_FOUND",
        "account-viewer/worldcup/account": "RESOURCE_NOT_FOUND",
        "x/worldcup/spaceship": "RESOURCE_NOT_FOUND",
        worldcup: "RESOURCE_KEY_MALFORMED",
        "worldcup/sandbox/project": "RESOURCE_KEY_MALFORMED",
        "x/worldcup/entitlement": "RESOURCE_TYPE_INVALID",
        "x/worldcup/action_run": "RESOURCE_TYPE_INVALID",
      }).map(([resourceKey, reason]) => [{ resourceKey }, `${reason} resource_key`] as const),
    ],
  ),
);

describe("nobody gives what they do not hold", () => {
  const GIVES = ["iam.bindings.create"];

  test("what is held on one project is given there only", async () => {
    const { id, token } = await make.caller(GIVES);
    await make.binding(id, "viewer", ON_PROJECT);
    const account_id = await make.account();
    ok(await bind({ account_id }, token));
    ok(await bind({ account_id, resource_key: "match-2026-104/worldcup/event" }, token));
    for (const resource_key of ["sandbox/sandbox/project", ON_ORGANIZATION]) {
      const got = await bind({ account_id, resource_key }, token);
      expect(rejection(got)).toEqual([403, "PERMISSION_NOT_HELD"]);
      expect(metadata(got).resource).toBe(resource_key);
    }
    const editor = await bind({ account_id, role_id: "editor" }, token);
    expect(rejection(editor)).toEqual([403, "PERMISSION_NOT_HELD"]);
  });
});

describe("bindings go away with what they are on", () => {
  test("a project takes those on it and in it along, and its id made again opens nothing", async () => {
    await make.project("fleeting");
    const body = { project_id: "fleeting", title: { en: "E" } };
    ok(await call("POST /cms/events/v1", { body, query: { event_id: "fleeting-1" } }));
    const account = await make.account();
    const token = await make.token(account);
    const on = await make.binding(account, "viewer", "fleeting/fleeting/project");
    const inside = await make.binding(account, "viewer", "fleeting-1/fleeting/event");
    ok(await call("DELETE /iam/projects/v1/fleeting", { query: { force: true } }));
    for (const id of [on, inside]) {
      expect(rejection(await call(`GET ${BINDINGS}/${id}`))).toEqual([404, "RESOURCE_NOT_FOUND"]);
    }
    await make.project("fleeting");
    expect((await call("GET /iam/projects/v1/fleeting", { token })).status).toBe(404);
  });

  test("a single video, made again under its id, is not open to whom the first was", async () => {
    const body = { project_id: "worldcup", name: "Bound" };
    const create = () => call("POST /streaming/videos/v1", { body, query: { video_id: "bound" } });
    const path = "/streaming/videos/v1/bound";
    ok(await create());
    const account = await make.account();
    const token = await make.token(account);
    const binding = await make.binding(account, "viewer", "bound/worldcup/video");
    expect((await call(`GET ${path}`, { token })).status).toBe(200);
    ok(await call(`DELETE ${path}`));
    expect((await call(`GET ${BINDINGS}/${binding}`)).status).toBe(404);
    ok(await create());
    expect((await call(`GET ${path}`, { token })).status).toBe(404);
  });
});
