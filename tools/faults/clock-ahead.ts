import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createFolder } from "../../test/harness/folder.ts";
import { send } from "../../test/harness/http.ts";
import { startReceiver } from "../../test/outbox/receiver.ts";
import { createHook } from "./action.ts";
import { createDemoDatabase, type FaultDatabase } from "./database.ts";
import type { Fault } from "./fault.ts";
import { OUTBOX_FLAGS } from "./outbox-load.ts";
import { startService } from "./service.ts";
import { until } from "./until.ts";
import { RULESETS, toRuleset } from "./writers.ts";

const DAY = 24 * 3_600_000;

/** How far the clock is ahead: more than all that is kept. */
const AHEAD = 400 * DAY;

/** The changes that are made, and the runs. */
const COUNT = 60;

/** Starts a process while the clock is far ahead, and then sets the clock right. */
export const fault: Fault = {
  title: "start with a clock that is 400 days ahead",
  engines: ["sqlite", "postgres"],

  async run({ report, check }) {
    const database = await createDemoDatabase();
    const { owner: token } = database.credentials.accounts;
    const received = await startReceiver((_request, response) => response.end());
    const folder = createFolder();
    const clock = join(folder.path, "clock");
    const setClock = (shift: number) => writeFileSync(clock, `${shift}`);
    const open = () =>
      startService({
        database: database.setting,
        flags: [...OUTBOX_FLAGS, "--history-days", "30", "--run-days", "30", "--audit-days", "30"],
        nodeFlags: ["--import", new URL("shifted-clock.ts", import.meta.url).href],
        env: { FAULT_CLOCK: clock },
      });

    setClock(0);
    const first = await open();
    const hook = await createHook({ url: first.url, token }, "corner", received);
    for (let number = 0; number < COUNT; number += 1) {
      const body = toRuleset(`ahead-${number}`);
      const { status, text } = await send("POST", `${first.url}${RULESETS}`, { token, body });
      if (status !== 200) throw new Error(`not written: ${text}`);
      await hook.trigger();
    }
    await until(() => received.requests.length === COUNT, 30_000);
    await first.stop();
    const before = await count(database);
    report("changes, runs", before.join(", "));

    setClock(AHEAD);
    const second = await open();
    const saidAhead = () => /clock may be ahead/.test(second.log());
    const noticed = await until(saidAhead, 30_000);
    check("ms until the log says that the clock may be ahead", noticed, noticed < 30_000);
    // Longer than several steps of the retention.
    await until(() => false, 3_000);
    const meanwhile = await count(database);
    check("… while it is ahead", meanwhile.join(", "), `${meanwhile}` === `${before}`);
    setClock(0);
    const saidRight = () => /clock is trusted again/.test(second.log());
    const trusted = await until(saidRight, 30_000);
    check("ms until the log says that it is trusted again", trusted, trusted < 30_000);
    await until(() => false, 1_000);
    const after = await count(database);
    check("… after it is right", after.join(", "), `${after}` === `${before}`);
    check("exit code", `${await second.stop()}`, (await second.finished).code === 0);
    await received.close();
    folder.remove();
    await database.close();
  },
};

/** Counts the changes and the runs of the first project of the demo. */
async function count({ store }: FaultDatabase): Promise<readonly number[]> {
  const query = { parentIds: ["worldcup"], limit: 1_000, now: new Date() };
  const changes = await store.history.list({
    ...query,
    order: { field: "revision", direction: "desc" },
  });
  const runs = await store.actionRuns.list({
    ...query,
    order: { field: "create_time", direction: "desc" },
  });
  return [changes.values.length, runs.values.length];
}
