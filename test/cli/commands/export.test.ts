import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { beforeAll, describe, expect, test } from "vitest";
import { ProjectKeyKind } from "../../../gen/svc/studio/iam/project_key/v1/project_key_pb.ts";
import { ReleaseSchema } from "../../../gen/svc/type/v1/release_pb.ts";
import { issueProjectKey } from "../../../src/auth/issue.ts";
import { openSqliteStore } from "../../../src/storage/sqlite/open.ts";
import { runCommand } from "../../harness/command.ts";
import { send } from "../../harness/http.ts";
import { startOver } from "../../harness/marquee.ts";
import { MARQUEE, run } from "../../harness/process.ts";
import { useServiceFolder } from "../../harness/test-folder.ts";

const PROJECT = "worldcup";

/** A folder with the demo's database, and the demo's first project exported and imported from there. */
const folder = useServiceFolder();
let exported = "";
let imported = "";
beforeAll(async () => {
  exported = join(folder.path, "worldcup.ndjson");
  imported = join(folder.path, "imported.db");
  expect(await marquee("export", folder.database, "--project", PROJECT, exported)).toMatchObject({
    code: 0,
    stdout: "",
    stderr: expect.stringMatching(/^(\d+ %, [^\n]+\n)*exported \d+ \(\d+ bytes\) in \S+ s\n$/),
  });
  expect(await marquee("import", imported, exported)).toMatchObject({ code: 0 });
});

const marquee = (command: string, database: string, ...args: string[]) =>
  runCommand(command, ...args, "--database", `sqlite:${database}`);

describe("an exported project", () => {
  test("is exported from other databases byte for byte as it was, except for missing times", async () => {
    const again = join(folder.path, "again.ndjson");
    const third = join(folder.path, "third.ndjson");
    await marquee("export", imported, "--project", PROJECT, again);
    const linesOf = (file: string) => readFileSync(file, "utf8").trimEnd().split("\n");
    const parse = (file: string) => linesOf(file).map((line) => JSON.parse(line));
    expect(parse(again)).toMatchObject(parse(exported));
    const database = join(folder.path, "third.db");
    await marquee("import", database, again);
    await marquee("export", database, "--project", PROJECT, third);
    expect(linesOf(third)).toEqual(linesOf(again));
  });

  test("goes to standard output where no file is named, the same as to a file", async () => {
    const database = `sqlite:${folder.database}`;
    const args = MARQUEE.args("export", "--project", PROJECT, "--database", database);
    const got = await run(MARQUEE.program, args);
    expect(got.code).toBe(0);
    expect(got.stdout === readFileSync(exported, "utf8")).toBe(true);
    const small = join(folder.path, "sandbox.ndjson");
    await marquee("export", folder.database, "--project", "sandbox", small);
    const named = await marquee("export", folder.database, "--project", "sandbox", "-");
    expect(named).toMatchObject({ code: 0, stdout: readFileSync(small, "utf8") });
  });

  test("changes nothing where it came from", async () => {
    const got = await marquee("import", folder.database, exported, "--project", PROJECT);
    expect(got.stdout).toMatch(/^imported \d+ \(0 created, 0 updated, \d+ unchanged\)/);
  });

  test("holds every kind of the demo in the order of their dependence, and nobody's rights", () => {
    const lines = readFileSync(exported, "utf8").trimEnd().split("\n");
    const kinds = new Set(lines.map((line) => Object.keys(JSON.parse(line))[0]));
    expect([...kinds]).toEqual([
      ...["organization", "project", "sign_in_integration", "entity", "creative_work", "event"],
      ...[
        "video",
        "action",
        "annotation_type",
        "annotation",
        "banner_collection",
        "page",
        "page_component",
      ],
      ...["ruleset", "offer", "transaction"],
    ]);
  });

  test("is delivered from another database as it was", async () => {
    const [want, got] = await Promise.all([folder.database, imported].map(readResponses));
    for (const { status, json } of want ?? []) {
      expect(status).toBe(200);
      expect(JSON.stringify(json).length).toBeGreaterThan(500);
    }
    expect(got).toEqual(want);
  });

  test("has its releases with --with-releases only", async () => {
    const store = openSqliteStore(folder.database);
    await store
      .in("org-worldcup")
      .documents.release.create(
        create(ReleaseSchema, { id: "spring", projectId: PROJECT, name: "Spring" }),
      );
    await store.close();
    const file = join(folder.path, "releases.ndjson");
    await marquee("export", folder.database, "--project", PROJECT, "--with-releases", file);
    const got = readFileSync(file, "utf8");
    expect(got.slice(0, readFileSync(exported, "utf8").length)).toBe(
      readFileSync(exported, "utf8"),
    );
    expect(got).toMatch(/\{"release":\{"id":"spring",[^\n]+\}\}\n/);
    await marquee("export", folder.database, "--project", PROJECT, "--force", file);
    expect(readFileSync(file).equals(readFileSync(exported))).toBe(true);
  });

  test("is for its owner's eyes only", () => {
    expect(statSync(exported).mode & 0o777).toBe(0o600);
  });
});

