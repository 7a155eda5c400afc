import { expect, test } from "vitest";
import { createRandom } from "../../../demo/data/random.ts";
import { chance, pick } from "../../../tools/fuzz/values.ts";
import { listUnderived } from "../../harness/derived-rows.ts";
import { type HttpResponse, reasonOf } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { SingleCalls } from "../write-ways/ways.ts";
import { World } from "../write-ways/world.ts";
import { makeWrite } from "../write-ways/writes.ts";

const SEED = 11;
const STEPS = 120;
/** The steps after which what is stored is compared with the documents. */
const COMPARED = 30;

let now = Date.parse("2026-07-01T00:00:00Z");
const { store, url, address } = await useMarquee({ clock: () => new Date(now) });

test("any change that is taken back, and back again, leaves what was there", async () => {
  const world = await World.create(0, store, url, new Date(now));
  const current = new SingleCalls(world);
  const random = createRandom(SEED);
  const windows = createRandom(SEED);
  const succeeded = new Map<string, number>();
  let releases: readonly string[] = [];

  const note = (step: string, got: HttpResponse): boolean => {
    expect(got.status, got.text).toBeLessThan(500);
    if (got.status === 200) succeeded.set(step, (succeeded.get(step) ?? 0) + 1);
    return got.status === 200;
  };
  const listChanges = async (): Promise<readonly { readonly id: string }[]> =>
    (await world.call("GET", `cms/changes/v1?project_id=${world.projectId}&page_size=200`)).json
      .changes;
  const revert = (id: string, body: object = {}) =>
    world.call("POST", `cms/changes/v1/${id}:revert`, body);

  const steps: Readonly<Record<string, () => Promise<unknown>>> = {
    async write() {
      note("write", await current.call(await makeWrite(random, windows, world)));
    },
    async create() {
      const id = `r-${succeeded.get("create") ?? 0}`;
      const release = { project_id: world.projectId, name: id };
      const got = await world.call("POST", `cms/releases/v1?release_id=${id}`, release);
      if (note("create", got)) releases = [...releases, id];
    },
    async draft() {
      const drafts = new SingleCalls(world, { release_id: pick(random, releases) });
      note("draft", await drafts.call(await makeWrite(random, windows, world)));
    },
    async apply() {
      const id = pick(random, releases);
      const { problems } = (await world.call("POST", `cms/releases/v1/${id}:check`, {})).json;
      const before = await world.export();
      const got = await world.call("POST", `cms/releases/v1/${id}:apply`, {});
      expect([note("apply", got), got.text]).toEqual([problems.length === 0, got.text]);
      if (got.status !== 200) {
        expect(await world.export()).toEqual(before);
        await world.call("DELETE", `cms/releases/v1/${id}`);
      }
      releases = releases.filter((it) => it !== id);
    },
    async revertDraft() {
      const { id } = pick(random, await listChanges());
      const before = await world.export();
      note("revertDraft", await revert(id, { release_id: pick(random, releases) }));
      expect(await world.export()).toEqual(before);
    },
    async revert() {
      const changes = await listChanges();
      const { id } = pick(random, chance(random, 50) ? changes.slice(0, 5) : changes);
      const before = await world.export();
      const got = await revert(id);
      const isReverted = note("revert", got) && got.json.resources.length > 0;
      if (!isReverted) {
        expect(await world.export()).toEqual(before);
        return;
      }
      if (chance(random, 30)) return;
      const [newest] = await listChanges();
      now += 1_000;
      const again = await revert(newest?.id ?? "");
      // What was deleted by force is deleted again by force alone.
      if (reasonOf(again) === "STILL_REFERRED_TO") return;
      expect([note("again", again), again.text]).toEqual([true, again.text]);
      expect(await world.export()).toEqual(before);
    },
  };

  for (let count = 1; count <= STEPS; count += 1) {
    // Some writes of one resource are one change, others are not.
    now += pick(random, [1_000, 70_000]);
    const hasReleases = releases.length > 0 ? 1 : 0;
    const { step } = random.weighted([
      { step: "write", weight: 50 },
      { step: "create", weight: releases.length < 2 ? 10 : 1 },
      { step: "draft", weight: 20 * hasReleases },
      { step: "apply", weight: 4 * hasReleases },
      { step: "revertDraft", weight: succeeded.has("write") ? 8 * hasReleases : 0 },
      { step: "revert", weight: succeeded.has("write") ? 25 : 0 },
    ]);
    await steps[step]?.();
    if (count % COMPARED === 0) expect(await listUnderived(address)).toEqual([]);
  }
  expect([...succeeded.keys()].sort()).toEqual([...Object.keys(steps), "again"].sort());
});
