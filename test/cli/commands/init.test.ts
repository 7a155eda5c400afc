import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { parseCommand, runCommand } from "../../harness/command.ts";
import { send } from "../../harness/http.ts";
import { serveHere } from "../../harness/service-process.ts";
import { useServiceFolder } from "../../harness/test-folder.ts";

const folder = useServiceFolder({ empty: true });

const init = (...args: string[]) =>
  runCommand("init", ...args, "--database", `sqlite:${folder.database}`);

describe("marquee init", () => {
  test("begins an installation: all that follows is done over HTTP", async () => {
    const args = ["--organization", "Acme", "--account", "Ada"];
    const { code, stdout, stderr } = await init(...args);
    expect([code, stderr]).toEqual([0, ""]);
    const [, organization_id = "", account = "", token = ""] =
      /^database {6}sqlite:\S+\norganization {2}(\S+)\naccount {7}(\S+)\ntoken {9}(mqa_\S+)\nThe token is not shown again\.\n$/.exec(
        stdout,
      ) ?? [];
    expect(token).not.toBe("");
    const service = await serveHere(folder);
    try {
      const call = async (method: string, path: string, body?: object) => {
        const got = await send(method, service.studioUrl + path, { token, body });
        expect(got.status, got.text).toBe(200);
        return got.json;
      };
      const { organization } = await call("GET", `/iam/organizations/v1/${organization_id}`);
      expect(organization.name).toBe("Acme");
      expect((await call("GET", `/iam/accounts/v1/${account}`)).account.name).toBe("Ada");
      const { bindings } = await call("GET", `/iam/bindings/v1?organization_id=${organization_id}`);
      const roles = bindings.map((it: { role_id: string }) => it.role_id).sort();
      expect(roles).toEqual(["operator", "owner"]);
      await call("POST", "/iam/organizations/v1", { name: "Second" });
      const { project } = await call("POST", "/iam/projects/v1", { organization_id, name: "P" });
      const { key } = await call("POST", "/iam/project_keys/v1", {
        ...{ project_id: project.id, kind: "PROJECT_KEY_KIND_PUBLIC" },
      });
      expect(key).toMatch(/^mqp_/);
    } finally {
      await service.stop();
    }
  });

  test("is rejected a second time, in one line, and makes nothing", async () => {
    const got = await init("--organization", "Again");
    expect([got.code, got.stdout]).toEqual([1, ""]);
    expect(got.stderr).toMatch(/^marquee: the database already contains an organization[^\n]*\n$/);
  });
});

describe("marquee init --organization-id", () => {
  const own = useServiceFolder({ empty: true });
  beforeAll(async () => {
    const lines = [
      { organization: { id: "first", name: "First" } },
      { project: { id: "shop", organization_id: "first", name: "Shop" } },
      { organization: { id: "second", name: "Second" } },
    ];
    const file = join(own.path, "lines.ndjson");
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const got = await runCommand("import", file, "--database", `sqlite:${own.database}`);
    expect(got.code).toBe(0);
  });

  const adopt = (id: string) =>
    runCommand("init", "--organization-id", id, "--database", `sqlite:${own.database}`);
  const tokenOf = ({ stdout }: { stdout: string }) => /^token +(\S+)$/m.exec(stdout)?.[1] ?? "";

  test("gives an organization of a file its owner; the first of all is the operator", async () => {
    const first = await adopt("first");
    expect(first.stdout).toMatch(/^database {6}sqlite:\S+\norganization {2}first\n/);
    const second = await adopt("second");
    const service = await serveHere(own);
    try {
      const create = (name: string, token: string) =>
        send("POST", `${service.studioUrl}/iam/organizations/v1`, { token, body: { name } });
      const shop = `${service.studioUrl}/iam/projects/v1/shop`;
      const [one, two] = [tokenOf(first), tokenOf(second)];
      expect((await send("GET", shop, { token: one })).json.project.name).toBe("Shop");
      expect((await send("GET", shop, { token: two })).status).toBe(404);
      expect((await create("Third", one)).status).toBe(200);
      expect((await create("Fourth", two)).status).toBe(403);
    } finally {
      await service.stop();
    }
  });

  for (const [name, id, want] of [
    [
      "that has an owner",
      "first",
      /already has an owner; create a token for it with 'token create --account \S+'/,
    ],
    ["that does not exist", "nobody", /organization nobody does not exist/],
  ] as const) {
    test(`rejects one ${name}, in one line`, async () => {
      const got = await adopt(id);
      expect([got.code, got.stdout]).toEqual([1, ""]);
      expect(got.stderr).toMatch(/^marquee: [^\n]+\n$/);
      expect(got.stderr).toMatch(want);
    });
  }
});

describe("settings of init", () => {
  for (const [args, want] of [
    [[], /--organization NAME/],
    [["--organization", "A", "--organization-id", "a"], /either --organization NAME or --org/],
    [["--organization-id", " "], /--organization-id ID/],
    [["--organization", " "], /--organization NAME/],
    [["--organization", "A", "--account", " "], /--account must be a name/],
  ] as const) {
    test(`${JSON.stringify(args)} are rejected in one line`, () => {
      expect(() => parseCommand(["init", ...args])).toThrow(want);
    });
  }

  test("come from the environment too", () => {
    const env = { MARQUEE_ORGANIZATION: "Acme", MARQUEE_DATABASE: "sqlite:x.db" };
    expect(parseCommand(["init"], env)?.config).toEqual({
      organization: "Acme",
      account: "Operator",
      database: { engine: "sqlite", path: "x.db" },
      json: false,
    });
  });
});
