import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DemoFile } from "../../src/demo/demo-file.ts";
import { send } from "../harness/http.ts";
import { type Load, measureRates, median } from "./load.ts";
import { type ServerProcess, startProcess } from "./processes.ts";

// `npm run bench`: rates as ratios within one run. Every server is a process of its own on the
// same machine; the loads are measured in turns and the medians compared.
const PLAN = { rounds: 5, seconds: 3 };
const COLD_STARTS = 7;
const MAIN = "src/main.ts";
const LIST = "/svc.cda.cms.event.v1.EventService/ListEvents";
const UPDATE = "/svc.studio.ott.page_component.v2.PageComponentService/UpdatePageComponent";
const CONFIGURATION =
  "/svc.studio.annotations.annotation_type.v1.AnnotationTypeService/GetActionConfiguration";

const folder = mkdtempSync(join(tmpdir(), "marquee-bench-"));
const demoFile = join(folder, "demo.json");
const plain = [
  ...[MAIN, "serve", "--listen", "127.0.0.1:0", "--log-level", "warn"],
  ...["--database", `sqlite:${join(folder, "marquee.db")}`],
];
const serve = [...plain, "--demo", "--demo-file", demoFile];

const marquee = await startProcess(serve);
const marqueeUrl = `http://127.0.0.1:${marquee.port}`;
const demo = await readDemo();
const loads = createLoads(demo);
const uncached = await startProcess([...plain, "--cache-mib", "0"]);
const sample = async ({ url, method = "GET", ...rest }: Load) =>
  (await send(method, url, rest)).text;
const answers = JSON.stringify({
  list: await sample(loads.list),
  patch: await sample(loads.connectPatch),
});
const bare = await startProcess(["test/bench/peers.ts", "bare"], answers);
const connect = await startProcess(["test/bench/peers.ts", "connect"], answers);

const rates = await measureRates(
  new Map<string, Load>([
    ["ListEvents: bare node:http", at(bare, loads.list)],
    ["ListEvents: connect-node, ready message", at(connect, loads.list)],
    ["ListEvents: Marquee, from the database", at(uncached, loads.list)],
    ["ListEvents: Marquee, from memory", loads.list],
    ["PATCH: bare node:http", at(bare, loads.restPatch)],
    ["PATCH: connect-node, ready message", at(connect, loads.connectPatch)],
    ["PATCH: Marquee, HTTP/JSON", loads.restPatch],
    ["PATCH: Marquee, Connect JSON", loads.connectPatch],
    ["GET action configuration: Marquee, HTTP/JSON", loads.restGet],
    ["GET action configuration: Marquee, Connect JSON", loads.connectGet],
  ]),
  PLAN,
);
await Promise.all([marquee, uncached, bare, connect].map((server) => server.stop()));

print(rates);
console.log(
  `cold start to ready, filled database  ${await measureColdStart()} ms (bar: under 700)`,
);
rmSync(folder, { recursive: true });

async function readDemo(): Promise<DemoFile> {
  for (;;) {
    try {
      return JSON.parse(readFileSync(demoFile, "utf8")) as DemoFile;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

function createLoads({ projects, accounts, samples }: DemoFile) {
  const json = { "content-type": "application/json", "connect-protocol-version": "1" };
  const key = { authorization: `Bearer ${projects[0]?.public_key}` };
  const owner = { authorization: `Bearer ${accounts.owner}` };
  const component = samples.page_component_id;
  const patch = { page_component_update: { name: "Welcome" }, update_mask: "name" };
  const get = JSON.stringify({ annotationTypeId: samples.annotation_type_id });
  return {
    list: {
      url: `${marqueeUrl}${LIST}?encoding=json&message=${encodeURIComponent('{"pageSize":"20"}')}`,
      headers: key,
    },
    restPatch: {
      url: `${marqueeUrl}/ott/page_components/v2/${component}`,
      method: "PATCH",
      headers: { ...owner, ...json },
      body: JSON.stringify({ page_component_id: component, ...patch }),
    },
    connectPatch: {
      url: `${marqueeUrl}${UPDATE}`,
      method: "POST",
      headers: { ...owner, ...json },
      body: JSON.stringify({ page_component_id: component, ...patch }),
    },
    restGet: {
      url: `${marqueeUrl}/annotations/types/v1/${samples.annotation_type_id}/action_configuration`,
      headers: owner,
    },
    connectGet: {
      url: `${marqueeUrl}${CONFIGURATION}?encoding=json&message=${encodeURIComponent(get)}`,
      headers: owner,
    },
  } satisfies Record<string, Load>;
}

function at(server: ServerProcess, load: Load): Load {
  return { ...load, url: load.url.replace(marqueeUrl, `http://127.0.0.1:${server.port}`) };
}

function print(measured: ReadonlyMap<string, number>): void {
  const of = (name: string) => measured.get(name) ?? Number.NaN;
  for (const [name, rate] of measured) {
    const [work = ""] = name.split(":");
    const bareRate = of(`${work}: bare node:http`);
    const ratio = Number.isNaN(bareRate) ? "" : `  ${(rate / bareRate).toFixed(3)} of bare`;
    console.log(`${name.padEnd(48)} ${rate.toFixed(0).padStart(7)}/s${ratio}`);
  }
  for (const work of ["PATCH", "GET action configuration"]) {
    const ratio = of(`${work}: Marquee, HTTP/JSON`) / of(`${work}: Marquee, Connect JSON`);
    console.log(`${work}: HTTP/JSON over Connect JSON  ${ratio.toFixed(3)} (bar: at least 0.85)`);
  }
  const list =
    of("ListEvents: Marquee, from the database") / of("ListEvents: connect-node, ready message");
  console.log(
    `ListEvents: from the database over connect-node's ready message  ${list.toFixed(3)}`,
  );
}

async function measureColdStart(): Promise<string> {
  const times: number[] = [];
  for (let start = 0; start < COLD_STARTS; start += 1) {
    const server = await startProcess(serve);
    times.push(server.startTime);
    await server.stop();
  }
  return median(times).toFixed(0);
}
