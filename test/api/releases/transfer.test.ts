import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ProjectKeyKind } from "../../../gen/svc/studio/iam/project_key/v1/project_key_pb.ts";
import { ReleaseState } from "../../../gen/svc/type/v1/release_pb.ts";
import { issueProjectKey } from "../../../src/auth/issue.ts";
import { isReleasable, KIND_NAMES, kindOf } from "../../../src/domain/kinds.ts";
import type { RecordItem } from "../../../src/domain/records/record.ts";
import type { ImportOptions } from "../../../src/storage/contract/records.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { importLines } from "../../../src/transfer/import-lines.ts";
import { readCopy } from "../../../src/transfer/project-copy.ts";
import { getUrl } from "../../harness/calls.ts";
import { ENGINE, openFresh } from "../../harness/fresh-store.ts";
import { metadataOf, reasonOf, send } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { exportText, importText, toText, WITH_RELEASES } from "../../transfer/transfer.ts";
import { idsOf } from "../delivery.ts";
import { callIam, iamMaker } from "../iam/iam.ts";
import type { JsonMessage } from "../methods.ts";
import { componentsOf } from "../pages/pages.ts";
import { DEMO, ReleaseCalls } from "./releases.ts";

const marquee = await useMarquee();
const releases = new ReleaseCalls(marquee);
const { store } = marquee;
const inProject = { project_id: DEMO.projectId, visibility: "VISIBILITY_PUBLISHED" };
const announcement = { createId: () => crypto.randomUUID(), now: new Date() };

const exportDrafts = (from: Store = store, projectId: string = DEMO.projectId) =>
  exportText(from, projectId, WITH_RELEASES);
/** Exports what has drafts, and nothing that only takes longer. */
const exportSome = (from: Store = store) =>
  exportText(from, DEMO.projectId, {
    kinds: ["organization", "project", "event", "page", "page_component", "ruleset", "release"],
  });
/** Lists the lines of releases and of their drafts. */
const listReleases = async (from: Store = store, projectId: string = DEMO.projectId) =>
  (await exportText(from, projectId, { kinds: ["release"] })).trimEnd().split("\n");
const importDrafts = (into: Store, text: string, options: ImportOptions = {}) =>
  importText(into, text, { announcement, ...options });

/** The lines of releases in a file. */
const ofReleases = (text: string) =>
  text
    .split("\n")
    .filter((line) => line.includes('"release_id":') || line.startsWith('{"release":'));

/** A draft without its time and account, which an import sets. */
async function readDrafts(from: Store, projectId: string, releaseId: string) {
  const items = await from.releaseItems.list({ organizationId: DEMO.organizationId, releaseId });
  const toState = (record: RecordItem | undefined) => record && { ...record, line: 0 };
  return items.map(({ updateTime: _, accountId: __, baseRevision: ___, base, draft, ...item }) => {
    expect(item.projectId).toBe(projectId);
    return { ...item, base: toState(base), draft: toState(draft) };
  });
}

const before = { plain: "" };
beforeAll(async () => {
  await releases.createPage("rich");
  for (const letter of "abc") await releases.createComponent("rich", letter);
  await releases.call("POST", "streaming/video_protection/v2/rulesets?ruleset_id=rules", {
    ...{ project_id: DEMO.projectId, name: "Rules" },
  });
  before.plain = await exportText(store, DEMO.projectId);
  await releases.createRelease("rich");
  await releases.createEvent("rich-new", { ...inProject, title: { en: "New" } }, "rich");
  await releases.patchEvent("match-2026-1", { title: { en: "Changed" } }, "rich");
  await releases.call("DELETE", "cms/events/v1/match-2026-2?release_id=rich&force=true");
  await releases.call("DELETE", "ott/page_components/v2/rich-b?release_id=rich");
  for (const [position, letter] of ["d", "e"].entries()) {
    await releases.createComponent("rich", letter, undefined, { releaseId: "rich", position });
  }
  await releases.reorder("rich", "deca", "rich");
  const rules = "streaming/video_protection/v2/rulesets/rules";
  await releases.patch(rules, "video_protection_ruleset", { name: "New rules" }, "rich");
  await releases.createRelease("timed");
  await releases.createEvent("timed-new", { title: { en: "Timed" } }, "timed");
  await change("timed", {
    ...{ state: ReleaseState.SCHEDULED, accountId: "account-editor" },
    applyTime: timestampFromDate(new Date(Date.now() + 3_600_000)),
  });
  await releases.createRelease("failed", { state: ReleaseState.FAILED });
  await releases.createRelease("done", { state: ReleaseState.APPLIED });
});

