import { connectHeaders } from "../../test/harness/calls.ts";
import { reasonOf, send } from "../../test/harness/http.ts";
import { measureCpuWait } from "./cpu-wait.ts";
import { createDemoDatabase } from "./database.ts";
import type { Fault } from "./fault.ts";
import { startPathProbe, summarize } from "./probe.ts";
import { startService } from "./service.ts";

/** Concurrent reads, as many as a process accepts. */
const READS = 200;
const MOST = 50;

/** The most characters of a filter's pattern. */
const LENGTH = 4_000;

/** The longest time of health and of a 503, in milliseconds without waits for a processor. */
const LONGEST = 1_000;

/** The paths requested at the same time. */
const PATHS = ["/healthz", "/readyz"];

const EVENTS = "/svc.studio.cms.event.v1.EventService/";

/** Sends expensive reads at once, more than the process takes. */
export const fault: Fault = {
  title: `${READS} expensive reads at once`,
  engines: ["sqlite", "postgres"],

  async run({ report, check }) {
    const database = await createDemoDatabase();
    const { owner: token } = database.credentials.accounts;
    const flags = ["--max-requests", `${MOST}`, "--cache-mib", "0"];
    const service = await startService({ database: database.setting, flags });
    const { url, pid } = service;
    const pids = [pid, process.pid];
    await createHaystacks(url, token);

    const probes = new Map(PATHS.map((path) => [path, startPathProbe(service, path)]));
    const start = performance.now();
    const reads = await Promise.all(
      Array.from({ length: READS }, async (_, number) => {
        const begin = performance.now();
        const readWait = measureCpuWait(pids);
        const got = await send("POST", `${url}${EVENTS}ListEvents`, {
          headers: connectHeaders(token),
          body: { projectId: "worldcup", filter: toFilter(number) },
        });
        const time = performance.now() - begin;
        return { got, time, ownTime: time - readWait() };
      }),
    );
    report("all responses after, in ms", Math.round(performance.now() - start));
    for (const probe of probes.values()) await probe.stop();

    const count = (status: number) => reads.filter(({ got }) => got.status === status).length;
    report("status 200, and 429 as too many of one account", `${count(200)}, ${count(429)}`);
    const rejected = reads.filter(({ got }) => reasonOf(got) === "OVERLOADED");
    check("status 503 as past --max-requests", rejected.length, rejected.length > 0);
    const others = reads.filter(
      ({ got }) => ![200, 429].includes(got.status) && reasonOf(got) !== "OVERLOADED",
    );
    const reasons = [...new Set(others.map(({ got }) => reasonOf(got) ?? got.text))].join(", ");
    check("other responses", `${others.length} ${reasons}`.trim(), others.length === 0);
    const slowest = (times: readonly number[]) => Math.round(Math.max(...times));
    const times = [rejected.map(({ time }) => time), rejected.map(({ ownTime }) => ownTime)];
    const [slowest503 = 0, slowestOwn503 = 0] = times.map(slowest);
    const figure = "slowest 503 in ms, and without waits for a processor";
    check(figure, `${slowest503}, ${slowestOwn503}`, slowestOwn503 < LONGEST);
    for (const [path, probe] of probes) {
      const responses = probe.among();
      const { slowest, slowestOwn } = summarize(responses);
      const isKept = slowestOwn < LONGEST && responses.every(({ status }) => status === 200);
      check(
        `slowest ${path} in ms, and without waits for a processor`,
        `${slowest}, ${slowestOwn}`,
        isKept,
      );
    }
    check("exit code", `${await service.stop()}`, (await service.finished).code === 0);
    await database.close();
  },
};

/** Creates events with long texts. */
async function createHaystacks(url: string, token: string): Promise<void> {
  for (let number = 0; number < 10; number += 1) {
    const fields = { hay: "a".repeat(240_000) };
    const got = await send("POST", `${url}${EVENTS}CreateEvent`, {
      headers: connectHeaders(token),
      body: { event: { projectId: "worldcup", contentType: "haystack", fields } },
    });
    if (got.status !== 200) throw new Error(`no event: ${got.text}`);
  }
}

/** Returns a filter that tries a long pattern at every place of the texts; each number's differs. */
function toFilter(number: number): string {
  const pattern = `*b${"a".repeat(LENGTH - number)}*`;
  return `content_type: haystack and fields.hay: ${pattern}`;
}
