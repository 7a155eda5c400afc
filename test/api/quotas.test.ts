import { describe, expect, test } from "vitest";
import { rejection } from "../harness/http.ts";
import { startOver } from "../harness/marquee.ts";
import { callIam, metadata, ok, useIam } from "./iam/iam.ts";

const { marquee, call, make } = await useIam();

const PROJECT = "/iam/projects/v1/worldcup";
const ORGANIZATION = "/iam/organizations/v1/org-worldcup";
type Holder = typeof PROJECT | typeof ORGANIZATION;

const nameOf = (holder: Holder) => (holder === PROJECT ? "project" : "organization");
const get = async (holder: Holder) => ok(await call(`GET ${holder}`))[nameOf(holder)];
const setQuotas = (holder: Holder, quotas: object | undefined, token?: string) =>
  call(`PATCH ${holder}`, {
    body: { [nameOf(holder)]: quotas ? { quotas } : {}, update_mask: "quotas" },
    ...(token && { token }),
  });

describe("usage", () => {
  test("is seen by whoever may get or list the project or the organization", async () => {
    const { token } = await make.caller(["iam.projects.get", "iam.projects.list"]);
    const { project } = ok(await call(`GET ${PROJECT}`, { token }));
    expect(project.usage).toEqual({
      items: expect.stringMatching(/^[1-9]\d+$/),
      bytes: expect.stringMatching(/^[1-9]\d+$/),
      keys: 2,
    });
    expect(project.quotas).toBeUndefined();
    const query = { organization_id: "org-worldcup", filter: "usage.keys: 2" };
    const { projects } = ok(await call("GET /iam/projects/v1", { token, query }));
    expect(projects).toContainEqual(project);
    const { usage } = await get(ORGANIZATION);
    const list = ok(
      await call("GET /iam/projects/v1", { query: { organization_id: "org-worldcup" } }),
    );
    const sum = (name: "items" | "bytes") =>
      String(
        list.projects.reduce(
          (total: bigint, it: typeof project) => total + BigInt(it.usage[name]),
          0n,
        ),
      );
    const accounts = ok(
      await call("GET /iam/accounts/v1", { query: { organization_id: "org-worldcup" } }),
    ).accounts.length;
    expect(usage).toEqual({
      ...{ projects: list.projects.length, accounts },
      ...{ items: sum("items"), bytes: sum("bytes") },
    });
  });

  test("of a new project is empty, as it is then read, and cannot be sent", async () => {
    const body = { organization_id: "org-worldcup", name: "Empty" };
    const { project } = ok(await call("POST /iam/projects/v1", { body }));
    expect(project.usage).toEqual({ items: "0", bytes: "0", keys: 0 });
    const path = `/iam/projects/v1/${project.id}`;
    expect(ok(await call(`GET ${path}`)).project).toEqual(project);
    const renamed = await call(`PATCH ${path}`, {
      body: { project: { name: "Renamed" }, update_mask: "name" },
    });
    expect(ok(renamed).project.usage).toEqual(project.usage);
    const sent = await call("POST /iam/projects/v1", { body: { ...body, usage: { keys: 1 } } });
    expect(rejection(sent)).toEqual([400, "FIELD_OUTPUT_ONLY"]);
    const masked = await call(`PATCH ${path}`, {
      body: { project: {}, update_mask: "usage" },
    });
    expect(rejection(masked)).toEqual([400, "UPDATE_MASK_INVALID"]);
    ok(await call(`DELETE ${path}`));
  });
});