function change(id: string, fields: object) {
  const { release } = store.in(DEMO.organizationId).documents;
  return release.update(id, ({ value }) => ({ ...value, ...fields }));
}

const opened: { close(): Promise<void> }[] = [];
afterAll(async () => {
  for (const fresh of opened) await fresh.close();
});

async function openEmpty(): Promise<Store> {
  const fresh = await openFresh();
  opened.push(fresh);
  return fresh.store;
}

describe("an export", () => {
  test("without releases has the same bytes whether or not there are drafts", async () => {
    expect(await exportText(store, DEMO.projectId)).toBe(before.plain);
    expect(await exportDrafts()).not.toBe(before.plain);
  });

  test("with releases has each that is not applied, open, followed by its drafts", async () => {
    const text = await exportDrafts();
    expect(text.startsWith(before.plain)).toBe(true);
    const lines = ofReleases(text).map((line) => JSON.parse(line));
    expect(text.slice(before.plain.length).trimEnd().split("\n")).toHaveLength(lines.length);
    const release = { project_id: DEMO.projectId, state: "RELEASE_STATE_OPEN" };
    const named = lines.map((it) => {
      const { release_id = "", base = false, force = false, page_component_ids, ...record } = it;
      const [kind = "", value] = Object.entries(record)[0] ?? [];
      const { id } =
        (value as { page_component?: { id: string } }).page_component ?? (value as { id: string });
      return [release_id, `${kind}:${id}`, base && "base", force && "force", page_component_ids];
    });
    expect(lines[0].release).toMatchObject({ ...release, id: "failed" });
    expect(lines.at(-2)?.release).toEqual({
      ...{ ...release, id: "timed", name: "timed", conflict_policy: "CONFLICT_POLICY_REJECT" },
    });
    const order = ["rich-d", "rich-e", "rich-c", "rich-a"];
    expect(named).toEqual([
      ["", "release:failed", false, false, undefined],
      ["", "release:rich", false, false, undefined],
      ["rich", "event:match-2026-1", "base", false, undefined],
      ["rich", "event:match-2026-1", false, false, undefined],
      ["rich", "event:match-2026-2", "base", "force", undefined],
      ["rich", "event:rich-new", false, false, undefined],
      ["rich", "page:rich", "base", false, undefined],
      ["rich", "page:rich", false, false, order],
      ["rich", "page_component:rich-b", "base", false, undefined],
      ["rich", "page_component:rich-d", false, false, undefined],
      ["rich", "page_component:rich-e", false, false, undefined],
      ["rich", "ruleset:rules", "base", false, undefined],
      ["rich", "ruleset:rules", false, false, undefined],
      ["", "release:timed", false, false, undefined],
      ["timed", "event:timed-new", false, false, undefined],
    ]);
  });

  test("with releases comes out of an empty installation byte for byte, and changes nothing again", async () => {
    const other = await openEmpty();
    const text = await exportSome();
    const { byKind } = await importDrafts(other, text);
    expect([byKind.get("release")?.created, byKind.get("draft")?.created]).toEqual([3, 9]);
    expect(await exportSome(other)).toBe(text);
    const { created, updated } = await importDrafts(other, text);
    expect({ created, updated }).toEqual({ created: 0, updated: 0 });
    for (const releaseId of ["rich", "timed"]) {
      expect(await readDrafts(other, DEMO.projectId, releaseId)).toEqual(
        await readDrafts(store, DEMO.projectId, releaseId),
      );
      const { value } = await other.in(DEMO.organizationId).documents.release.get(releaseId);
      expect([value.state, value.applyTime, value.accountId]).toEqual([
        ...[ReleaseState.OPEN, undefined, ""],
      ]);
    }
    await expect(other.in(DEMO.organizationId).documents.release.get("done")).rejects.toThrow(
      "done",
    );
  });
});

