/**
 * Counts the files of `src` that one request runs through, and their lines: `npm run journeys`. A file counts if one
 * of its functions is called. `-- --list 'cold GetEvent'` lists the files of one journey.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { connect } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { create, toBinary } from "@bufbuild/protobuf";
import { ListEventsRequestSchema } from "../gen/svc/cda/cms/event/v1/event_service_pb.ts";
import { frame } from "../test/harness/grpc-frame.ts";
import { ROOT } from "../test/harness/process.ts";
import { makeFolder, serveProcess } from "../test/harness/service-process.ts";
import { readArguments } from "./arguments.ts";

const { list } = readArguments({ options: { list: { type: "string" } } }).values;

/** The scripts of a process with called functions, as V8 reports them. */
interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly functionName: string;
      readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
    }[];
  }[];
}

/** A session with the inspector of a process. */
class Inspector {
  readonly #socket: WebSocket;
  #calls = 0;

  constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  static async open(url: string): Promise<Inspector> {
    const socket = new WebSocket(url);
    await new Promise((resolve) => socket.addEventListener("open", resolve, { once: true }));
    return new Inspector(socket);
  }

  call(method: string, params: object = {}): Promise<unknown> {
    const id = ++this.#calls;
    this.#socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve) => {
      const receive = ({ data }: MessageEvent) => {
        const response = JSON.parse(String(data));
        if (response.id !== id) return;
        this.#socket.removeEventListener("message", receive);
        resolve(response.result);
      };
      this.#socket.addEventListener("message", receive);
    });
  }

  close(): void {
    this.#socket.close();
  }
}

const folder = makeFolder({ empty: true });
const flags = ["--demo", "--log-level", "warn"];
const service = await serveProcess(folder, flags, { NODE_OPTIONS: "--inspect=127.0.0.1:0" });
const [, inspectorUrl = ""] = /listening on (ws:\S+)/.exec(service.stderr()) ?? [];
const inspector = await Inspector.open(inspectorUrl);
await inspector.call("Profiler.enable");
await inspector.call("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

const demo = JSON.parse(readFileSync(folder.demoFile, "utf8"));
const EVENTS = "svc.cda.cms.event.v1.EventService";
const delivery = { authorization: `Bearer ${demo.projects[0].public_key}` };
const studio = {
  authorization: `Bearer ${demo.accounts.owner}`,
  "content-type": "application/json",
};
/** Counts what makes each request another one. */
let count = 0;

function get(procedure: string, message: object): Promise<Response> {
  const query = new URLSearchParams({ encoding: "json", message: JSON.stringify(message) });
  return fetch(`${demo.cda_url}/${procedure}?${query}`, { headers: delivery });
}

/** Sends a unary call over gRPC; throws unless its status is 0. */
async function callGrpc(procedure: string, message: Uint8Array): Promise<void> {
  const session = connect(demo.cda_url);
  const stream = session.request({
    ":method": "POST",
    ":path": `/${procedure}`,
    "content-type": "application/grpc+proto",
    te: "trailers",
    ...delivery,
  });
  const status = new Promise((resolve) =>
    stream.on("trailers", (trailers) => resolve(trailers["grpc-status"])),
  );
  stream.end(frame(message));
  for await (const _ of stream);
  session.close();
  if ((await status) !== "0") throw new Error(`${procedure}: status ${await status}`);
}

const listed = await get("svc.cda.ott.page.v1.PageService/ListPages", {});
const { pages } = (await listed.json()) as { readonly pages: readonly { readonly slug: string }[] };

/** Returns a list that was not asked for before. */
function newList() {
  count += 1;
  const start = `20${10 + (count % 12)}-01-01T00:00:${String(count % 60).padStart(2, "0")}Z`;
  return {
    pageSize: 5,
    filter: `fields.season: "2022" and start_time >= "${start}"`,
    order: "start_time desc",
  };
}

const JOURNEYS: Readonly<Record<string, () => Promise<unknown>>> = {
  "hot ListEvents GET": () => get(`${EVENTS}/ListEvents`, { pageSize: 20 }),
  "cold ListEvents GET": () => get(`${EVENTS}/ListEvents`, newList()),
  "cold ListEvents gRPC": () => {
    const message = { filter: newList().filter, pageSize: 1 + (count % 20) };
    const request = create(ListEventsRequestSchema, message);
    return callGrpc(`${EVENTS}/ListEvents`, toBinary(ListEventsRequestSchema, request));
  },
  "cold GetEvent": () => get(`${EVENTS}/GetEvent`, { id: `match-2018-${1 + (count++ % 60)}` }),
  "cold GetPage": () =>
    get("svc.cda.ott.page.v1.PageService/GetPage", {
      slug: pages[0]?.slug,
      session: { season: String(2000 + (count++ % 30)) },
    }),
  "PATCH page component": () =>
    fetch(`${demo.base_url}/ott/page_components/v2/${demo.samples.page_component_id}`, {
      method: "PATCH",
      headers: studio,
      body: JSON.stringify({
        page_component_update: { name: `n${count++}` },
        update_mask: "name",
      }),
    }),
  CreateVideo: () =>
    fetch(`${demo.base_url}/streaming/videos/v1?video_id=journey-${count}`, {
      method: "POST",
      headers: studio,
      body: JSON.stringify({
        project_id: demo.projects[0].id,
        name: "x",
        playlist_url: `https://media.example/${demo.projects[0].id}/j${count++}/main.m3u8`,
      }),
    }),
};

async function send(name: string): Promise<void> {
  const response = await JOURNEYS[name]?.();
  if (!(response instanceof Response)) return;
  const text = await response.text();
  if (!response.ok) throw new Error(`${name}: ${response.status} ${text}`);
}

/** Sends a request and lists the files of `src` with the functions that it called. */
async function listFiles(name: string): Promise<readonly string[]> {
  await inspector.call("Profiler.takePreciseCoverage");
  await send(name);
  const { result } = (await inspector.call("Profiler.takePreciseCoverage")) as Coverage;
  const source = `${pathToFileURL(ROOT)}src/`;
  const called = result.filter(
    ({ url, functions }) =>
      url.startsWith(source) &&
      functions.some(
        ({ functionName, ranges: [whole] }) =>
          // A module itself has no name and begins with its file.
          (functionName !== "" || whole?.startOffset !== 0) && (whole?.count ?? 0) > 0,
      ),
  );
  return called.map(({ url }) => url.slice(source.length)).sort();
}

const countLines = (path: string) => readFileSync(`${ROOT}src/${path}`, "utf8").split("\n").length;

console.log("| Request | Files | Lines of these files |\n|---|---|---|");
for (const name of Object.keys(JOURNEYS)) {
  for (let warmUp = 0; warmUp < 3; warmUp += 1) await send(name);
  await sleep(400);
  // The fewest of three: timers of the process run at the same time.
  const runs = [await listFiles(name), await listFiles(name), await listFiles(name)];
  const files = runs.toSorted((a, b) => a.length - b.length)[0] ?? [];
  const lines = files.reduce((total, path) => total + countLines(path), 0);
  console.log(`| ${name} | ${files.length} | ${lines} |`);
  if (name === list) for (const path of files) console.log(`  ${path}`);
}
inspector.close();
await service.stop();
folder.remove();
