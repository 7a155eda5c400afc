import { describe, expect, test } from "vitest";
import { ConflictPolicy } from "../../../gen/svc/type/v1/release_pb.ts";
import { reasonOf } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { DEMO, ReleaseCalls } from "./releases.ts";

const marquee = await useMarquee();
const calls = new ReleaseCalls(marquee);
const inProject = { project_id: DEMO.projectId };
const WINS = { conflictPolicy: ConflictPolicy.RELEASE_WINS };

const check = (id: string) => calls.send("POST", `cms/releases/v1/${id}:check`, {});

describe("the check of a release lists", () => {
  test("no quota that is reached only while its drafts are counted twice", async () => {
    const id = await calls.createRelease("ck-quota", WINS);
    await calls.createEvent("ck-large", { fields: { text: "x".repeat(100_000) } }, id);
    const { project } = await calls.call("GET", `iam/projects/v1/${DEMO.projectId}`);
    const setBytes = (bytes: number) =>
      calls.patch(`iam/projects/v1/${DEMO.projectId}`, "project", {
        quotas: { bytes: String(bytes) },
      });
    await setBytes(Number(project.usage.bytes) + 20_000);
    expect(await calls.listProblems(id)).toEqual([]);
    await setBytes(Number(project.usage.bytes) - 50_000);
    expect(await calls.listProblems(id)).toEqual(["event:ck-large QUOTA_EXCEEDED"]);
    await setBytes(0);
  });

  test("at most 100 problems, also of conflicts and writes together", async () => {
    const id = await calls.createRelease("ck-most");
    const names = Array.from({ length: 99 }, (_, n) => `ck-most-${n}`);
    for (const name of names) await calls.createEvent(name, {}, id);
    const records = names.map((name) => ({ event: { id: name, content_type: "live" } }));
    await calls.call("POST", "cms/records/v1:write", { ...inProject, records });
    expect(await calls.listProblems(id)).toHaveLength(99);
    await calls.createPage("ck-most-page");
    const drafts = { p: "ck-most-page-2", q: "ck-most-page-3" };
    for (const [name, slug] of Object.entries(drafts)) {
      await calls.createPage(`ck-most-${name}`, { slug, releaseId: id });
    }
    for (const slug of Object.values(drafts)) await calls.createPage(slug);
    expect(await calls.listProblems(id)).toHaveLength(100);
  });

  test("no order of a page that names components which the release creates and does not have", async () => {
    await calls.createPage("ck-order");
    for (const name of "ab") await calls.createComponent("ck-order", name);
    const releaseId = await calls.createRelease("ck-order-release");
    await calls.createComponent("ck-order", "c", undefined, { releaseId });
    await calls.reorder("ck-order", "acb", releaseId);
    await calls.applied(releaseId);
    expect(await calls.orderOf("ck-order")).toBe("acb");
  });

  test("no deletion of resources that refer to each other: referrers are deleted first", async () => {
    await calls.call("POST", "cms/entities/v1?entity_id=ck-team", {
      ...{ ...inProject, content_type: "team" },
    });
    await calls.createEvent("ck-match", { entity_ids: ["ck-team"] });
    await calls.call("POST", "streaming/video_protection/v2/rulesets?ruleset_id=ck-rules", {
      ...{ ...inProject, name: "R", target: { event_ids: ["ck-match"] } },
    });
    const id = await calls.createRelease("ck-deletes", WINS);
    for (const path of [
      "cms/entities/v1/ck-team",
      "cms/events/v1/ck-match",
      "streaming/video_protection/v2/rulesets/ck-rules",
    ]) {
      await calls.call("DELETE", `${path}?release_id=${id}`);
    }
    expect(await calls.listProblems(id)).toEqual([]);
    await calls.applied(id);
  });
});

describe("a check", () => {
  test("waits for no other one of its organization: the second is rejected", async () => {
    const id = await calls.createRelease("ck-one", WINS);
    await calls.createEvent("ck-one-e", {}, id);
    let begin = () => {};
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    // A write of the organization makes the first check wait.
    const writing = marquee.store.transaction(DEMO, async () => {
      begin();
      await held;
    });
    await begun;
    const checks = [check(id), check(id)];
    const rejected = await Promise.race(checks);
    expect([rejected.status, reasonOf(rejected)]).toEqual([429, "RELEASE_CHECK_LIMIT"]);
    expect(rejected.headers.get("retry-after")).toBe("1");
    release();
    await writing;
    const got = await Promise.all(checks);
    expect(got.map(({ status }) => status).sort()).toEqual([200, 429]);
    expect((await check(id)).status).toBe(200);
  });

  test("needs the permission to update the release", async () => {
    const id = await calls.createRelease("ck-role", WINS);
    for (const [role, status] of [
      ["viewer", 403],
      ["author", 200],
    ] as const) {
      const token = await calls.createToken(`ck-${role}`, role);
      const headers = { authorization: `Bearer ${token}` };
      const got = await calls.send("POST", `cms/releases/v1/${id}:check`, {}, headers);
      expect([role, got.status]).toEqual([role, status]);
    }
  });
});
