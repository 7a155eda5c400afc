import { describe, expect, test } from "vitest";
import { useMarquee } from "../harness/use-marquee.ts";
import { playCases, toWriteCases } from "./cases.ts";
import { callIam, iamMaker, metadata, ok, refusal } from "./iam.ts";

const PATH = "/iam/bindings/v1";
const ORGANIZATION = "org-worldcup";
const ON_ORGANIZATION = `${ORGANIZATION}/organization`;
const ON_PROJECT = "worldcup/worldcup/project";

const marquee = await useMarquee();
const call = callIam(marquee);
const make = iamMaker(call);

interface Sent {
  readonly organization_id?: string;
  readonly account_id?: string;
  readonly role_id?: string;
  readonly resource_key?: string;
}

const create = (sent: Sent, token?: string) =>
  call(`POST ${PATH}`, {
    body: {
      ...{ organization_id: ORGANIZATION, account_id: "account-viewer", role_id: "viewer" },
      resource_key: ON_PROJECT,
      ...sent,
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
      const { binding } = ok(await create({ account_id, resource_key: key }));
      expect(await statusOf(sees)).toBe(200);
      if (other !== undefined) expect(await statusOf(other)).toBe(404);
      ok(await call(`DELETE ${PATH}/${binding.id}`));
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

  test("who may make bindings makes nobody owner, also not themselves", async () => {
    const { id, token } = await make.caller(GIVES);
    for (const account_id of [id, "account-viewer"]) {
      const got = await create(
        { account_id, role_id: "owner", resource_key: ON_ORGANIZATION },
        token,
      );
      expect(refusal(got)).toEqual([403, "PERMISSION_NOT_HELD"]);
      const { permissions = "", count, resource } = metadata(got);
      expect([permissions.split(",").length, resource]).toEqual([20, ON_ORGANIZATION]);
      expect(Number(count)).toBeGreaterThan(20);
    }
  });

  test("what is held on one project is given there only", async () => {
    const { id, token } = await make.caller(GIVES);
    await make.binding(id, "viewer", ON_PROJECT);
    const account_id = await make.account();
    ok(await create({ account_id }, token));
    ok(await create({ account_id, resource_key: "match-2026-104/worldcup/event" }, token));
    for (const resource_key of ["sandbox/sandbox/project", ON_ORGANIZATION]) {
      const got = await create({ account_id, resource_key }, token);
      expect(refusal(got)).toEqual([403, "PERMISSION_NOT_HELD"]);
      expect(metadata(got).resource).toBe(resource_key);
    }
    const editor = await create({ account_id, role_id: "editor" }, token);
    expect(refusal(editor)).toEqual([403, "PERMISSION_NOT_HELD"]);
  });

  test("an editor gives nothing at all", async () => {
    const got = await create({}, marquee.tokens.editor);
    expect(refusal(got)).toEqual([403, "PERMISSION_DENIED"]);
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
      expect(refusal(await call(`GET ${PATH}/${id}`))).toEqual([404, "RESOURCE_NOT_FOUND"]);
    }
    await make.project("fleeting");
    expect((await call("GET /iam/projects/v1/fleeting", { token })).status).toBe(404);
  });

  test("an empty project with a binding needs no force", async () => {
    await make.project("bare");
    const id = await make.binding(await make.account(), "viewer", "bare/bare/project");
    ok(await call("DELETE /iam/projects/v1/bare"));
    expect((await call(`GET ${PATH}/${id}`)).status).toBe(404);
  });

  for (const [type, path, fields] of [
    ["event", "/cms/events/v1", { title: { en: "Bound" } }],
    ["video", "/streaming/videos/v1", { name: "Bound" }],
  ] as const) {
    test(`a single ${type}, made again under its id, is not open to whom the first was`, async () => {
      const id = `bound-${type}`;
      const body = { project_id: "worldcup", ...fields };
      const query = { [`${type}_id`]: id };
      ok(await call(`POST ${path}`, { body, query }));
      const account = await make.account();
      const token = await make.token(account);
      const binding = await make.binding(account, "viewer", `${id}/worldcup/${type}`);
      expect((await call(`GET ${path}/${id}`, { token })).status).toBe(200);
      ok(await call(`DELETE ${path}/${id}`));
      expect((await call(`GET ${PATH}/${binding}`)).status).toBe(404);
      ok(await call(`POST ${path}`, { body, query }));
      expect((await call(`GET ${path}/${id}`, { token })).status).toBe(404);
    });
  }
});
