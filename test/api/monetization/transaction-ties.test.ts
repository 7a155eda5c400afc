import { afterAll, expect, test } from "vitest";
import { createDemoDataset } from "../../../demo/dataset.ts";
import { issueDemoCredentials } from "../../../src/demo/credentials.ts";
import { startServer } from "../../../src/server.ts";
import { openFresh } from "../../harness/fresh-store.ts";
import { send } from "../../harness/http.ts";
import { loadDataset } from "../../harness/load-dataset.ts";
import { silentLog } from "../../harness/marquee.ts";

// In the demo two transactions share a moment at most, which shows too little of the order of ties.
const IN_ONE_MOMENT = 9;

const fresh = await openFresh();
const { store } = fresh;
const demo = createDemoDataset();
const records = demo.transactions.slice(0, IN_ONE_MOMENT);
const createTime = records[0]?.transaction.createTime;
if (createTime === undefined) throw new Error("the demo has no transactions");
const transactions = records.map((it) => ({
  ...it,
  transaction: { ...it.transaction, createTime },
}));
await loadDataset(store, { ...demo, transactions });
const token = (await issueDemoCredentials(store, undefined, new Date())).accounts.owner;
const server = await startServer({
  ...{ store, log: silentLog(), clock: () => new Date(), identityIssuers: [] },
  ...{ reflection: false, listen: { host: "127.0.0.1", port: 0 } },
});
afterAll(async () => {
  await server.close(1_000);
  await fresh.close();
});

for (const pageSize of [1, 2, 4, 9]) {
  test(`nine transactions of one moment come by id, in pages of ${pageSize}`, async () => {
    const ids: string[] = [];
    let pageToken = "";
    do {
      const query = `page_size=${pageSize}&page_token=${pageToken}`;
      const got = await send("GET", `${server.studioUrl}/monetization/transactions/v1?${query}`, {
        token,
      });
      expect(got.status).toBe(200);
      ids.push(...got.json.transactions.map((it: { id: string }) => it.id));
      pageToken = got.json.next_page_token;
    } while (pageToken !== "");
    expect(ids).toEqual(
      Array.from({ length: IN_ONE_MOMENT }, (_, index) => `txn-00000${index + 1}`),
    );
  });
}