describe("a copy of a project with its releases", () => {
  let key = "";
  let text = "";
  beforeAll(async () => {
    text = await exportSome();
    await importCopy(text, "copy");
    const { documents } = store.in(DEMO.organizationId);
    const kind = ProjectKeyKind.PREVIEW;
    const issued = await issueProjectKey(
      documents,
      { id: "copy-key", projectId: "copy", kind, name: "copy" },
      new Date(),
    );
    key = issued.secret;
  });

  const importCopy = async (file: string, projectId: string) => {
    const copy = await readCopy([Buffer.from(file)], projectId);
    const createSecret = () => "whsec_copy";
    return importLines(store, [Buffer.from(file)], { copy, createSecret, announcement });
  };
  const read = (procedure: string, message: JsonMessage, release = "rich~copy") =>
    send("GET", `${marquee.url}/${getUrl(`svc.cda.${procedure}`, message)}`, {
      ...{ token: key, headers: { "x-release-id": release } },
    });

  test("shows the copied resources through the copied release", async () => {
    const getEvent = async (id: string) => read("cms.event.v1.EventService/GetEvent", { id });
    expect((await getEvent("match-2026-1~copy")).json.event.title).toEqual({ en: "Changed" });
    expect((await getEvent("rich-new~copy")).json.event.title).toEqual({ en: "New" });
    expect((await getEvent("match-2026-2~copy")).status).toBe(404);
    const listed = await read("cms.event.v1.EventService/ListEvents", {
      filter: "title.en: (New or Changed)",
    });
    expect(idsOf(listed, "events").sort()).toEqual(["match-2026-1~copy", "rich-new~copy"]);
    const page = await read("ott.page.v1.PageService/GetPage", { slug: "rich" });
    expect([...componentsOf(page).keys()]).toEqual([
      "rich-d~copy",
      "rich-e~copy",
      "rich-c~copy",
      "rich-a~copy",
    ]);
  });

  test("is previewed anew when the release is deleted and imported with other drafts", async () => {
    const preview = async (en: string) => {
      const at = { update_time: "2026-01-01T00:00:00Z" };
      const release = { id: "again", project_id: "copy", name: "Again", ...at };
      const event = { id: "again-1", project_id: "copy", title: { en } };
      await importText(store, toText([{ release }, { event, release_id: "again" }]));
      const got = await read("cms.event.v1.EventService/GetEvent", { id: "again-1" }, "again");
      return got.json.event.title.en;
    };
    for (const title of ["A", "B"]) {
      expect(await preview(title)).toBe(title);
      await releases.call("DELETE", "cms/releases/v1/again");
    }
  });

  test("has the drafts of the file but for their ids", async () => {
    const copied = (await listReleases(store, "copy")).join("\n");
    const back = copied
      .replaceAll("~copy", "")
      .replaceAll('"project_id":"copy"', '"project_id":"worldcup"');
    expect(back).toBe(ofReleases(text).join("\n"));
    expect(copied).toContain('"after":"rich-d~copy"');
    expect(copied).not.toMatch(/rich-\w+(?![\w~])/);
  });

  test("is unchanged when it is repeated, and can be applied", async () => {
    const again = await importCopy(text, "copy");
    expect([again.created, again.updated]).toEqual([0, 0]);
    expect(await releases.listProblems("rich~copy")).toEqual([]);
  });
});

