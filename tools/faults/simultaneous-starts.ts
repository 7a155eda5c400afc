import { send } from "../../test/harness/http.ts";
import { createBareDatabase } from "./database.ts";
import type { Fault } from "./fault.ts";
import { startService } from "./service.ts";

/** The processes that start at the same moment. */
const STARTS = 5;

/** Starts processes on a database that does not exist yet. */
export const fault: Fault = {
  title: "five simultaneous starts on an empty database",
  engines: ["sqlite", "postgres"],

  async run({ isQuick, report, check }) {
    const rounds = isQuick ? 2 : 10;
    let started = 0;
    let differing = 0;
    let slowest = 0;
    for (let round = 0; round < rounds; round += 1) {
      const bare = await createBareDatabase();
      const database = bare.setting;
      const start = performance.now();
      const services = await Promise.allSettled(
        Array.from({ length: STARTS }, () => startService({ database })),
      );
      slowest = Math.max(slowest, performance.now() - start);
      const states = new Set<string>();
      for (const service of services) {
        if (service.status === "rejected") {
          console.error(service.reason);
          continue;
        }
        const { url, stop } = service.value;
        const { status, text } = await send("GET", `${url}/readyz`);
        // Processes that each made a key would sign with keys that the others do not know.
        const keys = await send("GET", `${url}/.well-known/jwks.json`);
        states.add(`${text}${keys.text}`);
        const isReady = status === 200 && keys.json.keys.length === 1;
        if (isReady && (await stop()) === 0) started += 1;
      }
      if (states.size !== 1) differing += 1;
      await bare.remove();
    }
    report("rounds", rounds);
    check(`processes that started, of ${rounds * STARTS}`, started, started === rounds * STARTS);
    check("rounds with different schemas or keys", differing, differing === 0);
    report("slowest round in ms", Math.round(slowest));
  },
};
