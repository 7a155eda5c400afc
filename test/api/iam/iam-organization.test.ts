import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { issueAccessToken } from "../../../src/auth/issue.ts";
import { rejection } from "../../harness/http.ts";
import { type IamCall, metadata, ok, useIam } from "./iam.ts";

const { marquee, call, make } = await useIam();

const PATH = "/iam/organizations/v1";

const create = (organization_id: string, name = organization_id) =>
  call(`POST ${PATH}`, { body: { name }, query: { organization_id } });

describe("creating an organization", () => {
  test("makes the calling account its owner", async () => {
    const got = await create("org-new", "New");
    expect(ok(got).organization).toMatchObject({ id: "org-new", name: "New" });
    const { bindings } = ok(
      await call("GET /iam/bindings/v1", { query: { organization_id: "org-new" } }),
    );
    expect(bindings).toEqual([
      expect.objectContaining({
        organization_id: "org-new",
        account_id: "account-owner",
        role_id: "owner",
        resource_key: "org-new/organization",
      }),
    ]);
    const read = await call(`GET ${PATH}/org-new`);
    expect(read.json).toEqual(got.json);
    expect(read.headers.get("etag")).toBe(got.headers.get("etag"));
  });

  test("gives no role operator in it: that stays where it was given", async () => {
    await create("org-plain");
    const account = await make.account("org-plain");
    const got = await call("POST /iam/bindings/v1", {
      body: {
        ...{ organization_id: "org-plain", account_id: account, role_id: "operator" },
        resource_key: "org-plain/organization",
      },
    });
    expect(rejection(got)).toEqual([403, "PERMISSION_NOT_HELD"]);
  });
});

describe("listing organizations", () => {
  test("shows those in which the account has a role, and no others", async () => {
    const seen = async (token: string) =>
      ok(await call(`GET ${PATH}`, { token })).organizations.map((it: { id: string }) => it.id);
    expect(await seen(marquee.tokens.outsider)).toEqual(["org-elsewhere"]);
    expect(await seen(marquee.tokens.viewer)).toEqual(["org-worldcup"]);
    expect(await seen(marquee.tokens.owner)).not.toContain("org-elsewhere");
    const nobody = await make.token(await make.account());
    expect(await seen(nobody)).toEqual([]);
  });

  test("shows quotas and usage to those who may get them, and filters by what it shows", async () => {
    const id = await make.organization("org-large");
    const headers = { "x-organization-id": id };
    const body = { organization: { quotas: { projects: 9 } }, update_mask: "quotas" };
    ok(await call(`PATCH ${PATH}/${id}`, { body }));
    await make.project("large", id);
    const createViewer = async (resource: string) => {
      const account_id = await make.account(id);
      await make.binding(account_id, "viewer", resource, id);
      const got = await call("POST /iam/access_tokens/v1", { headers, body: { account_id } });
      return String(ok(got).token);
    };
    const reader = await createViewer(`${id}/organization`);
    const limited = await createViewer("large/large/project");
    const list = async (token: string, filter = "") =>
      ok(await call(`GET ${PATH}`, { token, query: { filter } })).organizations;
    const whole = { id, quotas: { projects: 9 }, usage: { projects: 1, accounts: 2 } };
    expect(await list(reader, "quotas.projects: 9 and usage.accounts > 1")).toMatchObject([whole]);
    const seen = { id, name: id, create_time: expect.any(String), update_time: expect.any(String) };
    expect(await list(limited)).toEqual([seen]);
    for (const filter of ["quotas.projects: 9", "usage.accounts > 1"]) {
      expect(await list(limited, filter)).toEqual([]);
    }
    const [visible] = ok(await call("GET /iam/auth/v1/me", { token: limited })).organizations;
    expect(visible.organization).toEqual(seen);
  });

  test("goes by pages that are the account's own, and no role given in between breaks them off", async () => {
    for (const id of ["org-page-1", "org-page-2", "org-page-3"]) await create(id, "Paged");
    const query = { filter: "name: Paged", order: "id desc", page_size: 2 };
    const { next_page_token: page_token } = ok(await call(`GET ${PATH}`, { query }));
    await create("org-page-0", "Other");
    const second = ok(await call(`GET ${PATH}`, { query: { ...query, page_token } }));
    expect(second.organizations.map((it: { id: string }) => it.id)).toEqual(["org-page-1"]);
    const { viewer: token } = marquee.tokens;
    const foreign = await call(`GET ${PATH}`, { query: { ...query, page_token }, token });
    expect(rejection(foreign)).toEqual([400, "PAGE_TOKEN_INVALID"]);
  });
});