describe("over HTTP", () => {
  const read = (query: string, token = marquee.tokens.owner) =>
    send("GET", `${marquee.url}/cms/records/v1:read?project_id=worldcup${query}`, { token });

  test("releases are read if their kind is named, with their drafts", async () => {
    const { text } = await read("&kinds=release");
    expect(text.trimEnd().split("\n")).toEqual(await listReleases());
    expect((await read("")).text).toBe(await exportText(store, DEMO.projectId));
  });

  test("that takes the permission to get them, not only to list them", async () => {
    const make = iamMaker(callIam(marquee));
    const resource = `${DEMO.projectId}/${DEMO.projectId}/project`;
    const lister = await make.caller(["cms.releases.list"], resource);
    const got = await read("&kinds=release", lister.token);
    expect([got.status, metadataOf(got)]).toMatchObject([403, { permission: "cms.releases.get" }]);
    const gets = KIND_NAMES.filter(isReleasable).map((it) => `${kindOf(it).permissions}.get`);
    const getter = await make.caller(["cms.releases.get", ...gets], resource);
    expect((await read("&kinds=release", getter.token)).status).toBe(200);
  });

  test("releases and drafts are not written by records", async () => {
    const records = [
      { release: { id: "r", project_id: DEMO.projectId, name: "R" } },
      { event: { id: "e", title: { en: "A" } }, release_id: "rich" },
      { event: { id: "e", title: { en: "A" } }, base: true },
    ];
    for (const record of records) {
      const body = { project_id: DEMO.projectId, records: [record] };
      const got = await releases.send("POST", "cms/records/v1:write", body);
      expect([got.status, reasonOf(got)]).toEqual([400, "RECORD_KIND_INVALID"]);
    }
    expect((await releases.send("GET", "cms/events/v1/e")).status).toBe(404);
  });
});

