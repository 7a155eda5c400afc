import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { SourceType } from "../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { AnnotationTypeSchema } from "../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_pb.ts";
import { Visibility } from "../../gen/svc/type/v1/visibility_pb.ts";
import { parseCommandLine } from "../../src/cli/program.ts";
import { openSqliteStore } from "../../src/storage/sqlite/open.ts";
import type { Store } from "../../src/storage/store.ts";
import { runCommand } from "../harness/command.ts";
import { MARQUEE, run } from "../harness/process.ts";
import { revisionOf } from "../harness/revision.ts";
import { makeFolder, type ServiceFolder } from "../harness/service-process.ts";

const VIDEO = "video-match-2026-104";

let folder: ServiceFolder;
let store: Store;
let revision: number;
beforeAll(() => {
  folder = makeFolder();
  store = openSqliteStore(folder.database);
});
beforeEach(async () => {
  revision = await revisionOf(store, "worldcup");
});
afterAll(async () => {
  await store.close();
  folder.remove();
});

const annotations = (...args: readonly string[]) =>
  runCommand("annotations", ...args, "--database", `sqlite:${folder.database}`);
const importCsv = (text: string, ...args: readonly string[]) => {
  writeFileSync(file("rows.csv"), text);
  return annotations("import", "--video", VIDEO, ...args, file("rows.csv"));
};
/** Runs the command in a process of its own. */
const annotationsProcess = (args: readonly string[], stdin = "") =>
  run(
    MARQUEE.program,
    MARQUEE.args("annotations", ...args, "--database", `sqlite:${folder.database}`),
    { stdin },
  );
const file = (name: string) => join(folder.path, name);
const get = async (id: string) =>
  (await store.in("org-worldcup").documents.annotation.get(id)).value;

describe("what goes out comes in unchanged", () => {
  for (const name of ["chapters.vtt", "goals.CSV"]) {
    test(name, async () => {
      const out = await annotations("export", "--video", VIDEO, file(name));
      expect([out.code, out.stdout, out.stderr]).toEqual([0, "", ""]);
      const text = readFileSync(file(name), "utf8");
      for (const id of ["goal-2026-104-1", "kickoff-2026-104", "kickoff-2026-104-extra-time"]) {
        expect(text).toContain(id);
      }
      const back = await annotations("import", "--video", VIDEO, file(name));
      expect([back.code, back.stderr]).toEqual([0, ""]);
      expect(back.stdout).toMatch(/^imported (\d+) \(0 created, 0 updated, \1 unchanged\)\n$/);
      expect(await revisionOf(store, "worldcup")).toBe(revision);
    });
  }

  test("through standard output, a chapter without a label titled by its type", async () => {
    const id = "untitled";
    const untitled = { ...(await get("kickoff-2026-104")), id, timerLabel: "" };
    await store.in("org-worldcup").documents.annotation.create(untitled);
    const out = await annotationsProcess(["export", "--video", VIDEO, "--format", "vtt"]);
    expect([out.code, out.stdout.split("\n")[0]]).toEqual([0, "WEBVTT"]);
    expect(out.stdout).toMatch(/\nuntitled\n\S+ --> \S+\nkickoff\n/);
    await store.in("org-worldcup").documents.annotation.delete(id, () => {});
  });

  test("a chapter is not titled by another project's type of the same id", async () => {
    const [id, typeId] = ["untitled", "type-elsewhere"];
    const untitled = { ...(await get("kickoff-2026-104")), id, typeId, timerLabel: "" };
    await store.in("org-worldcup").documents.annotation.create(untitled);
    const type = { id: typeId, projectId: "sandbox", name: "not to be told" };
    await store
      .in("org-worldcup")
      .documents.annotation_type.create(create(AnnotationTypeSchema, type));
    const out = await annotations("export", "--video", VIDEO, "--format", "vtt");
    expect([out.code, out.stdout.includes("\nuntitled\n")]).toEqual([0, true]);
    expect(out.stdout).not.toContain(type.name);
    await store.in("org-worldcup").documents.annotation_type.delete(typeId, () => {});
    await store.in("org-worldcup").documents.annotation.delete(id, () => {});
  });
});

