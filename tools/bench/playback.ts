import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectHeaders } from "../../test/harness/calls.ts";
import { MARQUEE } from "../../test/harness/process.ts";
import { summarize } from "./latency.ts";
import { median } from "./load.ts";
import {
  BUSY_EVENTS,
  BUSY_VIDEOS,
  type PlaybackDatabase,
  type PlaybackKind,
  preparePlaybackDatabase,
  toVideoId,
} from "./playback-database.ts";
import { type ServerProcess, startProcess } from "./processes.ts";
import { createTable } from "./table.ts";

// `npm run bench:playback`: authorizations of 10,000 videos under 1,000 rulesets and under 10, once with rulesets that
// let all viewers play, once with rulesets that look up an entitlement and count streams. Rounds take turns, so that
// other work on the machine slows both sizes.
const VIDEOS = 10_000;
const MANY = 1_000;
const FEW = 10;
/** Videos that all viewers watch; the others are asked for once. */
const HOT = 500;
const ROUNDS = 5;
const REQUESTS = 500;
const PLAYERS = 16;
const AUTHORIZE = "/svc.cda.streaming.playback.v1.PlaybackService/AuthorizePlayback";

interface Subject extends PlaybackDatabase {
  readonly server: ServerProcess;
  readonly kind: PlaybackKind;
}

const folder = mkdtempSync(join(tmpdir(), "marquee-bench-"));
const table = createTable();
const running: ServerProcess[] = [];
/** Every request is of another user and player than the one before. */
let sent = 0;

try {
  for (const kind of ["open", "counted"] as const) await measure(kind);
} finally {
  await Promise.all(running.map((server) => server.stop()));
  rmSync(folder, { recursive: true });
}
console.log(table.print());

async function measure(kind: PlaybackKind) {
  const many = await start(kind, MANY);
  const few = await start(kind, FEW);
  for (const subject of [many, few]) await authorizeInTurn(subject, HOT, toHotVideo);
  const first = summarize(await authorizeInTurn(many, REQUESTS, toOtherVideo)).p50;
  const busy = summarize(await authorizeInTurn(many, BUSY_VIDEOS.length, toBusyVideo)).p50;

  const rounds = { many: [] as number[], few: [] as number[], rates: [] as number[] };
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const measured = await authorizeInTurn(many, REQUESTS, toHotVideo);
    times.push(...measured);
    rounds.many.push(summarize(measured).p50);
    rounds.few.push(summarize(await authorizeInTurn(few, REQUESTS, toHotVideo)).p50);
    rounds.rates.push(await authorizeAtOnce(many, REQUESTS * 2));
  }
  const name = kind === "open" ? "open to all" : "entitlement and streams";
  const p50 = median(rounds.many);
  table.add(`${name}: a video's first authorization, p50 (ms)`, first);
  table.add(`${name}: the first of a video of ${BUSY_EVENTS} events, p50 (ms)`, busy);
  table.add(`${name}: authorization, p50 (ms)`, p50, "under 3");
  table.add(`${name}: authorization, p99 (ms)`, summarize(times).p99);
  table.add(`${name}: growth of p50 from ${FEW} rulesets`, p50 / median(rounds.few), "below 2");
  table.add(`${name}: authorizations a second, ${PLAYERS} at once`, median(rounds.rates));
}

async function start(kind: PlaybackKind, rulesets: number): Promise<Subject> {
  const path = join(folder, `${kind}-${rulesets}.db`);
  const prepared = await preparePlaybackDatabase(path, kind, { rulesets, videos: VIDEOS });
  const server = await startProcess([
    ...MARQUEE.args("serve", "--listen", "127.0.0.1:0", "--log-level", "warn"),
    ...["--database", `sqlite:${path}`, "--max-streams", "1000"],
  ]);
  running.push(server);
  return { ...prepared, server, kind };
}

/** Authorizes one after the other over one connection; how long each took, in milliseconds. */
async function authorizeInTurn(
  subject: Subject,
  count: number,
  toVideo: (number: number) => string,
): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  for (let done = 0; done < count; done += 1) {
    const begin = performance.now();
    await authorize(subject, agent, toVideo(sent));
    times.push(performance.now() - begin);
  }
  agent.destroy();
  return times;
}

/** Authorizes by many players at the same time; how many in one second. */
async function authorizeAtOnce(subject: Subject, count: number): Promise<number> {
  const begin = performance.now();
  const each = Math.ceil(count / PLAYERS);
  await Promise.all(
    Array.from({ length: PLAYERS }, () => authorizeInTurn(subject, each, toHotVideo)),
  );
  return (each * PLAYERS * 1_000) / (performance.now() - begin);
}

function toHotVideo(number: number): string {
  return toVideoId(number % HOT);
}

function toOtherVideo(number: number): string {
  return toVideoId(HOT + (number % (VIDEOS - HOT)));
}

function toBusyVideo(number: number): string {
  return BUSY_VIDEOS[number % BUSY_VIDEOS.length] ?? "";
}

function authorize(subject: Subject, agent: Agent, videoId: string): Promise<void> {
  const { kind, publicKey, viewerTokens, server } = subject;
  const number = sent;
  sent += 1;
  const token = kind === "open" ? publicKey : viewerTokens[number % viewerTokens.length];
  const body = JSON.stringify({ videoId, sessionKey: `player-${number % 5}` });
  return new Promise((resolve, reject) => {
    request(
      {
        ...{ port: server.port, host: "127.0.0.1", path: AUTHORIZE, method: "POST", agent },
        headers: { ...connectHeaders(token ?? ""), "content-length": Buffer.byteLength(body) },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString();
          if (response.statusCode === 200) resolve();
          else reject(new Error(`${response.statusCode} ${text}`));
        });
      },
    )
      .once("error", reject)
      .end(body);
  });
}