describe("deleting an organization", () => {
  test("is rejected while it has an account or a project, and lists them", async () => {
    await create("org-full");
    const account = await make.account("org-full");
    await call("POST /iam/projects/v1", {
      body: { organization_id: "org-full", name: "P" },
      query: { project_id: "full-1" },
    });
    const got = await call(`DELETE ${PATH}/org-full`);
    expect(rejection(got)).toEqual([400, "STILL_REFERRED_TO"]);
    expect(got.json.message).toMatch(/; delete them first$/);
    expect(metadata(got).referrers?.split(",").sort()).toEqual(
      [`account/${account}`, "project/full-1"].sort(),
    );
    ok(await call("DELETE /iam/projects/v1/full-1"));
    expect(rejection(await call(`DELETE ${PATH}/org-full`))).toEqual([400, "STILL_REFERRED_TO"]);
    const path = `DELETE /iam/accounts/v1/${account}`;
    expect(rejection(await call(path))).toEqual([404, "RESOURCE_NOT_FOUND"]);
    ok(await call(path, { headers: { "x-organization-id": "org-full" } }));
    expect(ok(await call(`DELETE ${PATH}/org-full`))).toEqual({});
    expect(rejection(await call(`GET ${PATH}/org-full`))).toEqual([404, "RESOURCE_NOT_FOUND"]);
  });

  test("takes its roles and bindings along, and its revisions do not come back", async () => {
    const first = await create("org-again");
    const role = await call("POST /iam/roles/v1", {
      body: { organization_id: "org-again", name: "R", permissions: ["cms.events.get"] },
      query: { role_id: "role-again" },
    });
    ok(role);
    ok(await call(`DELETE ${PATH}/org-again`));
    expect(rejection(await call("GET /iam/roles/v1/role-again"))[0]).toBe(404);
    const second = await create("org-again");
    ok(second);
    expect(second.headers.get("etag")).not.toBe(first.headers.get("etag"));
    const query = { organization_id: "org-again" };
    expect(ok(await call("GET /iam/bindings/v1", { query })).bindings).toHaveLength(1);
  });
});

test("the tokens of an account that is deleted by force end at once", async () => {
  const { id, token } = await make.caller(["iam.organizations.get"]);
  const read = () => call("GET /iam/organizations/v1/org-worldcup", { token });
  expect((await read()).status).toBe(200);
  ok(await call(`DELETE /iam/accounts/v1/${id}`, { query: { force: true } }));
  expect((await read()).status).toBe(401);
});

const BINDINGS = "/iam/bindings/v1";

/** Makes a token past the Studio API: the owner of the demo does not own all of these. */
async function tokenOf(accountId: string, organizationId: string): Promise<string> {
  const token = { id: randomUUID(), accountId, name: "" };
  const { documents } = marquee.store.in(organizationId);
  return (await issueAccessToken(documents, token, new Date())).secret;
}

describe("the last owner of an organization stays", () => {
  /** Makes an organization, of which the caller is the owner; the other calls are in it. */
  const found = async (organization_id: string, token = marquee.tokens.owner) => {
    const [query, headers] = [{ organization_id }, { "x-organization-id": organization_id }];
    const body = { name: organization_id };
    ok(await call("POST /iam/organizations/v1", { body, query, token }));
    const [first] = ok(await call(`GET ${BINDINGS}`, { query, token })).bindings;
    const own = (account_id: string, resource_key = `${organization_id}/organization`) => {
      const sent = { ...query, account_id, role_id: "owner", resource_key };
      return call(`POST ${BINDINGS}`, { body: sent, headers, token });
    };
    return { ...{ headers, first, own, account: await make.account(organization_id, token) } };
  };
  const remove = (path: string, more: IamCall = {}) => call(`DELETE /iam/${path}`, more);
  const force = { force: true };
  const LAST = [400, "LAST_OWNER"];

  test("when its binding is deleted", async () => {
    const { headers, first, own, account } = await found("org-one");
    // The role on a project does not count as owning the organization.
    const body = { organization_id: "org-one", name: "P" };
    ok(await call("POST /iam/projects/v1", { body, query: { project_id: "one" } }));
    ok(await own(account, "one/one/project"));
    const rejected = await remove(`bindings/v1/${first.id}`, { headers });
    expect(rejection(rejected)).toEqual(LAST);
    expect(metadata(rejected).resource).toBe("organization/org-one");
    ok(await own(account));
    ok(await remove(`bindings/v1/${first.id}`, { headers }));
    const token = await tokenOf(account, "org-one");
    for (const query of [{}, force]) {
      const got = await remove(`accounts/v1/${account}`, { query, token });
      expect(rejection(got)).toEqual(LAST);
    }
  });

  test("when its only owner, an account of another organization, is deleted", async () => {
    const founder = await make.account();
    await make.binding(founder, "operator");
    await found("org-founded", await tokenOf(founder, "org-worldcup"));
    for (const query of [{}, force]) {
      const got = await remove(`accounts/v1/${founder}`, { query });
      expect(rejection(got)).toEqual(LAST);
      expect(metadata(got).resource).toBe("organization/org-founded");
    }
  });

  test("of two owners that go at the same moment", async () => {
    const { headers, first, own, account } = await found("org-two");
    const { binding } = ok(await own(account));
    const token = await tokenOf(account, "org-two");
    const got = await Promise.all(
      [first, binding].map(({ id }) => remove(`bindings/v1/${id}`, { headers, token })),
    );
    expect(got.filter((it) => it.status === 200)).toHaveLength(1);
  });
});