describe("an import into a project with releases", () => {
  const release = (id: string, more: object = {}) => ({
    release: { id, project_id: DEMO.projectId, name: id, ...more },
  });
  const event = (id: string, en: string) => ({
    event: { id, project_id: DEMO.projectId, title: { en } },
  });
  const draft = (release_id: string, id: string, en: string, more: object = {}) => ({
    ...event(id, en),
    ...{ release_id, ...more },
  });
  const stateOf = async (id: string) =>
    (await store.in(DEMO.organizationId).documents.release.get(id)).value;
  const titleOf = async (releaseId: string, id: string) =>
    (await releases.getEvent(id, releaseId)).title.en;
  const write = (...lines: readonly object[]) => importDrafts(store, toText(lines));

  test("23: writes the current version below a draft: the merge decides what is a conflict", async () => {
    const created = { ...inProject, title: { en: "A" }, fields: { score: 1 } };
    const { event: current } = await releases.createEvent("below", created);
    await releases.createRelease("above");
    await releases.patchEvent("below", { title: { en: "Draft" } }, "above");
    await write({ event: { ...current, fields: { score: 2 } } });
    const shown = await releases.getEvent("below", "above");
    expect([shown.title.en, shown.fields.score]).toEqual(["Draft", 2]);
    const conflictsOf = async () =>
      (await releases.call("GET", "cms/releases/v1/above/items")).items[0].conflicts ?? [];
    expect(await conflictsOf()).toEqual([]);
    await write({ event: { ...current, title: { en: "Imported" } } });
    expect(await conflictsOf()).toMatchObject([
      { kind: "CONFLICT_KIND_PATH_CHANGED", path: "title.en", base: "A", current: "Imported" },
    ]);
    const got = await releases.apply("above");
    expect([got.status, reasonOf(got)]).toEqual([409, "RELEASE_CONFLICTS"]);
    await write({ event: current });
    await releases.applied("above");
    expect((await releases.getEvent("below")).title.en).toBe("Draft");
  });

  test("replaces drafts and fields of a release, and keeps drafts that the file lacks", async () => {
    await write(release("over"), draft("over", "over-1", "A"), draft("over", "over-2", "A"));
    const got = await write(
      ...[release("over", { name: "Renamed" }), draft("over", "over-1", "A")],
      ...[draft("over", "over-2", "B"), draft("over", "over-3", "A")],
    );
    expect(Object.fromEntries(got.byKind)).toEqual({
      release: { created: 0, updated: 1, unchanged: 0 },
      draft: { created: 1, updated: 1, unchanged: 1 },
    });
    expect((await stateOf("over")).name).toBe("Renamed");
    expect(await titleOf("over", "over-2")).toBe("B");
    await write(draft("over", "over-3", "A", { base: true, force: true }));
    await write(draft("over", "over-4", "A", { base: true }), draft("over", "over-4", "B"));
    expect(await releases.keysOf("over")).toEqual([
      ...["+event:over-1", "+event:over-2", "-event:over-3", "event:over-4"],
    ]);
    const [, , forced, paired] = await releases.itemsOf("over");
    expect([forced?.isForced, paired?.isForced, paired?.accountId]).toEqual([true, false, ""]);
  });

  test("does not schedule or apply a release, and takes no history from the file", async () => {
    await write(
      release("never", {
        ...{ state: "RELEASE_STATE_APPLIED", apply_time: "2030-01-01T00:00:00Z" },
        ...{ change_id: "c", account_id: "a", failure: { reason: "X" } },
      }),
    );
    const { state, applyTime, changeId, accountId, failure } = await stateOf("never");
    expect([state, applyTime, changeId, accountId, failure]).toEqual([
      ...[ReleaseState.OPEN, undefined, "", "", undefined],
    ]);
  });

  test("opens a failed release that it changes", async () => {
    for (const id of ["fell", "fallen"]) {
      await releases.createRelease(id, { state: ReleaseState.FAILED });
    }
    await write(draft("fell", "fell-1", "A"));
    await write(release("fallen"));
    for (const id of ["fell", "fallen"]) expect((await stateOf(id)).state).toBe(ReleaseState.OPEN);
  });

  test("keeps the change that a release takes back", async () => {
    await write(release("taker"));
    await change("taker", { revertsChangeId: "some-change" });
    await write(release("taker", { name: "B" }));
    expect(await stateOf("taker")).toMatchObject({ name: "B", revertsChangeId: "some-change" });
  });

  test.each([
    [ReleaseState.SCHEDULED, "RELEASE_SCHEDULED"],
    [ReleaseState.APPLIED, "RELEASE_STATE_FORBIDS"],
  ])("state %i: the same release stays, another is rejected: %s", async (state, reason) => {
    const id = `locked-${state}`;
    const same = [
      release(id, { conflict_policy: "CONFLICT_POLICY_REJECT" }),
      ...(state === ReleaseState.SCHEDULED ? [draft(id, `${id}-1`, "A")] : []),
    ];
    await write(...same);
    await change(id, { state });
    const { unchanged } = await write(...same);
    expect([unchanged, (await stateOf(id)).state]).toEqual([same.length, state]);
    for (const lines of [[release(id, { name: "B" })], [draft(id, `${id}-2`, "B")]]) {
      await expect(write(event("half", "A"), ...lines)).rejects.toMatchObject({
        ...{ reason, message: expect.stringMatching(/^line 2: release locked-/) },
      });
    }
    expect((await releases.send("GET", "cms/events/v1/half")).status).toBe(404);
  });

  test("takes the draft of a component that leaves out its page, as an undo writes it", async () => {
    const text = { text: { body: "changed" } };
    await releases.patch("ott/page_components/v2/rich-c", "page_component_update", text);
    const changes = await releases.listChanges("page_component:rich-c");
    await releases.createRelease("undone");
    const body = { release_id: "undone" };
    await releases.call("POST", `cms/changes/v1/${changes[0].id}:revert`, body);
    const lines = (await listReleases()).filter((it) => it.includes('"undone"'));
    expect(lines.filter((it) => it.startsWith('{"page_component":'))).toHaveLength(2);
    const { created, updated } = await write(...lines.map((it) => JSON.parse(it)));
    expect([created, updated]).toEqual([0, 0]);
  });

  test("a dry run reports releases and drafts, and writes nothing", async () => {
    const told: string[] = [];
    const before = await listReleases();
    await importDrafts(store, toText([release("dry"), draft("dry", "dry-1", "A")]), {
      isDryRun: true,
      onRecord: ({ kind, id, line }, outcome) => told.push(`${line} ${outcome} ${kind} ${id}`),
    });
    expect(told).toEqual(["1 created release dry", "2 created draft dry/event:dry-1"]);
    expect(await listReleases()).toEqual(before);
  });

  test.each<[string, object, RegExp]>([
    ["of no release", draft("", "x", "A"), /line 2: release_id: is required/],
    ["without a release", { ...event("x", "A"), base: true }, /line 2: release_id: is required/],
    ["of an unknown release", draft("nope", "x", "A"), /line 2: release nope does not exist/],
    ["of a release elsewhere", draft("elsewhere", "x", "A"), /line 2: release elsewhere does not/],
    [
      "of a kind without drafts",
      { video: { id: "v", project_id: DEMO.projectId }, release_id: "bad" },
      /line 2: video: releases cannot contain drafts of this kind/,
    ],
    ["that is no resource", { release_id: "bad" }, /line 2: must have exactly one key of/],
    [
      "of two resources",
      { ...draft("bad", "x", "A"), page: { id: "p" } },
      /line 2: must have exactly one key of/,
    ],
    ["with an invalid field", draft("bad", "x", "A", { base: 1 }), /line 2: base: /],
    [
      "that a release rejects",
      { page: { id: "p", project_id: DEMO.projectId }, release_id: "bad" },
      /line 2: page\.slug: /,
    ],
    [
      "of another project",
      { event: { id: "x", project_id: "sandbox" }, release_id: "bad" },
      /line 2: release bad does not exist/,
    ],
    [
      "whose base is of another project",
      [
        { event: { id: "x", project_id: "sandbox" }, release_id: "bad", base: true },
        draft("bad", "x", "A"),
      ],
      /line 2: release bad does not exist/,
    ],
  ])("a draft %s is rejected with its line, and nothing is written", async (_, line, want) => {
    await write({ release: { id: "elsewhere", project_id: "sandbox", name: "E" } });
    await expect(async () => write(release("bad"), ...[line].flat())).rejects.toThrow(want);
    await expect(stateOf("bad")).rejects.toThrow("bad");
  });

  // The contract of the store holds these limits on both engines.
  test.runIf(ENGINE === "sqlite")(
    "a release has 500 drafts and 16 MiB at most, a project 1,000 releases",
    async () => {
      const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);
      const drafts = (id: string, count: number) =>
        numbers(count).map((at) => draft(id, `${id}-${at}`, "A"));
      await write(release("most"), ...drafts("most", 500));
      const tooMany = write(release("more"), ...drafts("more", 501));
      await expect(tooMany).rejects.toMatchObject({
        ...{
          reason: "RELEASE_ITEM_LIMIT",
          message: expect.stringMatching(/^line 502: release more/),
        },
      });
      const text = "x".repeat(65_000);
      const big = (id: string, at: number) =>
        draft(id, `${id}-${at}`, "A", {
          event: {
            ...event(`${id}-${at}`, "A").event,
            description: Object.fromEntries(["de", "en", "es"].map((it) => [it, text])),
          },
        });
      // 86 of them have less than 16 MiB.
      const tooLarge = write(release("larger"), ...numbers(87).map((at) => big("larger", at)));
      await expect(tooLarge).rejects.toMatchObject({
        ...{
          reason: "RELEASE_ITEM_LIMIT",
          message: expect.stringMatching(/^line 88: release larger/),
        },
      });
      const { length } = (await listReleases()).filter((it) => it.startsWith('{"release":'));
      const left = 1_000 - length;
      const fill = numbers(left + 1).map((at) => release(`fill-${at}`));
      await expect(write(...fill)).rejects.toMatchObject({ reason: "RELEASE_LIMIT" });
      await write(...fill.slice(1));
      await write(...fill.slice(1));
      await expect(write(release("one-more"))).rejects.toMatchObject({ reason: "RELEASE_LIMIT" });
      for (const id of ["more", "larger", "one-more"])
        await expect(stateOf(id)).rejects.toThrow(id);
    },
  );
});
