import { create } from "@bufbuild/protobuf";
import { expect, onTestFinished, test } from "vitest";
import { VideoProtectionRulesetSchema } from "../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { RULESET_LIMITS } from "../../src/domain/protection/prepare.ts";
import { openDatabase } from "../harness/database.ts";
import { openFresh } from "../harness/fresh-store.ts";
import { ALPHA, createSmallDataset } from "./small-dataset.ts";

const LIMITED = { reason: "RULESET_LIMIT" };
const NOBODY = () => {};

/** Opens a project with some rulesets of one size, and no others. */
async function openWith(count: number, bytes: number) {
  const { store, address, close } = await openFresh(createSmallDataset());
  onTestFinished(close);
  const database = openDatabase(address);
  onTestFinished(() => database.destroy());
  await database.deleteFrom("ruleset").execute();
  const doc = Buffer.alloc(bytes);
  const rows = Array.from({ length: count }, (_, number) => ({
    ...{ organization_id: "acme", id: `stored-${number}`, project_id: ALPHA, doc },
    ...{ create_time: 0, update_time: 0, revision: 1 },
  }));
  for (let from = 0; from < count; from += 500) {
    await database
      .insertInto("ruleset")
      .values(rows.slice(from, from + 500))
      .execute();
  }
  const { ruleset: rulesets } = store.in("acme").documents;
  const sized = (id: string, size: number) => {
    const ruleset = create(VideoProtectionRulesetSchema, { id, projectId: ALPHA, name: "" });
    const bare = `${id}${ALPHA}`.length + 4;
    // The tag and the length of a long name take four bytes.
    return size === 0 ? ruleset : { ...ruleset, name: "n".repeat(size - bare - 4) };
  };
  return { rulesets, sized };
}

test("a project has as many rulesets as are allowed, and no more", async () => {
  const { rulesets, sized } = await openWith(RULESET_LIMITS.count - 1, 0);
  await rulesets.create(sized("last", 0));
  await rulesets.update("last", ({ value }) => ({ ...value, name: "changed" }));
  await expect(rulesets.create(sized("past", 0))).rejects.toMatchObject(LIMITED);
  await rulesets.delete("last", NOBODY);
  await rulesets.create(sized("past", 0));
});

test("the rulesets of a project have as many bytes as are allowed, and no more", async () => {
  const { rulesets, sized } = await openWith(2, RULESET_LIMITS.bytes / 2 - 50_000);
  await rulesets.create(sized("large", 100_000));
  const grow = (by: string) =>
    rulesets.update("large", ({ value }) => ({ ...value, name: `${value.name}${by}` }));
  await expect(grow("n")).rejects.toMatchObject(LIMITED);
  await expect(rulesets.create(sized("past", 0))).rejects.toMatchObject(LIMITED);
  await rulesets.update("large", ({ value }) => ({ ...value, name: value.name.slice(1) }));
  await grow("n");
});
