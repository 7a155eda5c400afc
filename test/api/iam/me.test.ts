import { describe, expect, test } from "vitest";
import { rejection } from "../../harness/http.ts";
import { ok, useIam } from "./iam.ts";

const { marquee, call, make } = await useIam();

/** Returns the response of a caller, with the ids of the projects of each organization. */
async function readMe(token: string) {
  const got = await call("GET /iam/auth/v1/me", { token });
  const { account, organizations = [], has_more } = ok(got);
  expect(got.headers.get("cache-control")).toBe("private, no-store");
  type Visible = { organization: { id: string; name: string }; projects?: { id: string }[] };
  const projects = organizations.map(({ organization, projects = [] }: Visible) => [
    organization.id,
    projects.map(({ id }) => id),
  ]);
  return { account, organizations, projects: Object.fromEntries(projects), has_more };
}

describe("the calling account", () => {
  test("is that of the token, with the projects of its organizations", async () => {
    const { account, projects } = await readMe(marquee.tokens.owner);
    expect(account).toMatchObject({ id: "account-owner", organization_id: "org-worldcup" });
    expect(projects).toEqual({ "org-worldcup": ["sandbox", "worldcup"] });
    const { projects: foreign } = await readMe(marquee.tokens.outsider);
    expect(foreign).toEqual({ "org-elsewhere": ["elsewhere"] });
  });

  test("of a single project sees this project, and the name of its organization", async () => {
    const { token } = await make.caller(["iam.projects.get"], "sandbox/sandbox/project");
    const { organizations } = await readMe(token);
    expect(organizations).toHaveLength(1);
    const [{ organization, projects }] = organizations;
    expect(organization).toMatchObject({ id: "org-worldcup", name: expect.any(String) });
    const read = ok(await call("GET /iam/projects/v1/sandbox"));
    expect(projects).toEqual([read.project]);
  });

  test("sees only the ids of a project that it may not read", async () => {
    const page = "page-home/worldcup/page";
    for (const [permission, key] of [
      ["ott.pages.get", page],
      ["iam.projects.get", page],
      ["ott.pages.get", "worldcup/worldcup/project"],
      ["ott.pages.get", "org-worldcup/organization"],
    ] as const) {
      const { token } = await make.caller([permission], key);
      const [{ projects }] = (await readMe(token)).organizations;
      expect(projects).toContainEqual({
        id: "worldcup",
        organization_id: "org-worldcup",
        name: "",
      });
      expect(projects).toHaveLength(key.endsWith("/organization") ? 2 : 1);
    }
  });

  test("without a role sees nothing, and a key is no account", async () => {
    const id = await make.account();
    const { account, projects } = await readMe(await make.token(id));
    expect(account.id).toBe(id);
    expect(projects).toEqual({});
    const got = await call("GET /iam/auth/v1/me", { token: marquee.keys.preview });
    expect(rejection(got)).toEqual([401, "CREDENTIALS_WRONG_KIND"]);
  });

  test("of two organizations sees both, whichever the header names", async () => {
    await make.organization("org-second");
    await make.project("second", "org-second");
    const { projects } = await readMe(marquee.tokens.owner);
    expect(projects).toEqual({ "org-second": ["second"], "org-worldcup": ["sandbox", "worldcup"] });
    const headers = { "x-organization-id": "org-second" };
    const got = ok(await call("GET /iam/auth/v1/me", { headers }));
    expect(got.account.id).toBe("account-owner");
  });
});

test("1,000 projects are shown, and it is said that there are more", async () => {
  await make.organization("org-many");
  const documents = marquee.store.in("org-many").documents.project;
  const { value } = await marquee.store.in("org-worldcup").documents.project.get("sandbox");
  for (let turn = 0; turn < 998; turn += 1) {
    await documents.create({ ...value, id: `many-${turn}`, organizationId: "org-many" });
  }
  // With those of the other organizations: one too many.
  const { organizations, has_more } = await readMe(marquee.tokens.owner);
  const count = organizations.flatMap(({ projects = [] }: { projects?: [] }) => projects).length;
  expect([count, has_more]).toEqual([1_000, true]);
  const { token } = await make.caller(["iam.projects.get"]);
  expect((await readMe(token)).has_more ?? false).toBe(false);
});
