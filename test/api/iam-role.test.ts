import { describe, expect, test } from "vitest";
import { BUILT_IN_ROLES } from "../../src/domain/access/roles.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { playCases, toWriteCases } from "./cases.ts";
import { callIam, iamMaker, metadata, ok, refusal } from "./iam.ts";

const PATH = "/iam/roles/v1";
const ORGANIZATION = "org-worldcup";

const marquee = await useMarquee();
const call = callIam(marquee);
const make = iamMaker(call);

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
    const refused = await call(`DELETE ${PATH}/${role}`);
    expect(refusal(refused)).toEqual([400, "STILL_REFERRED_TO"]);
    expect(metadata(refused).referrers).toBe(`binding/${bindings[0].id}`);
    ok(await call(`DELETE ${PATH}/${role}`, { query: { force: true } }));
    expect(await list("streaming/videos/v1")).toBe(404);
    expect(refusal(await call(`GET /iam/bindings/v1/${bindings[0].id}`))[0]).toBe(404);
  });
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

describe("nobody puts into a role, or takes out of it, what they do not hold", () => {
  const MAKES = ["iam.roles.create", "iam.roles.update", "iam.roles.get"];

  test("on creation", async () => {
    const { token } = await make.caller([...MAKES, "cms.events.get"]);
    ok(await create(["cms.events.get"], { token }));
    const got = await create(["cms.events.get", "cms.events.delete"], { id: "role-not", token });
    expect(refusal(got)).toEqual([403, "PERMISSION_NOT_HELD"]);
    expect(metadata(got)).toMatchObject({
      resource: `${ORGANIZATION}/organization`,
      permissions: "cms.events.delete",
      count: "1",
    });
    expect(refusal(await call(`GET ${PATH}/role-not`))[0]).toBe(404);
  });

  test("on update, where what was there before may stay", async () => {
    const { token } = await make.caller([...MAKES, "cms.events.get"]);
    const before = ["cms.events.get", "cms.events.delete"];
    const id = await make.role(before);
    for (const after of [["cms.events.get"], [...before, "cms.events.list"]]) {
      expect(refusal(await update(id, after, token))).toEqual([403, "PERMISSION_NOT_HELD"]);
      expect(ok(await call(`GET ${PATH}/${id}`)).role.permissions).toEqual(before);
    }
    ok(await update(id, ["cms.events.delete"], token));
    ok(await update(id, before, token));
  });

  test("what is held on a project only does not count", async () => {
    const { id, token } = await make.caller(MAKES);
    await make.binding(id, "viewer", "worldcup/worldcup/project");
    expect(refusal(await create(["cms.events.get"], { token }))).toEqual([
      403,
      "PERMISSION_NOT_HELD",
    ]);
  });

  test("an owner who is no operator makes no operators", async () => {
    const id = await make.account();
    await make.binding(id, "owner");
    const token = await make.token(id);
    const got = await create(["iam.organizations.create"], { token });
    expect(metadata(got).permissions).toBe("iam.organizations.create");
  });
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
      expect(refusal(taken)).toEqual([409, "ALREADY_EXISTS"]);
      expect(metadata(taken).resource).toBe(`role/${id}`);
      for (const got of [
        await call(`GET ${PATH}/${id}`),
        await update(id, ["cms.events.get"]),
        await call(`DELETE ${PATH}/${id}`, { query: { force: true } }),
      ]) {
        expect(refusal(got)).toEqual([404, "RESOURCE_NOT_FOUND"]);
      }
    });
  }
});

test("roles of one organization are hidden from another", async () => {
  const id = await make.role(["cms.events.get"]);
  const token = marquee.tokens.outsider;
  expect(refusal(await call(`GET ${PATH}/${id}`, { token }))[0]).toBe(404);
  const list = await call(`GET ${PATH}`, { query: { organization_id: ORGANIZATION }, token });
  expect(refusal(list)).toEqual([404, "RESOURCE_NOT_FOUND"]);
});
