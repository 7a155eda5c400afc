import { describe, expect, test } from "vitest";
import { KIND_NAMES, kindOf } from "../../src/domain/kinds.ts";
import { type HttpResponse, rejection } from "../harness/http.ts";
import { startOver } from "../harness/marquee.ts";
import { callIam, metadata, ok, useIam } from "./iam/iam.ts";
import { findMethods, toProtocolRequests } from "./methods.ts";
import { resourceBodies } from "./resource-bodies.ts";

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
    const entity = { project_id: project.id, title: { en: "One" } };
    ok(await call("POST /cms/entities/v1", { body: entity }));
    const more = await call("POST /cms/entities/v1", { body: entity });
    expect(rejection(more)).toEqual([429, "QUOTA_EXCEEDED"]);
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

const CREATES = (await findMethods()).filter(
  (it) => it.parent.typeName in resourceBodies && /^Create[A-Z]/.test(it.name),
);
const COUNTED = CREATES.map((create) => {
  const message = create.input.fields[0]?.message;
  const kind = KIND_NAMES.find((name) => kindOf(name).schema.typeName === message?.typeName);
  return { create, quota: kind === undefined ? "none" : kindOf(kind).quota };
});

test("every kind that counts for a quota is created below, but for transactions", () => {
  const count = COUNTED.filter(({ quota }) => quota !== "none").length;
  const counted = KIND_NAMES.filter((name) => kindOf(name).quota !== "none");
  expect(count).toBe(counted.length - 1);
});

describe("one past the quota, nothing is created, and a dry run says so", () => {
  for (const { create, quota } of COUNTED) {
    if (quota === "none") continue;
    const holder = quota === "items" || quota === "keys" ? PROJECT : ORGANIZATION;
    test(create.name, async () => {
      const { resource, extra } = resourceBodies[create.parent.typeName] ?? {};
      const [first] = create.input.fields;
      const add = async (validateOnly: boolean): Promise<HttpResponse> => {
        const message = { [first?.localName ?? ""]: withSlug(resource), ...extra, validateOnly };
        const request = toProtocolRequests(create, message).find(
          ({ protocol }) => protocol === "REST",
        );
        return await call(`${request?.method} ${request?.path}`, { body: request?.body });
      };
      const { usage } = await get(holder);
      const limit = Number(usage[quota]) + 1;
      ok(await setQuotas(holder, { [quota]: limit }));
      ok(await add(true));
      expect((await get(holder)).usage).toEqual(usage);
      ok(await add(false));
      const full = (await get(holder)).usage;
      expect(Number(full[quota])).toBe(limit);
      for (const validateOnly of [true, false]) {
        const rejected = await add(validateOnly);
        expect(rejection(rejected)).toEqual([429, "QUOTA_EXCEEDED"]);
        expect(metadata(rejected)).toEqual({
          ...{ quota, limit: String(limit), used: String(limit) },
          resource: holder === PROJECT ? "project/worldcup" : "organization/org-worldcup",
        });
      }
      expect((await get(holder)).usage).toEqual(full);
      ok(await setQuotas(holder, undefined));
    });
  }
});

let slugs = 0;

/** Returns a resource with a slug of its own, if it has one. */
function withSlug(resource: Readonly<Record<string, unknown>> = {}) {
  slugs += 1;
  return "slug" in resource ? { ...resource, slug: `slug-${slugs}` } : resource;
}
