import { create } from "@bufbuild/protobuf";
import { expect } from "vitest";
import { VideoProtectionRulesetSchema } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { Code } from "../../../src/domain/errors.ts";
import type { DocumentPlace } from "../../../src/storage/document-store.ts";
import type { Store } from "../../../src/storage/store.ts";
import { revisionOf } from "../../harness/revision.ts";
import { ALPHA, BETA, createSmallDataset, GAMMA } from "../small-dataset.ts";
import type { Scenario } from "./scenario.ts";

const NOT_FOUND = { code: Code.NOT_FOUND, reason: "RESOURCE_NOT_FOUND" };
const MAX = 2n ** 63n - 1n;
const INT64S = [MAX, -(2n ** 63n), 2n ** 53n + 1n, -(2n ** 53n) - 1n, 0n];

const LISTED = createSmallDataset({
  rulesets: [
    ...["\u{1f600}", "a", "é", "A"].map((id) =>
      create(VideoProtectionRulesetSchema, { id, projectId: ALPHA }),
    ),
    create(VideoProtectionRulesetSchema, { id: "g", projectId: GAMMA, name: "G", priority: MAX }),
  ],
});

/** Holds the store of video protection rulesets. */
export function rulesetContract(scenario: Scenario): void {
  const createRuleset = (store: Store, id: string, projectId = ALPHA, priority = 0n) =>
    store
      .in("acme")
      .documents.ruleset.create(
        create(VideoProtectionRulesetSchema, { id, projectId, name: id, priority }),
      );

  scenario("a new ruleset is read as it was made", createSmallDataset(), async (store) => {
    for (const [index, priority] of INT64S.entries()) {
      const made = await createRuleset(store, `r${index}`, ALPHA, priority);
      expect(made.value.priority).toBe(priority);
      expect(await store.in("acme").documents.ruleset.get(`r${index}`)).toEqual(made);
    }
  });

  scenario("flags keep absent, false and true apart", createSmallDataset(), async (store) => {
    const flags = { disallowVpnUsage: false, requireAuthentication: true };
    const ruleset = create(VideoProtectionRulesetSchema, { id: "r", projectId: ALPHA, ...flags });
    await store.in("acme").documents.ruleset.create(ruleset);
    const { value } = await store.in("acme").documents.ruleset.get("r");
    expect(value.disallowVpnUsage).toBe(false);
    expect(value.requireAuthentication).toBe(true);
    expect(value.disallowHotlinking).toBeUndefined();
  });

  scenario("a taken id is ALREADY_EXISTS and stays", createSmallDataset(), async (store) => {
    const before = await store.in("acme").documents.ruleset.get("ruleset-1");
    await expect(createRuleset(store, "ruleset-1", BETA)).rejects.toMatchObject({
      code: Code.ALREADY_EXISTS,
      reason: "ALREADY_EXISTS",
    });
    expect(await store.in("acme").documents.ruleset.get("ruleset-1")).toEqual(before);
    expect((await createRuleset(store, "Ruleset-1")).value.id).toBe("Ruleset-1");
  });

  scenario("rulesets are listed by id, those of the project alone", LISTED, async (store) => {
    await createRuleset(store, "\uff61");
    for (const [projectId, want] of [
      [ALPHA, ["A", "a", "é", "\uff61", "\u{1f600}"]],
      [GAMMA, ["g"]],
      ["Alpha", []],
      ["nowhere", []],
    ] as const) {
      expect((await store.rulesets.list(projectId)).map((it) => it.id)).toEqual(want);
    }
    expect((await store.rulesets.list(GAMMA))[0]).toEqual(LISTED.rulesets.at(-1));
  });

  scenario("a ruleset of no project is NOT_FOUND", createSmallDataset(), async (store) => {
    await expect(createRuleset(store, "r", "nowhere")).rejects.toMatchObject(NOT_FOUND);
    await expect(store.in("acme").documents.ruleset.get("r")).rejects.toMatchObject(NOT_FOUND);
  });

  scenario("rulesets are paged by id", LISTED, async (store) => {
    const ids = ["A", "a", "é", "\u{1f600}"];
    const query = { order: { field: "id", direction: "asc" }, now: new Date(0) } as const;
    const inAlpha = { ...query, parentIds: [ALPHA] };
    for (const limit of [1, 2, 3, 4, 5]) {
      const seen: string[] = [];
      let after: DocumentPlace | undefined;
      do {
        const page = await store.in("acme").documents.ruleset.list({
          ...inAlpha,
          limit,
          ...(after && { after }),
        });
        expect(page.values.length).toBeLessThanOrEqual(limit);
        seen.push(...page.values.map((it) => it.id));
        expect(page.next?.id).toBe(seen.length < ids.length ? seen.at(-1) : undefined);
        after = page.next;
      } while (after !== undefined);
      expect(seen).toEqual(ids);
    }
    const behind = await store.in("acme").documents.ruleset.list({
      ...inAlpha,
      limit: 9,
      after: { key: null, id: "b" },
    });
    expect(behind.values.map((it) => it.id)).toEqual(["é", "\u{1f600}"]);
    expect(
      await store.in("acme").documents.ruleset.list({ ...query, parentIds: ["nowhere"], limit: 9 }),
    ).toEqual({
      values: [],
    });
  });

  scenario("a changed ruleset is read as it was answered", LISTED, async (store) => {
    const before = await store.in("acme").documents.ruleset.get("a");
    const changed = await store.in("acme").documents.ruleset.update("a", ({ value }) => ({
      ...value,
      priority: MAX,
    }));
    expect(changed.value).toEqual({ ...before.value, priority: MAX });
    expect(changed.revision).not.toBe(before.revision);
    expect(await store.in("acme").documents.ruleset.get("a")).toEqual(changed);
    expect((await store.in("acme").documents.ruleset.get("A")).value.priority).toBe(0n);
  });

  scenario("a change or a check that throws leaves a ruleset alone", LISTED, async (store) => {
    const before = await store.in("acme").documents.ruleset.get("a");
    const revision = await revisionOf(store, ALPHA);
    const fault = new Error("no");
    const refuse = () => {
      throw fault;
    };
    await expect(store.in("acme").documents.ruleset.update("a", refuse)).rejects.toBe(fault);
    await expect(store.in("acme").documents.ruleset.delete("a", refuse)).rejects.toBe(fault);
    expect(await store.in("acme").documents.ruleset.get("a")).toEqual(before);
    expect(await revisionOf(store, ALPHA)).toBe(revision);
  });

  scenario("a deleted ruleset is nowhere, its project has changed", LISTED, async (store) => {
    const before = await store.in("acme").documents.ruleset.get("a");
    const revision = await revisionOf(store, ALPHA);
    const checked: unknown[] = [];
    await store.in("acme").documents.ruleset.delete("a", (current) => checked.push(current));
    expect(checked).toEqual([before]);
    expect(await revisionOf(store, ALPHA)).not.toBe(revision);
    expect(await store.access.locate("ruleset", ["a", "A"], "acme")).toHaveLength(1);
    expect((await store.rulesets.list(ALPHA)).map((it) => it.id)).not.toContain("a");
    for (const ask of [
      () => store.in("acme").documents.ruleset.get("a"),
      () => store.in("acme").documents.ruleset.update("a", ({ value }) => value),
      () => store.in("acme").documents.ruleset.delete("a", () => checked.push("again")),
    ]) {
      await expect(ask()).rejects.toMatchObject(NOT_FOUND);
    }
    expect(checked.length).toBe(1);
  });

  scenario("a revision does not come back with an id that is made again", LISTED, async (store) => {
    const seen = new Set([(await store.in("acme").documents.ruleset.get("a")).revision]);
    for (let round = 0; round < 3; round += 1) {
      await store.in("acme").documents.ruleset.delete("a", () => undefined);
      const { revision } = await createRuleset(store, "a");
      expect(seen.has(revision)).toBe(false);
      seen.add(revision);
    }
  });

  scenario("changes at once through two stores all count", LISTED, async (store, fresh) => {
    const second = await fresh.openAnother();
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        (index % 2 === 0 ? store : second)
          .in("acme")
          .documents.ruleset.update("a", ({ value }) => ({
            ...value,
            priority: value.priority + 1n,
          })),
      ),
    );
    expect((await second.in("acme").documents.ruleset.get("a")).value.priority).toBe(40n);
  });

  scenario("a video is found in its own project alone", createSmallDataset(), async (store) => {
    expect((await store.videos.get({ projectId: ALPHA, id: "video-1" })).id).toBe("video-1");
    for (const key of [
      { projectId: GAMMA, id: "video-1" },
      { projectId: ALPHA, id: "Video-1" },
      { projectId: ALPHA, id: "" },
    ]) {
      await expect(store.videos.get(key)).rejects.toMatchObject(NOT_FOUND);
    }
  });
}
