import { expect, test } from "vitest";
import { ORGANIZATION, WORLD_CUP } from "../../src/demo/ids.ts";
import { startDemo } from "../../src/demo/start.ts";
import { openFresh } from "../harness/fresh-store.ts";
import { importText, toText } from "../transfer/transfer.ts";

test("there is no demo over a database that holds only its exported project", async () => {
  const { store, close } = await openFresh();
  const load = () => expect.fail("nothing may be loaded");
  const options = { demoFile: "nowhere.json", clock: () => new Date(), load };
  const lines = [
    { organization: { id: ORGANIZATION, name: "Acme" } },
    { project: { id: WORLD_CUP, organization_id: ORGANIZATION, name: "World Cup" } },
  ];
  await importText(store, toText(lines));
  expect(await startDemo(store, options)).toBeUndefined();
  await close();
});