/** Asks a service over a database for what it delivers of the project. */
async function readResponses(path: string) {
  const now = new Date("2026-06-20T12:00:00Z");
  const store = openSqliteStore(path);
  const server = await startOver(store, { clock: () => now });
  const { secret: token } = await issueProjectKey(
    store.in("org-worldcup").documents,
    { id: `key-${path.length}`, projectId: PROJECT, kind: ProjectKeyKind.PREVIEW, name: "test" },
    now,
  );
  const ask = async (method: string, message: object) => {
    const query = `encoding=json&connect=v1&message=${encodeURIComponent(JSON.stringify(message))}`;
    const response = await send("GET", `${server.deliveryUrl}/svc.cda.${method}?${query}`, {
      token,
    });
    // Tokens are sealed with a key of the installation.
    const json = response.text.replaceAll(/"[a-zA-Z]*[tT]oken":"[^"]+"/g, '"token":""');
    return { status: response.status, json: JSON.parse(json) };
  };
  const responses = await Promise.all([
    ask("ott.page.v1.PageService/GetPage", { slug: "home" }),
    ask("cms.event.v1.EventService/ListEvents", { filter: 'content_type: "match"', pageSize: 100 }),
    ask("cms.entity.v1.EntityService/ListEntities", { pageSize: 100 }),
    ask("monetization.offer.v1.OfferService/ListOffers", {}),
    ask("annotations.annotation.v1.AnnotationService/ListAnnotations", {
      eventId: "match-2022-64",
    }),
  ]);
  await server.close(1_000);
  await store.close();
  return responses;
}

describe("a file that is there", () => {
  test("is rejected, and replaced with --force", async () => {
    const file = join(folder.path, "taken.ndjson");
    writeFileSync(file, "mine");
    const args = ["--project", "sandbox"];
    const rejected = await marquee("export", folder.database, ...args, file);
    expect(rejected).toMatchObject({ code: 1, stdout: "" });
    expect(rejected.stderr).toBe(`marquee: ${file} already exists; use --force to replace it\n`);
    expect(readFileSync(file, "utf8")).toBe("mine");
    await marquee("export", folder.database, ...args, "--force", file);
    const fresh = join(folder.path, "fresh.ndjson");
    await marquee("export", folder.database, ...args, fresh);
    expect(statSync(file).size).toBeGreaterThan(100);
    expect(readFileSync(file).equals(readFileSync(fresh))).toBe(true);
  });

  test("stays as it is when an export fails, and nothing is left beside it", async () => {
    const own = join(folder.path, "own");
    mkdirSync(own);
    const file = join(own, "file.ndjson");
    writeFileSync(file, "mine");
    const got = await marquee("export", folder.database, "--project", "nobody", "--force", file);
    expect(got).toMatchObject({ code: 1, stderr: "marquee: project nobody does not exist\n" });
    expect(readdirSync(own)).toEqual(["file.ndjson"]);
    expect(readFileSync(file, "utf8")).toBe("mine");
    const fresh = join(own, "fresh.ndjson");
    await marquee("export", folder.database, "--project", "nobody", fresh);
    expect(existsSync(fresh)).toBe(false);
  });

  test("is not written while another export writes it", async () => {
    const file = join(folder.path, "twice.ndjson");
    const args = ["--project", "sandbox", "--force", file];
    writeFileSync(`${file}.partial`, "of another");
    const got = await marquee("export", folder.database, ...args);
    expect(got.code).toBe(1);
    expect(got.stderr).toMatch(/^marquee: twice.ndjson.partial exists: another process [^\n]+\n$/);
    expect(readFileSync(`${file}.partial`, "utf8")).toBe("of another");
    rmSync(`${file}.partial`);
    expect((await marquee("export", folder.database, ...args)).code).toBe(0);
  });

  test("is replaced where a link leads", async () => {
    const [file, link] = ["target.ndjson", "link.ndjson"].map((it) => join(folder.path, it));
    writeFileSync(`${file}`, "before");
    symlinkSync(`${file}`, `${link}`);
    await marquee("export", folder.database, "--project", "sandbox", "--force", `${link}`);
    expect(lstatSync(`${link}`).isSymbolicLink()).toBe(true);
    expect(readFileSync(`${file}`, "utf8")).toMatch(/^\{"organization"/);
  });

  test("is not replaced if it is a pipe or a device, also with --force", async () => {
    const pipe = join(folder.path, "pipe");
    execFileSync("mkfifo", [pipe]);
    for (const force of [[], ["--force"]]) {
      const got = await marquee("export", folder.database, "--project", "sandbox", ...force, pipe);
      const stderr = `marquee: ${pipe} is not a regular file; - is standard output\n`;
      expect(got).toMatchObject({ code: 1, stderr });
    }
    expect(lstatSync(pipe).isFIFO()).toBe(true);
  });
});
