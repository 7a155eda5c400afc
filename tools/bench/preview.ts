import { readFileSync } from "node:fs";
import { Agent } from "node:http";
import { measureLatencies, readBody } from "./latency.ts";
import { type BenchRequest, type Load, median, sendLoad } from "./load.ts";
import type { Plan } from "./options.ts";
import { byGet, firstEvents, homePage } from "./requests.ts";
import type { Bench } from "./section.ts";

/** The drafts of each release. */
const DRAFTS = 500;

/** The releases that are read through; the drafts of both are of the same resources. */
const RELEASES = ["bench-first", "bench-second"];

/** The titles that a client saves in turn: every write changes the draft. */
const TITLES = 100;

/** The time between two writes of a client that saves by itself, in milliseconds. */
const SAVE_INTERVAL = 100;

/**
 * Measures the demo's home page through two releases of 500 drafts, and public lists while a client writes into one of
 * them ten times a second.
 */
export async function measurePreview({ plan, table, servers }: Bench): Promise<void> {
  const { server, demo } = await servers.serveDemo();
  const [project] = demo.projects;
  const headers = {
    authorization: `Bearer ${demo.accounts.owner}`,
    "content-type": "application/json",
  };
  const content = listContent(project?.id);
  const agent = new Agent({ keepAlive: true });
  for (const name of RELEASES) {
    const body = JSON.stringify({ project_id: project?.id, name });
    const path = `/cms/releases/v1?release_id=${name}`;
    await readBody(server.port, { headers, method: "POST", path, body }, agent);
    for (const item of content) {
      await readBody(server.port, createSave({ headers }, item, name, name), agent);
    }
  }
  agent.destroy();
  const saves = Array.from({ length: TITLES }, (_, number) =>
    content.slice(0, 1).map((item) => createSave({ headers }, item, RELEASES[0], `T ${number}`)),
  ).flat();

  const page = homePage({ authorization: `Bearer ${project?.preview_key}` }).get;
  const read = { ...page, headers: { ...page.headers, "x-release-id": RELEASES.join() } };
  const { current, through, save, saved } = await measureLatencies(
    {
      current: { server, requests: [page] },
      through: { server, requests: [read] },
      save: { server, requests: saves },
      saved: { server, requests: saves.flatMap((save) => [save, read]) },
    },
    plan,
  );
  const work = "home page through two releases of 500 drafts";
  table.add("home page with the preview key (ms CPU)", current.cpu);
  table.add(`${work} (ms CPU)`, through.cpu, "at most 25");
  table.add(`${work}, after a write into one (ms CPU)`, 2 * saved.cpu - save.cpu, "at most 25");
  table.add("`PATCH` of an event into a release of 500 drafts (ms CPU)", save.cpu);

  const { server: uncached } = await servers.serveDemo({ flags: ["--cache-mib", "0"] });
  const list = firstEvents({ authorization: `Bearer ${project?.public_key}` });
  for (const [name, load] of [
    ["hot", byGet(server, list)],
    ["cold", byGet(uncached, list)],
  ] as const) {
    const ratio = await measureWhileSaving(load, saves, plan);
    const work = `${name} \`ListEvents\` GET while a client saves into a release ten times a second`;
    table.add(`${work}, CPU of the same without`, ratio);
  }
}

/** Measures the CPU of a load while a client writes, of its CPU without; the CPU of the writes counts. */
async function measureWhileSaving(
  load: Load,
  saves: readonly BenchRequest[],
  { rounds, seconds }: Plan,
): Promise<number> {
  const agent = new Agent({ keepAlive: true });
  const ratios: number[] = [];
  let sent = 0;
  const save = () => {
    sent += 1;
    const request = saves[sent % saves.length];
    return request && readBody(load.server.port, request, agent);
  };
  await sendLoad(load, seconds);
  for (let round = 0; round < rounds; round += 1) {
    const alone = await sendLoad(load, seconds);
    const pending: unknown[] = [];
    const timer = setInterval(() => pending.push(save()), SAVE_INTERVAL);
    const beside = await sendLoad(load, seconds);
    clearInterval(timer);
    await Promise.all(pending);
    ratios.push(beside.cpu / alone.cpu);
  }
  agent.destroy();
  return median(ratios);
}

/** The kind and id of a resource of the demo. */
interface Content {
  readonly kind: string;
  readonly id: string;
}

/** Lists the events of the demo's first project and then its entities, `DRAFTS` together. */
function listContent(projectId: string | undefined): readonly Content[] {
  const lines = readFileSync("demo/demo.ndjson", "utf8").trim().split("\n");
  const records = lines.flatMap((line) => Object.entries<StoredContent>(JSON.parse(line)));
  const content = ["event", "entity"].flatMap((kind) =>
    records.filter(([it, { project_id }]) => it === kind && project_id === projectId),
  );
  return content.slice(0, DRAFTS).map(([kind, { id }]) => ({ kind, id }));
}

interface StoredContent {
  readonly id: string;
  readonly project_id?: string;
}

/** Creates the request that gives content another title in a release. */
function createSave(
  writer: Pick<BenchRequest, "headers">,
  { kind, id }: Content,
  releaseId: string | undefined,
  title: string,
): BenchRequest {
  const path = `/cms/${kind === "event" ? "events" : "entities"}/v1/${id}`;
  const body = { [kind]: { title: { en: title } }, update_mask: "title", release_id: releaseId };
  return { ...writer, method: "PATCH", path, body: JSON.stringify(body) };
}
