import { afterAll, expect, test } from "vitest";
import { ProjectKeys } from "../../src/api/steps/authenticate.ts";
import { createToken, hashToken } from "../../src/auth/token.ts";
import { openFresh } from "../harness/fresh-store.ts";
import { override } from "../harness/override.ts";
import { keepProjectKey } from "../storage/project-key.ts";
import { createEndlessBudget } from "../storage/slow-budget.ts";
import { ALPHA, createSmallDataset } from "../storage/small-dataset.ts";

const { store, openAnother, close } = await openFresh(createSmallDataset());
afterAll(close);

test("a key is looked up once however often content changes, and again when a key changes", async () => {
  const token = createToken("public");
  await keepProjectKey(store, ALPHA, "public", hashToken(token));
  const other = await openAnother();
  let lookUps = 0;
  const access = override(store.access, {
    findProjectKey(hash) {
      lookUps += 1;
      return store.access.findProjectKey(hash);
    },
  });
  const keys = new ProjectKeys(override(store, { access }));
  const key = await keys.find(token);
  expect(key).toMatchObject({ projectId: ALPHA, revision: store.knownRevision(ALPHA) });
  for (const each of [store, other]) {
    await each.in("acme").documents.video.touch("video-1", ({ value }) => value);
    await store.catchUp();
    expect(await keys.find(token)).toEqual({ ...key, revision: store.knownRevision(ALPHA) });
  }
  expect(lookUps).toBe(1);

  await keepProjectKey(other, ALPHA, "public", hashToken(createToken("public")));
  await store.catchUp();
  await keys.find(token);
  expect(lookUps).toBe(2);

  const { values } = await other.in("acme").documents.project_key.list({
    parentIds: [ALPHA],
    order: { field: "id", direction: "asc" },
    limit: 10,
    now: new Date(0),
    budget: createEndlessBudget(),
  });
  for (const { id } of values) await other.in("acme").documents.project_key.delete(id, () => {});
  await store.catchUp();
  expect(await keys.find(token)).toBeUndefined();
});

test("a key that is deleted while its revision is looked up is not valid at that revision", async () => {
  const key = { projectId: ALPHA, organizationId: "acme", kind: "public", revision: 1 } as const;
  let version = 1;
  const found = [key, undefined];
  const keys = new ProjectKeys({
    // SQLite looks for changes at any of the two.
    knownRevision() {
      version += 1;
      return 2;
    },
    accessVersion: () => version,
    access: { findProjectKey: async () => found.shift() },
  });
  expect(await keys.find("mqp_key")).toEqual(key);
  expect(await keys.find("mqp_key")).toBeUndefined();
});
