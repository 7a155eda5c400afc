import { ENGINE } from "../../test/harness/engine.ts";
import { findFreePort } from "../../test/harness/free-port.ts";
import { send } from "../../test/harness/http.ts";
import { startReceiver } from "../../test/outbox/receiver.ts";
import { createHook } from "./action.ts";
import { createDemoDatabase } from "./database.ts";
import type { Fault } from "./fault.ts";
import { OUTBOX_FLAGS } from "./outbox-load.ts";
import { startService } from "./service.ts";
import { until } from "./until.ts";
import { RULESETS, toRuleset } from "./writers.ts";

/** The longest time until the runs of a killed process are sent again after the next start, in milliseconds. */
const LONGEST = { sqlite: 5_000, postgres: 65_000 };

/** The kills: each takes a minute on PostgreSQL. */
const ROUNDS = { sqlite: 5, postgres: 2 };

/** Kills the only process while runs are sent and a write was acknowledged a moment ago, and starts it again. */
export const fault: Fault = {
  title: "SIGKILL of the only process while it sends runs",
  engines: ["sqlite", "postgres"],

  async run({ isQuick, report, check }) {
    const rounds = isQuick ? 1 : ROUNDS[ENGINE];
    const database = await createDemoDatabase();
    const { owner: token } = database.credentials.accounts;
    let isHanging = true;
    const received = await startReceiver((_request, response) => {
      if (!isHanging) response.end();
    });
    const port = await findFreePort();
    const open = () => startService({ database: database.setting, flags: OUTBOX_FLAGS, port });
    let service = await open();
    const hook = await createHook({ url: service.url, token }, "corner", received);
    const times: number[] = [];
    const names: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      isHanging = true;
      const run = await hook.trigger();
      const countSent = () =>
        received.requests.filter(({ headers }) => headers["webhook-id"] === run).length;
      await until(() => countSent() === 1, 10_000);
      const name = `killed-${round}`;
      const got = await send("POST", `${service.url}${RULESETS}?ruleset_id=${name}`, {
        ...{ token, body: toRuleset(name) },
      });
      if (got.status !== 200) throw new Error(`not written: ${got.text}`);
      names.push(name);
      process.kill(service.pid, "SIGKILL");
      await service.finished;
      isHanging = false;
      service = await open();
      times.push(await until(() => countSent() === 2, 90_000));
    }
    report("kills, each with a run that is being sent", rounds);
    const slowest = Math.max(...times);
    check(
      "ms from the start until the run is sent again",
      times.join(", "),
      slowest <= LONGEST[ENGINE],
    );
    const states = names.map(async (name) => {
      const { status } = await send("GET", `${service.url}${RULESETS}/${name}`, { token });
      return status;
    });
    const missing = (await Promise.all(states)).filter((status) => status !== 200).length;
    check("acknowledged writes missing", missing, missing === 0);
    check("exit code", `${await service.stop()}`, (await service.finished).code === 0);
    await received.close();
    await database.close();
  },
};
