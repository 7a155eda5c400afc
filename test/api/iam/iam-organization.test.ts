import { describe, expect, test } from "vitest";
import { refusal } from "../../harness/http.ts";
import { metadata, ok, useIam } from "./iam.ts";

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
    expect(refusal(got)).toEqual([403, "PERMISSION_NOT_HELD"]);
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

  test("goes by pages, filter and order", async () => {
    for (const id of ["org-page-1", "org-page-2", "org-page-3"]) await create(id, "Paged");
    const query = { filter: "name: Paged", order: "id desc", page_size: 2 };
    const first = ok(await call(`GET ${PATH}`, { query }));
    expect(first.organizations.map((it: { id: string }) => it.id)).toEqual([
      "org-page-3",
      "org-page-2",
    ]);
    // A role that is given in between breaks off no list.
    await create("org-page-0", "Other");
    const second = ok(
      await call(`GET ${PATH}`, { query: { ...query, page_token: first.next_page_token } }),
    );
    expect(second.organizations.map((it: { id: string }) => it.id)).toEqual(["org-page-1"]);
    expect(second.next_page_token).toBe("");
    const foreign = await call(`GET ${PATH}`, {
      query: { ...query, page_token: first.next_page_token },
      token: marquee.tokens.viewer,
    });
    expect(refusal(foreign)).toEqual([400, "PAGE_TOKEN_INVALID"]);
  });
});

describe("deleting an organization", () => {
  test("is refused while it has an account or a project, and lists them", async () => {
    await create("org-full");
    const account = await make.account("org-full");
    await call("POST /iam/projects/v1", {
      body: { organization_id: "org-full", name: "P" },
      query: { project_id: "full-1" },
    });
    const got = await call(`DELETE ${PATH}/org-full`);
    expect(refusal(got)).toEqual([400, "STILL_REFERRED_TO"]);
    expect(metadata(got).referrers?.split(",").sort()).toEqual(
      [`account/${account}`, "project/full-1"].sort(),
    );
    ok(await call("DELETE /iam/projects/v1/full-1"));
    expect(refusal(await call(`DELETE ${PATH}/org-full`))).toEqual([400, "STILL_REFERRED_TO"]);
    const path = `DELETE /iam/accounts/v1/${account}`;
    expect(refusal(await call(path))).toEqual([404, "RESOURCE_NOT_FOUND"]);
    ok(await call(path, { headers: { "x-organization-id": "org-full" } }));
    expect(ok(await call(`DELETE ${PATH}/org-full`))).toEqual({});
    expect(refusal(await call(`GET ${PATH}/org-full`))).toEqual([404, "RESOURCE_NOT_FOUND"]);
  });

  test("takes its roles and bindings along, and its revisions do not come back", async () => {
    const first = await create("org-again");
    const role = await call("POST /iam/roles/v1", {
      body: { organization_id: "org-again", name: "R", permissions: ["cms.events.get"] },
      query: { role_id: "role-again" },
    });
    ok(role);
    ok(await call(`DELETE ${PATH}/org-again`));
    expect(refusal(await call("GET /iam/roles/v1/role-again"))[0]).toBe(404);
    const second = await create("org-again");
    ok(second);
    expect(second.headers.get("etag")).not.toBe(first.headers.get("etag"));
    expect(await countBindings("org-again")).toBe(1);
  });
});

async function countBindings(organization_id: string): Promise<number> {
  return ok(await call("GET /iam/bindings/v1", { query: { organization_id } })).bindings.length;
}

describe("deleting an account", () => {
  test("is refused while it has tokens or bindings; with force they go along, at once", async () => {
    const { id, token } = await make.caller(["iam.organizations.get"]);
    const refused = await call(`DELETE /iam/accounts/v1/${id}`);
    expect(refusal(refused)).toEqual([400, "STILL_REFERRED_TO"]);
    const kinds = metadata(refused)
      .referrers?.split(",")
      .map((it) => it.split("/")[0]);
    expect(kinds?.sort()).toEqual(["access_token", "binding"]);
    const read = () => call("GET /iam/organizations/v1/org-worldcup", { token });
    expect((await read()).status).toBe(200);
    ok(await call(`DELETE /iam/accounts/v1/${id}`, { query: { force: true } }));
    expect((await read()).status).toBe(401);
  });
});

describe("deleting a project", () => {
  test("is refused while something is in it; with force all of it is gone", async () => {
    await make.project("crowded");
    const body = { project_id: "crowded", kind: "PROJECT_KEY_KIND_PUBLIC" };
    const { project_key } = ok(await call("POST /iam/project_keys/v1", { body }));
    const refused = await call("DELETE /iam/projects/v1/crowded");
    expect(refusal(refused)).toEqual([400, "STILL_REFERRED_TO"]);
    expect(metadata(refused).referrers).toBe(`project_key/${project_key.id}`);
    ok(await call("DELETE /iam/projects/v1/crowded", { query: { force: true } }));
    expect((await call(`GET /iam/project_keys/v1/${project_key.id}`)).status).toBe(404);
  });
});
