import { randomUUID } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ActionRunState } from "../../gen/svc/studio/annotations/action_run/v1/action_run_pb.ts";
import { ProjectSchema } from "../../gen/svc/studio/iam/project/v1/project_pb.ts";
import { createResolveName } from "../../src/network/resolve-name.ts";
import { createSender } from "../../src/outbox/send.ts";
import { ActionWorker } from "../../src/outbox/worker.ts";
import { type FreshStore, openFresh } from "../harness/fresh-store.ts";
import { silentLog } from "../harness/marquee.ts";
import { type NameServer, startNameServer } from "../harness/name-server.ts";
import { ALPHA, BETA, createSmallDataset, GAMMA } from "../storage/small-dataset.ts";
import { createDueRun, createWebhook } from "./outbox.ts";
import { type Receiver, startReceiver } from "./receiver.ts";

const START = new Date("2026-07-19T19:00:00Z");

let fresh: FreshStore;
let tarpit: Receiver;
let quick: Receiver;
let names: NameServer;
let worker: ActionWorker | undefined;
beforeEach(async () => {
  fresh = await openFresh(createSmallDataset());
  tarpit = await startReceiver(() => {});
  quick = await startReceiver((_request, response) => response.end());
  names = await startNameServer((name) =>
    name.startsWith("nobody") ? "swallow" : { addresses: ["127.0.0.1"] },
  );
});
afterEach(async () => {
  await worker?.close(0);
  for (const receiver of [tarpit, quick]) await receiver.close();
  names.close();
  await fresh.close();
});

/** An address of the tarpit under a name of its own. */
const at = (host: string) => `http://${host}.example:${tarpit.port}/`;

/** Makes runs of as many actions as there are addresses, in turn; all are due before the victim's. */
async function attack(projectId: string, urls: readonly string[], count: number): Promise<void> {
  const actions = [];
  for (const [n, url] of urls.entries()) {
    actions.push(await createWebhook(fresh.store, `${projectId}-${n}`, url, projectId));
  }
  for (let n = 0; n < count; n += 1) {
    const action = actions[n % actions.length];
    if (action !== undefined) await createDueRun(fresh.store, action, START);
  }
}

async function makeProjects(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, n) => `hostile-${n}`);
  for (const id of ids) {
    const project = create(ProjectSchema, { id, organizationId: "acme" });
    await fresh.store.in("acme").documents.project.create(project);
  }
  return ids;
}

const hosts = (count: number, name = "h") =>
  Array.from({ length: count }, (_, n) => at(`${name}-${n}`));

test.each<[string, () => Promise<unknown>, victim: string]>([
  ["200 runs of another tenant", () => attack(ALPHA, [at("h")], 200), GAMMA],
  ["200 runs of another project of the own tenant", () => attack(ALPHA, [at("h")], 200), BETA],
  ["200 runs of the own project to another host", () => attack(ALPHA, [at("h")], 200), ALPHA],
  ["one project with 50 hosts", () => attack(ALPHA, hosts(50), 200), GAMMA],
  ["one project of the own tenant with 50 hosts", () => attack(ALPHA, hosts(50), 200), BETA],
  [
    "40 projects of a tenant to one host",
    async () => {
      for (const id of await makeProjects(40)) await attack(id, [at("h")], 5);
    },
    GAMMA,
  ],
  [
    "40 projects of a tenant to 40 hosts",
    async () => {
      for (const [n, id] of (await makeProjects(40)).entries()) await attack(id, [at(`h-${n}`)], 5);
    },
    GAMMA,
  ],
  [
    "20 webhooks each of two projects to names",
    async () => {
      await attack(ALPHA, hosts(20, "nobody"), 100);
      await attack(BETA, hosts(20, "nobody"), 100);
    },
    GAMMA,
  ],
  ["one webhook of the own project to a name", () => attack(GAMMA, hosts(1, "nobody"), 100), GAMMA],
  [
    "40 projects of a tenant to the host of the victim",
    async () => {
      for (const id of await makeProjects(40)) await attack(id, [at("quick")], 5);
    },
    GAMMA,
  ],
])("%s without a response keep no webhook waiting", async (_what, run, victim) => {
  await run();
  const runs = fresh.store.in(victim === GAMMA ? "other" : "acme").runAdmin;
  const action = await createWebhook(
    fresh.store,
    "victim",
    `http://quick.example:${quick.port}/`,
    victim,
  );
  worker = new ActionWorker({
    retention: { step: async () => 1_000 },
    releases: { step: async () => 1_000, close: async () => {} },
    runs: fresh.store.actionRuns,
    sender: createSender({
      ...{ allowPrivateTargets: true, timeout: 60_000 },
      resolve: createResolveName({ servers: [names.address], resolverFile: "" }),
    }),
    ...{ clock: () => new Date(START.getTime() + 1_000), createId: randomUUID },
    ...{ random: () => 0, log: silentLog() },
  });
  // The attack holds all that it can get before the victim's runs are made.
  let before = -1;
  const countHeld = () => tarpit.requests.length + names.asked.size;
  while (countHeld() > before || before < 1) {
    before = countHeld();
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
  for (let n = 0; n < 5; n += 1) {
    const { id } = await createDueRun(fresh.store, action, START);
    worker.wake();
    const state = async () => (await runs.get(id)).value.state;
    // Less than the time limit of a name, and much less than that of sending.
    await expect.poll(state, { interval: 5, timeout: 4_000 }).toBe(ActionRunState.SUCCEEDED);
  }
  expect(quick.requests).toHaveLength(5);
});