describe("an import", () => {
  test("creates, updates and leaves alone, as a dry run says before", async () => {
    const [same] = (await annotations("export", "--video", VIDEO, "--format", "csv")).stdout.split(
      "\n",
    );
    expect(same).toContain("id,type_id,offset");
    const text = [
      "id,type_id,offset,timer_label",
      "corner-1,type-goal,00:01:15.5,2",
      "kickoff-2026-104,type-kickoff,1s,changed",
      "",
    ].join("\n");
    const rehearsal = await importCsv(text, "--dry-run");
    expect(rehearsal.stdout).toBe(
      "created annotation corner-1\nupdated annotation kickoff-2026-104\n" +
        "would import 2 (1 created, 1 updated, 0 unchanged)\n",
    );
    expect(await revisionOf(store, "worldcup")).toBe(revision);

    const done = await annotationsProcess(
      ["import", "--video", VIDEO, "--format", "csv", "-"],
      text,
    );
    expect([done.code, done.stdout]).toEqual([
      0,
      "imported 2 (1 created, 1 updated, 0 unchanged)\n",
    ]);
    expect(await get("corner-1")).toMatchObject({
      ...{ projectId: "worldcup", videoId: VIDEO, typeId: "type-goal", timerLabel: "2" },
      ...{ sourceType: SourceType.IMPORT, visibility: Visibility.PUBLISHED },
      offset: { seconds: 75n, nanos: 500_000_000 },
    });
    expect(await get("kickoff-2026-104")).toMatchObject({
      ...{ timerLabel: "changed", sourceType: SourceType.MANUAL, confidence: 0, entityIds: [] },
    });
    // The type of the new one names actions.
    expect(await store.actionRuns.backlog()).toEqual({ pending: 0 });
    const runs = await store.actionRuns.list({
      ...{ parentIds: ["worldcup"], limit: 10, now: new Date() },
      order: { field: "id", direction: "asc" },
    });
    expect(runs.values).toEqual([]);
  });

  const broken: readonly (readonly [what: string, row: string, message: RegExp])[] = [
    ["another video's annotation", "goal-2022-1-1,,1s", /line 3: id: .* another video/],
    ["an id of another form", "no id,,1s", /line 3: id: .*must be 1 to 64/],
    ["an unknown type", "fresh-2,type-nothing,1s", /line 3: type_id: the project has no/],
    ["a negative offset", "fresh-2,,-1s", /line 3: /],
    ["a column too many", "fresh-2,,1s,x", /line 3: expected 3 values as in the header, got 4/],
  ];
  for (const [what, row, message] of broken) {
    test(`with ${what} in its last line writes nothing and names the line`, async () => {
      const got = await importCsv(`id,type_id,offset\nfresh-1,,1s\n${row}\n`);
      expect([got.code, got.stdout]).toEqual([1, ""]);
      expect(got.stderr).toMatch(message);
      expect(await revisionOf(store, "worldcup")).toBe(revision);
      await expect(get("fresh-1")).rejects.toMatchObject({ reason: "RESOURCE_NOT_FOUND" });
    });
  }

  test("into an unknown video fails", async () => {
    const got = await annotationsProcess(
      ["import", "--video", "nothing", "--format", "csv", "-"],
      "id\n",
    );
    expect([got.code, got.stderr]).toEqual([1, "marquee: video nothing does not exist\n"]);
  });

  test("of bytes that are no UTF-8 fails", async () => {
    writeFileSync(file("latin.csv"), Buffer.from("id,timer_label\na,\xe9\n", "latin1"));
    const got = await annotations("import", "--video", VIDEO, file("latin.csv"));
    expect([got.code, got.stderr]).toEqual([1, "marquee: the text is not UTF-8\n"]);
  });
});

describe("a command line that cannot be understood is refused", () => {
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [[], /annotations takes a command; see 'marquee annotations --help'/],
    [["print"], /unknown command 'print'/],
    [["export"], /--video ID is required/],
    [["export", "--video", VIDEO], /set --format to vtt or csv/],
    [["export", "--video", VIDEO, "x.txt"], /set --format to vtt or csv/],
    [["export", "--video", VIDEO, "--format", "srt"], /--format takes vtt or csv, not 'srt'/],
    [["import", "--video", VIDEO], /missing required argument 'file'/],
    [["import", "--video", VIDEO, "a.csv", "b.csv"], /unexpected argument 'b.csv'/],
  ];
  for (const [args, message] of cases) {
    test(args.join(" ") || "nothing", () => {
      expect(() => parseCommandLine(["annotations", ...args], {})).toThrow(message);
    });
  }

  test("with 2", async () => {
    const got = await annotationsProcess(["print"]);
    expect([got.code, got.stderr]).toEqual([2, "marquee: unknown command 'print'\n"]);
  });
});
