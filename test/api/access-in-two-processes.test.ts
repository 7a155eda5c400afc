import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openViewerTokens } from "../../src/auth/viewer-token.ts";
import { getUrl } from "../harness/calls.ts";
import { type HttpResponse, rejection, send } from "../harness/http.ts";
import { type ServiceProcess, serveDatabase } from "../harness/service-process.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { callIam, iamMaker, ok } from "./iam/iam.ts";

/** Rights are withdrawn in this process, and used at once in another one of the same database. */
const marquee = await useMarquee();
const iam = callIam(marquee);
const made = iamMaker(iam);
let other: ServiceProcess;
beforeAll(async () => {
  other = await serveDatabase(marquee.address);
}, 60_000);
afterAll(() => other.stop());

const ROUNDS = 4;
const READ = getUrl("/svc.cda.ott.page.v1.PageService/GetPage", { slug: "home" });

const after = (write: HttpResponse | undefined) => {
  const token = write?.headers.get("x-consistency-token");
  return token ? { "x-consistency-token": token } : {};
};
const read = (token: string, write?: HttpResponse, path = READ) =>
  send("GET", other.deliveryUrl + path, { token, headers: after(write) });
const manage = (token: string, path: string) => send("GET", other.studioUrl + path, { token });

describe("a read with the consistency token of a deletion is rejected with the deleted key", () => {
  for (const kind of ["PUBLIC", "PREVIEW"]) {
    test(kind, async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const body = { project_id: "worldcup", kind: `PROJECT_KEY_KIND_${kind}` };
        const created = await iam("POST /iam/project_keys/v1", { body });
        const { key, project_key } = ok(created);
        expect((await read(key, created)).status).toBe(200);
        const deleted = await iam(`DELETE /iam/project_keys/v1/${project_key.id}`);
        expect(deleted.headers.get("x-consistency-token")).toMatch(/^worldcup:\d+$/);
        expect((await read(key, deleted)).status).toBe(401);
      }
    });
  }

  test("also in a project that the other process has not read yet", async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = await made.project(`fresh-${round}`);
      const create = () =>
        iam("POST /iam/project_keys/v1", {
          body: { project_id: id, kind: "PROJECT_KEY_KIND_PUBLIC" },
        });
      const [first, second] = [ok(await create()), ok(await create())];
      const list = getUrl("/svc.cda.cms.event.v1.EventService/ListEvents", {});
      expect((await read(first.key, undefined, list)).status).toBe(200);
      const deleted = await iam(`DELETE /iam/project_keys/v1/${first.project_key.id}`);
      expect((await read(first.key, deleted, list)).status).toBe(401);
      expect((await read(second.key, deleted, list)).status).toBe(200);
    }
  });
});

test("a read with the consistency token of a deleted project is rejected with each of its keys", async () => {
  const list = getUrl("/svc.cda.cms.event.v1.EventService/ListEvents", {});
  let last = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const id = await made.project("again");
    const keys: string[] = [];
    for (const kind of ["PUBLIC", "PREVIEW"]) {
      const body = { project_id: id, kind: `PROJECT_KEY_KIND_${kind}` };
      keys.push(ok(await iam("POST /iam/project_keys/v1", { body })).key);
    }
    for (const key of keys) expect((await read(key, undefined, list)).status).toBe(200);
    const deleted = await iam(`DELETE /iam/projects/v1/${id}`, { query: { force: true } });
    for (const key of keys) expect((await read(key, deleted, list)).status).toBe(401);
    // A later project with this id begins above it.
    const token = deleted.headers.get("x-consistency-token") ?? "";
    const [, revision] = token.split(":").map(Number);
    expect([token, revision]).toEqual([`again:${revision}`, expect.any(Number)]);
    expect(revision).toBeGreaterThan(last);
    last = revision ?? 0;
  }
});

test("an organization is not deleted with the keys of its projects", async () => {
  const list = getUrl("/svc.cda.cms.event.v1.EventService/ListEvents", {});
  const organization = await made.organization("org-keys");
  const id = await made.project("of-org-keys", organization);
  const body = { project_id: id, kind: "PROJECT_KEY_KIND_PUBLIC" };
  const created = await iam("POST /iam/project_keys/v1", { body });
  const { key } = ok(created);
  const path = `DELETE /iam/organizations/v1/${organization}`;
  for (const [query, reason] of [
    [{}, "STILL_REFERRED_TO"],
    [{ force: true }, "QUERY_UNKNOWN"],
  ] as const) {
    expect(rejection(await iam(path, { query }))).toEqual([400, reason]);
    expect((await read(key, created, list)).status).toBe(200);
  }
  const deleted = await iam(`DELETE /iam/projects/v1/${id}`, { query: { force: true } });
  expect((await read(key, deleted, list)).status).toBe(401);
  ok(await iam(path));
});

test("a viewer token of a deleted project is rejected", async () => {
  const project = await made.project("ends");
  const tokens = await openViewerTokens(marquee.store, new Date());
  const until = new Date(Date.now() + 600_000);
  const viewer = await tokens.sign({ projectId: project, userId: "ann" }, new Date(), until);
  const list = getUrl("/svc.cda.cms.event.v1.EventService/ListEvents", {});
  expect((await read(viewer, undefined, list)).status).toBe(200);
  ok(await iam(`DELETE /iam/projects/v1/${project}`));
  expect((await read(viewer, undefined, list)).status).toBe(401);
});

describe("an account loses its rights at once", () => {
  const PROJECT = "/iam/projects/v1/worldcup";
  /** Makes an account with a role that may read the project, which the other process has seen. */
  const setUp = async () => {
    const account = await made.account();
    const role = await made.role(["iam.projects.get"]);
    const binding = await made.binding(account, role);
    const body = { account_id: account };
    const { token, access_token } = ok(await iam("POST /iam/access_tokens/v1", { body }));
    expect((await manage(token, PROJECT)).status).toBe(200);
    return { account, role, binding, token, tokenId: access_token.id };
  };

  test("when its token is revoked", async () => {
    const { token, tokenId } = await setUp();
    ok(await iam(`POST /iam/access_tokens/v1/${tokenId}:revoke`, { body: {} }));
    expect((await manage(token, PROJECT)).status).toBe(401);
  });

  test("when its binding is removed", async () => {
    const { token, binding } = await setUp();
    ok(await iam(`DELETE /iam/bindings/v1/${binding}`));
    expect((await manage(token, PROJECT)).status).toBe(404);
  });

  test("when it is deleted", async () => {
    const { token, account } = await setUp();
    ok(await iam(`DELETE /iam/accounts/v1/${account}`, { query: { force: true } }));
    expect((await manage(token, PROJECT)).status).toBe(401);
  });

  test("when its role is deleted", async () => {
    const { token, role } = await setUp();
    ok(await iam(`DELETE /iam/roles/v1/${role}`, { query: { force: true } }));
    expect((await manage(token, PROJECT)).status).toBe(404);
  });

  test("when an organization where it has a role is deleted", async () => {
    const organization = await made.organization("org-ends");
    const path = `/iam/organizations/v1/${organization}`;
    expect((await manage(marquee.tokens.owner, path)).status).toBe(200);
    ok(await iam(`DELETE ${path}`));
    expect((await manage(marquee.tokens.owner, path)).status).toBe(404);
  });

  test("when its role changes", async () => {
    const { token, role } = await setUp();
    const body = { role: { permissions: ["iam.projects.list"] }, update_mask: "permissions" };
    ok(await iam(`PATCH /iam/roles/v1/${role}`, { body }));
    expect((await manage(token, PROJECT)).status).toBe(403);
  });
});
