import { expect, test } from "vitest";
import { issueDemoCredentials } from "../../demo/credentials.ts";
import { MATCH_DAY, ORGANIZATION, WORLD_CUP } from "../../demo/ids.ts";
import { loadDemo } from "../../demo/load.ts";
import { startDemo } from "../../demo/start.ts";
import { ReleaseState } from "../../gen/svc/type/v1/release_pb.ts";
import { hashToken } from "../../src/auth/token.ts";
import { listUnderived } from "../harness/derived-rows.ts";
import { openFresh } from "../harness/fresh-store.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { importText, toText } from "../transfer/transfer.ts";

const marquee = await useMarquee();

const wrong: readonly unknown[] = [
  undefined,
  {},
  { projects: "none", accounts: "none" },
  { projects: [null, 1], accounts: { owner: 7 } },
  { projects: [{ id: "worldcup", public_key: "mqp_unknown" }], accounts: { owner: "mqa_unknown" } },
];

for (const earlier of wrong) {
  test(`an earlier file of ${JSON.stringify(earlier)} gives way to working credentials`, async () => {
    const { access } = marquee.store;
    const got = await issueDemoCredentials(marquee.store, earlier as undefined, new Date());
    const token = await access.findToken(hashToken(got.accounts.owner));
    expect(token?.account.id).toBe("account-owner");
    const key = await access.findProjectKey(hashToken(got.projects[0]?.public_key ?? ""));
    expect(key).toMatchObject({ projectId: "worldcup", kind: "public" });
  });
}

test("credentials that work are kept", async () => {
  const { store } = marquee;
  const first = await issueDemoCredentials(store, undefined, new Date());
  expect(await issueDemoCredentials(store, first, new Date())).toEqual(first);
});

test("a process that was left behind by an ended one loads the demo once", async () => {
  const { store, address, close } = await openFresh();
  await loadDemo(address, "http://localhost", {});
  const load = async () => (await store.in(ORGANIZATION).documents.release.get(MATCH_DAY)).value;
  const first = await load();
  expect(first.state).toBe(ReleaseState.SCHEDULED);
  await loadDemo(address, "http://127.0.0.1", {});
  expect(await load()).toEqual(first);
  expect(await listUnderived(address)).toEqual([]);
  await close();
});

test("there is no demo over a database that holds only its exported project", async () => {
  const { store, close } = await openFresh();
  const options = {
    // Loading would fail: there is no such folder.
    database: { engine: "sqlite", path: "/nowhere/x.db" },
    delivery: { host: "127.0.0.1", port: 1 },
    demoFile: "nowhere.json",
    demoGoals: 0,
    env: {},
  } as const;
  const lines = [
    { organization: { id: ORGANIZATION, name: "Acme" } },
    { project: { id: WORLD_CUP, organization_id: ORGANIZATION, name: "World Cup" } },
  ];
  await importText(store, toText(lines));
  expect(await startDemo(store, options)).toBeUndefined();
  await close();
});
