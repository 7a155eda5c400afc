import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { issueAccessToken } from "../../../src/auth/issue.ts";
import { refusal } from "../../harness/http.ts";
import { metadata, ok, useIam } from "./iam.ts";

const PATH = "/iam/bindings/v1";

const { marquee, call, make } = await useIam();

const create = (body: object, token?: string) =>
  call(`POST ${PATH}`, { body, ...(token && { token }) });

/** Makes a token past the management interface: the owner of the demo does not own all of these. */
async function tokenOf(accountId: string, organizationId: string): Promise<string> {
  const token = { id: randomUUID(), accountId, name: "" };
  const { documents } = marquee.store.in(organizationId);
  return (await issueAccessToken(documents, token, new Date())).secret;
}

describe("the last owner of an organization stays", () => {
  const organization_id = "org-one-owner";
  const place = {
    organization_id,
    role_id: "owner",
    resource_key: `${organization_id}/organization`,
  };
  const listOwners = async (token = marquee.tokens.owner) => {
    const query = { organization_id, filter: "role_id: owner" };
    return ok(await call(`GET ${PATH}`, { query, token })).bindings;
  };

  test("when its binding is deleted", async () => {
    const query = { organization_id };
    ok(await call("POST /iam/organizations/v1", { body: { name: "One" }, query }));
    const [first] = await listOwners();
    // The caller's account lies in another organization.
    const headers = { "x-organization-id": organization_id };
    const refused = await call(`DELETE ${PATH}/${first.id}`, { headers });
    expect(refusal(refused)).toEqual([400, "LAST_OWNER"]);
    expect(metadata(refused).resource).toBe(`organization/${organization_id}`);
    const account_id = await make.account(organization_id);
    ok(await create({ ...place, account_id }));
    ok(await call(`DELETE ${PATH}/${first.id}`, { headers }));
    expect((await call(`GET ${PATH}`, { query })).status).toBe(404);
    const owners = await listOwners(await tokenOf(account_id, organization_id));
    expect(owners.map((it: { account_id: string }) => it.account_id)).toEqual([account_id]);
  });

  test("when the account is deleted, also with force", async () => {
    const [owner] = await marquee.store.access.listOwners(organization_id);
    const account_id = owner?.account.id ?? "";
    const token = await tokenOf(account_id, organization_id);
    for (const force of [false, true]) {
      const got = await call(`DELETE /iam/accounts/v1/${account_id}`, { query: { force }, token });
      expect(refusal(got)).toEqual([400, "LAST_OWNER"]);
    }
    // The role on a project does not count as owning the organization.
    ok(
      await call("POST /iam/projects/v1", {
        body: { organization_id, name: "P" },
        query: { project_id: "one-owner-1" },
        token,
      }),
    );
    const body = { organization_id, name: "Second" };
    const second = ok(await call("POST /iam/accounts/v1", { body, token })).account.id;
    const resource_key = "one-owner-1/one-owner-1/project";
    ok(await create({ ...place, account_id: second, resource_key }, token));
    const still = await call(`DELETE /iam/accounts/v1/${account_id}`, {
      query: { force: true },
      token,
    });
    expect(refusal(still)).toEqual([400, "LAST_OWNER"]);
    ok(await create({ ...place, account_id: second }, token));
    ok(await call(`DELETE /iam/accounts/v1/${account_id}`, { query: { force: true }, token }));
  });

  test("when its only owner, an account of another organization, is deleted", async () => {
    const founder = await make.account();
    await make.binding(founder, "operator");
    const token = await tokenOf(founder, "org-worldcup");
    const query = { organization_id: "org-founded" };
    ok(await call("POST /iam/organizations/v1", { body: { name: "Founded" }, query, token }));
    for (const force of [false, true]) {
      const got = await call(`DELETE /iam/accounts/v1/${founder}`, { query: { force } });
      expect(refusal(got)).toEqual([400, "LAST_OWNER"]);
      expect(metadata(got).resource).toBe("organization/org-founded");
    }
    expect(ok(await call(`GET ${PATH}`, { query, token })).bindings).toHaveLength(1);
  });

  test("of two owners that go at the same moment one stays", async () => {
    const query = { organization_id: "org-two-owners" };
    ok(await call("POST /iam/organizations/v1", { body: { name: "Two" }, query }));
    const account_id = await make.account("org-two-owners");
    const two = { ...query, role_id: "owner", resource_key: "org-two-owners/organization" };
    ok(await create({ ...two, account_id }));
    const { bindings } = ok(await call(`GET ${PATH}`, { query }));
    expect(bindings).toHaveLength(2);
    const token = await tokenOf(account_id, "org-two-owners");
    const got = await Promise.all(
      bindings.map(({ id }: { id: string }) => call(`DELETE ${PATH}/${id}`, { token })),
    );
    expect(got.filter((it) => it.status === 200)).toHaveLength(1);
  });
});
