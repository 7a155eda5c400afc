import { setTimeout } from "node:timers/promises";
import { startDatabaseServer } from "./database-server.ts";
import type { Fault } from "./fault.ts";
import { OUTBOX_FLAGS, startOutboxLoad } from "./outbox-load.ts";
import { startService } from "./service.ts";

/** Kills all processes of the database again and again, while others write and actions are sent. */
export const fault: Fault = {
  title: "SIGKILL of the database under writes",
  engines: ["postgres"],

  async run(run) {
    const kills = run.isQuick ? 5 : 100;
    const server = await startDatabaseServer();
    const token = server.credentials.accounts.owner;
    const service = await startService({ database: server.setting, flags: OUTBOX_FLAGS });
    const load = await startOutboxLoad(service.url, token);
    let slowest = 0;
    for (let kill = 0; kill < kills; kill += 1) {
      const start = performance.now();
      await load.writers.acknowledge(kill === 0 ? 20 : 1);
      if (kill > 0) slowest = Math.max(slowest, performance.now() - start);
      await load.writers.acknowledge(8);
      // Any moment of the work of a transaction.
      await setTimeout(Math.random() * 200);
      await server.kill();
      await server.start();
    }
    run.report("kills", kills);
    run.report("slowest first write after a start, in ms", Math.round(slowest));
    await load.finish(run);
    run.check("exit code", `${await service.stop()}`, (await service.finished).code === 0);
    await server.close();
  },
};
