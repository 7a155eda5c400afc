import { expect, test } from "vitest";
import { rejection, send } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { callIam, ok } from "./iam/iam.ts";

const marquee = await useMarquee();
const call = callIam(marquee);

/** Makes a project that exchanges identity tokens; returns its public key. */
async function makeProject(id: string, organizationId: string): Promise<string> {
  const query = { project_id: id };
  const body = { organization_id: organizationId, name: id };
  ok(await call("POST /iam/projects/v1", { query, body }));
  const key = { project_id: id, kind: "PROJECT_KEY_KIND_PUBLIC", name: "web" };
  ok(await call(`PATCH /iam/users/v1/sso/${id}`, { body: { audiences: ["marquee-demo"] } }));
  return ok(await call("POST /iam/project_keys/v1", { body: key })).key;
}

async function signIn(publicKey: string): Promise<string> {
  const now = Date.now();
  const vendorIdToken = await marquee.identityProvider.sign({
    ...{ subject: "ann", audience: "marquee-demo" },
    ...{ issueTime: new Date(now), expireTime: new Date(now + 12 * 3_600_000) },
  });
  return ok(
    await callDelivery("iam.auth.v1.AuthService/ExchangeToken", publicKey, { vendorIdToken }),
  ).token;
}

const callDelivery = (method: string, token: string, body: object, headers = {}) =>
  send("POST", `${marquee.url}/svc.cda.${method}`, {
    ...{ token, body },
    headers: { "connect-protocol-version": "1", ...headers },
  });
const ENTITLEMENTS = "monetization.entitlement.v1.EntitlementService/ListEntitlements";

async function makeOrganization(id: string): Promise<void> {
  const query = { organization_id: id };
  ok(await call("POST /iam/organizations/v1", { query, body: { name: id } }));
}

test("a viewer token ends with its project, also when another one takes the id", async () => {
  await makeOrganization("org-first");
  await makeOrganization("org-second");
  const token = await signIn(await makeProject("stage", "org-first"));
  expect((await callDelivery(ENTITLEMENTS, token, {})).status).toBe(200);
  const isRejected = async () => {
    const rejected = await callDelivery(ENTITLEMENTS, token, {});
    expect(rejection(rejected)).toEqual([401, "AUDIENCE_NOT_ALLOWED"]);
  };
  ok(await call("DELETE /iam/projects/v1/stage", { query: { force: true } }));
  await isRejected();
  const key = await makeProject("stage", "org-second");
  await isRejected();
  const cookie = { cookie: `viewer_token=${token}` };
  expect((await callDelivery(ENTITLEMENTS, key, {}, cookie)).status).toBe(401);
  const own = await signIn(key);
  expect((await callDelivery(ENTITLEMENTS, own, {})).status).toBe(200);
  await isRejected();
});

test("an organization does not see what was written in one that had its id", async () => {
  const list = async () =>
    ok(await call("GET /iam/audit/v1/entries", { query: { organization_id: "org-reborn" } }))
      .entries as { readonly method: string }[];
  await makeOrganization("org-reborn");
  const role = {
    organization_id: "org-reborn",
    name: "secret plans",
    permissions: ["cms.events.get"],
  };
  const made = await call("POST /iam/roles/v1", { body: role });
  ok(made);
  expect((await list()).map(({ method }) => method.split("/")[1])).toEqual([
    ...["CreateRole", "CreateOrganization"],
  ]);
  ok(await call("DELETE /iam/organizations/v1/org-reborn"));
  await makeOrganization("org-reborn");
  expect((await list()).map(({ method }) => method.split("/")[1])).toEqual(["CreateOrganization"]);
});