describe("quotas", () => {
  for (const [holder, quotas] of [
    [PROJECT, { items: "7000000", bytes: "9007199254740991", keys: 2147483647 }],
    [ORGANIZATION, { projects: 9, accounts: 900, items: "7000000", bytes: "9007199254740991" }],
  ] as const) {
    const type = nameOf(holder);

    test(`of a ${type} are set by operators only`, async () => {
      const { token } = await make.caller([`iam.${type}s.update`, `iam.${type}s.get`]);
      const denied = await setQuotas(holder, quotas, token);
      expect(rejection(denied)).toEqual([403, "QUOTAS_RESERVED"]);
      expect(metadata(denied)).toEqual({ permission: "iam.organizations.create" });
      const before = await get(holder);
      const renamed = await call(`PATCH ${holder}`, {
        token,
        body: { [type]: { name: before.name, quotas }, update_mask: "name" },
      });
      expect(ok(renamed)[type]).toEqual(before);

      const set = await setQuotas(holder, quotas);
      expect(ok(set)[type].quotas).toEqual(quotas);
      expect(ok(await call(`GET ${holder}`, { token }))[type]).toEqual(set.json[type]);
      ok(await setQuotas(holder, undefined));
      expect((await get(holder)).quotas).toBeUndefined();
    });

    for (const name of Object.keys(quotas)) {
      const beyond =
        typeof quotas[name as keyof typeof quotas] === "string" ? "9007199254740992" : 0;
      for (const limit of [-1, ...(beyond ? [beyond] : [])]) {
        test(`of a ${type} reject ${name} ${limit}`, async () => {
          const got = await setQuotas(holder, { [name]: limit });
          expect(rejection(got)).toEqual([400, "QUOTA_INVALID"]);
          expect(metadata(got).field).toBe(`${type}.quotas.${name}`);
        });
      }
    }
  }

  test("come with a new project from operators only", async () => {
    const body = { organization_id: "org-worldcup", name: "Bounded", quotas: { items: "1" } };
    const { token } = await make.caller(["iam.projects.create"]);
    const denied = await call("POST /iam/projects/v1", { token, body });
    expect(rejection(denied)).toEqual([403, "QUOTAS_RESERVED"]);
    const { project } = ok(await call("POST /iam/projects/v1", { body }));
    expect(project.quotas).toEqual({ items: "1", bytes: "0", keys: 0 });
    const create = (validate_only: boolean) => {
      const entity = { project_id: project.id, title: { en: "One" } };
      return call("POST /cms/entities/v1", { body: entity, query: { validate_only } });
    };
    for (const isDryRun of [true, true, false]) ok(await create(isDryRun));
    for (const isDryRun of [true, false]) {
      const more = await create(isDryRun);
      expect(rejection(more)).toEqual([429, "QUOTA_EXCEEDED"]);
      expect(metadata(more)).toEqual({
        ...{ quota: "items", limit: "1", used: "1", resource: `project/${project.id}` },
      });
    }
    ok(await call(`DELETE /iam/projects/v1/${project.id}`, { query: { force: true } }));
  });
});

test("writers of several projects, through two processes, share the organization's quota", async () => {
  const other = await startOver(await marquee.openAnother());
  const calls = [call, callIam({ url: other.studioUrl, tokens: marquee.tokens })];
  const doomed = await make.project("quota-doomed");
  const create = (index: number, project_id: string) =>
    (calls[index % 2] ?? call)("POST /cms/entities/v1", {
      body: { project_id },
      query: { entity_id: `quota-${project_id}-${index}` },
    });
  ok(await create(0, doomed));
  const { items } = (await get(ORGANIZATION)).usage;
  // The deleted project makes room for a fifth.
  ok(await setQuotas(ORGANIZATION, { items: String(Number(items) + 4) }));
  const indexes = Array.from({ length: 16 }, (_, index) => index + 1);
  const [deleted, ...created] = await Promise.all([
    call(`DELETE /iam/projects/v1/${doomed}`, { query: { force: true } }),
    ...indexes.map((index) => create(index, index % 3 === 0 ? "worldcup" : "sandbox")),
  ]);
  ok(deleted);
  const rejected = created.filter((got) => got.status !== 200);
  for (const got of rejected) expect(rejection(got)).toEqual([429, "QUOTA_EXCEEDED"]);
  const kept = created.length - rejected.length;
  expect([4, 5]).toContain(kept);
  expect((await get(ORGANIZATION)).usage.items).toBe(String(Number(items) - 1 + kept));
  ok(await setQuotas(ORGANIZATION, undefined));
  await other.close(1_000);
});
