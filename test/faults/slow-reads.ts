import { connectHeaders } from "../harness/calls.ts";
import { reasonOf, send } from "../harness/http.ts";
import { createDemoDatabase } from "./database.ts";
import type { Fault } from "./fault.ts";
import { startPathProbe, summarize } from "./probe.ts";
import { startService } from "./service.ts";

/** Reads at the same time, of which a process takes this many. */
const READS = 200;
const MOST = 50;

/** The most characters of a filter's pattern. */
const LENGTH = 4_000;

/** What is asked for meanwhile. */
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
    const { url } = service;
    await createHaystacks(url, token);

    const probes = new Map(PATHS.map((path) => [path, startPathProbe(url, path)]));
    const start = performance.now();
    const reads = await Promise.all(
      Array.from({ length: READS }, async (_, number) => {
        const begin = performance.now();
        const got = await send("POST", `${url}${EVENTS}ListEvents`, {
          headers: connectHeaders(token),
          body: { projectId: "worldcup", filter: toFilter(number) },
        });
        return { got, time: performance.now() - begin };
      }),
    );
    report("all answered after, in ms", Math.round(performance.now() - start));
    for (const probe of probes.values()) await probe.stop();

    const count = (status: number) => reads.filter(({ got }) => got.status === status).length;
    report("answered 200, and 429 as too many of one account", `${count(200)}, ${count(429)}`);
    const refused = reads.filter(({ got }) => reasonOf(got) === "OVERLOADED");
    check("answered 503 as past --max-requests", refused.length, refused.length > 0);
    const others = reads.filter(
      ({ got }) => ![200, 429].includes(got.status) && reasonOf(got) !== "OVERLOADED",
    );
    const reasons = [...new Set(others.map(({ got }) => reasonOf(got) ?? got.text))].join(", ");
    check("answered otherwise", `${others.length} ${reasons}`.trim(), others.length === 0);
    const slowest503 = Math.max(...refused.map(({ time }) => time));
    check("slowest 503 in ms", Math.round(slowest503), slowest503 < 1_000);
    for (const [path, probe] of probes) {
      const answers = probe.among();
      const { slowest } = summarize(answers);
      const isKept = slowest < 1_000 && answers.every(({ status }) => status === 200);
      check(`slowest ${path} in ms`, slowest, isKept);
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
