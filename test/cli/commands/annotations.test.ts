import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { timestampNow } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { SourceType } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { AnnotationTypeSchema } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_pb.ts";
import { ChangeSchema, ChangeVerb } from "../../../gen/svc/studio/cms/change/v1/change_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { openSqliteStore } from "../../../src/storage/sqlite/open.ts";
import { runCommand } from "../../harness/command.ts";
import { MARQUEE, run } from "../../harness/process.ts";
import { revisionOf } from "../../harness/revision.ts";
import { useServiceFolder } from "../../harness/test-folder.ts";

const VIDEO = "video-match-2026-104";

const folder = useServiceFolder();
const store = openSqliteStore(folder.database);
let revision: number;
beforeEach(async () => {
  revision = await revisionOf(store, "worldcup");
});
afterAll(() => store.close());

const annotations = (...args: readonly string[]) =>
  runCommand("annotations", ...args, "--database", `sqlite:${folder.database}`);
const importChapters = (cues: readonly string[], ...args: readonly string[]) => {
  writeFileSync(file("new.vtt"), ["WEBVTT", ...cues, ""].join("\n\n"));
  return annotations("import", "--video", VIDEO, ...args, file("new.vtt"));
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

describe("what is exported", () => {
  test("is unchanged when it is imported", async () => {
    const path = file("chapters.vtt");
    const out = await annotations("export", "--video", VIDEO, path);
    expect([out.code, out.stdout, out.stderr]).toEqual([0, "", ""]);
    const text = readFileSync(path, "utf8");
    for (const id of ["goal-2026-104-1", "kickoff-2026-104", "kickoff-2026-104-extra-time"]) {
      expect(text).toContain(id);
    }
    const back = await annotations("import", "--video", VIDEO, path);
    expect([back.code, back.stderr]).toEqual([0, ""]);
    expect(back.stdout).toMatch(/^imported (\d+) \(0 created, 0 updated, \1 unchanged\)\n$/);
    expect(await revisionOf(store, "worldcup")).toBe(revision);
  });

  test("through standard output, a chapter without a label titled by its type", async () => {
    const id = "untitled";
    const untitled = { ...(await get("kickoff-2026-104")), id, timerLabel: "" };
    await store.in("org-worldcup").documents.annotation.create(untitled);
    const out = await annotations("export", "--video", VIDEO);
    expect([out.code, out.stdout.split("\n")[0]]).toEqual([0, "WEBVTT"]);
    expect(out.stdout).toMatch(/\nuntitled\n\S+ --> \S+\nkickoff\n/);
    await store.in("org-worldcup").documents.annotation.delete(id, () => {});
  });

  test("a chapter is not titled by another project's type of the same id", async () => {
    const [id, typeId] = ["untitled", "type-elsewhere"];
    const untitled = { ...(await get("kickoff-2026-104")), id, typeId, timerLabel: "" };
    await store.in("org-worldcup").documents.annotation.create(untitled);
    const type = { id: typeId, projectId: "sandbox", name: "not to be shown" };
    await store
      .in("org-worldcup")
      .documents.annotation_type.create(create(AnnotationTypeSchema, type));
    const out = await annotations("export", "--video", VIDEO);
    expect([out.code, out.stdout.includes("\nuntitled\n")]).toEqual([0, true]);
    expect(out.stdout).not.toContain(type.name);
    await store.in("org-worldcup").documents.annotation_type.delete(typeId, () => {});
    await store.in("org-worldcup").documents.annotation.delete(id, () => {});
  });
});

describe("an import", () => {
  test("creates, updates and leaves alone, as a dry run says before", async () => {
    const before = await get("kickoff-2026-104");
    const exported = (await annotations("export", "--video", VIDEO)).stdout.split("\n\n");
    const kickOff = exported.find((cue) => cue.startsWith("kickoff-2026-104\n")) ?? "";
    const [, times] = kickOff.split("\n");
    const goal = exported.find((cue) => cue.startsWith("goal-2026-104-1\n")) ?? "";
    const corner = "corner-1\n00:01:15.500 --> 00:01:20.000\nCorner";
    const cues = [corner, `kickoff-2026-104\n${times}\nchanged`, goal];
    const rehearsal = await importChapters(cues, "--dry-run");
    expect(rehearsal.stdout).toBe(
      "created annotation corner-1\nupdated annotation kickoff-2026-104\n" +
        "would import 3 (1 created, 1 updated, 1 unchanged)\n",
    );
    expect(await revisionOf(store, "worldcup")).toBe(revision);

    const key = "annotation:kickoff-2026-104";
    const change = create(ChangeSchema, {
      ...{ id: "c1", projectId: "worldcup", accountId: "account-owner", time: timestampNow() },
      resources: [{ key, verb: ChangeVerb.UPDATED, paths: ["timer_label"] }],
    });
    await store.history.add({
      ...{ organizationId: "org-worldcup", revision, part: 0, joinedBy: "" },
      ...{ change, before: [undefined] },
    });
    const text = ["WEBVTT", ...cues, ""].join("\n\n");
    const done = await annotationsProcess(["import", "--video", VIDEO, "-"], text);
    expect([done.code, done.stdout]).toEqual([
      0,
      "imported 3 (1 created, 1 updated, 1 unchanged)\n",
    ]);
    expect(await get("corner-1")).toMatchObject({
      ...{ projectId: "worldcup", videoId: VIDEO, typeId: "", timerLabel: "Corner" },
      ...{ sourceType: SourceType.IMPORT, visibility: Visibility.PUBLISHED },
      offset: { seconds: 75n, nanos: 500_000_000 },
    });
    expect(await get("kickoff-2026-104")).toEqual({ ...before, timerLabel: "changed" });
    expect(await store.actionRuns.backlog()).toEqual({ pending: 0 });
    const { states } = await store.history.get("c1", "org-worldcup");
    expect(states).toEqual([{ isNewest: false, revision: expect.any(Number) }]);
  });

  const TIMES = "00:01.000 --> 00:02.000";
  const broken: readonly (readonly [what: string, cue: string, message: RegExp])[] = [
    ["another video's annotation", `goal-2022-1-1\n${TIMES}`, /line 6: id: .* another video/],
    ["an id of another form", `no id\n${TIMES}`, /line 6: id: .*must be 1 to 64/],
    ["an end before the start", "00:02.000 --> 00:01.000", /line 6: the end 00:01\.000 must/],
    ["no times", "fresh-2", /line 6: expected a cue/],
  ];
  for (const [what, cue, message] of broken) {
    for (const args of [["--dry-run"], []]) {
      test(`with ${what} in its last cue writes nothing and names the line ${args}`, async () => {
        const got = await importChapters([`fresh-1\n${TIMES}`, cue], ...args);
        expect([got.code, got.stdout]).toEqual([1, ""]);
        expect(got.stderr).toMatch(message);
        expect(await revisionOf(store, "worldcup")).toBe(revision);
        await expect(get("fresh-1")).rejects.toMatchObject({ reason: "RESOURCE_NOT_FOUND" });
      });
    }
  }

  test("into an unknown video fails", async () => {
    writeFileSync(file("empty.vtt"), "WEBVTT\n");
    const got = await annotations("import", "--video", "nothing", file("empty.vtt"));
    expect([got.code, got.stderr]).toEqual([1, "marquee: video nothing does not exist\n"]);
  });

  test("of bytes that are no UTF-8 fails", async () => {
    writeFileSync(file("latin.vtt"), Buffer.from(`WEBVTT\n\n${TIMES}\n\xe9\n`, "latin1"));
    const got = await annotations("import", "--video", VIDEO, file("latin.vtt"));
    expect([got.code, got.stderr]).toEqual([1, "marquee: the text is not UTF-8\n"]);
  });
});
