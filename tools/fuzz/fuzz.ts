import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRandom } from "../../demo/data/random.ts";
import { startIdentityProvider } from "../../demo/identity-provider.ts";
import { openSqliteStore } from "../../src/storage/sqlite/open.ts";
import { findMethods } from "../../test/api/methods.ts";
import { OPEN_FRESH } from "../../test/harness/fresh-store.ts";
import { setup as setUpPostgres } from "../../test/harness/postgres-databases.ts";
import { setup as setUpTemplates } from "../../test/harness/template-databases.ts";
import { readArguments, rejectArguments } from "../arguments.ts";
import { fuzzCallbacks } from "./callbacks.ts";
import { fuzzHops } from "./hops.ts";
import { findError, LONGEST_RESPONSE } from "./judge.ts";
import { fuzzPreviews } from "./previews.ts";
import { createRequest, type FuzzRequest } from "./requests.ts";
import { startService } from "./service.ts";
import { fuzzStudio } from "./studio.ts";
import { createTenants } from "./tenants.ts";
import { createTransport } from "./transport.ts";
import { signIn } from "./viewers.ts";
import { fuzzWindows } from "./windows.ts";

// Sends random requests to a service with two tenants, and reports what should never happen: `npm run fuzz --
// --requests 200000 --writes 10000 --seed 1`. The same seed draws the same requests. `--writes` are mutations of valid
// requests of the Studio API that pass the checks of fields, on each engine. `--previews` are reads through releases that
// are compared with the public ones after the releases are applied, on each engine. `--windows` are public reads at random
// times, compared with previews of the times and with a copy that has no windows, on each engine. `--hops` are responses to
// reads that wait at two processes, on each engine. `--callbacks` are callbacks of sign-ins to the studio from providers of
// each shape, on each engine.

const { values } = readArguments({
  options: {
    requests: { type: "string", default: "200000" },
    writes: { type: "string", default: "10000" },
    previews: { type: "string", default: "10000" },
    windows: { type: "string", default: "10000" },
    hops: { type: "string", default: "100000" },
    callbacks: { type: "string", default: "10000" },
    seed: { type: "string", default: "1" },
  },
});
const total = Number(values.requests);
const writes = Number(values.writes);
const previews = Number(values.previews);
const windows = Number(values.windows);
const hops = Number(values.hops);
const callbacks = Number(values.callbacks);
const seed = Number(values.seed);
const amounts = [total, writes, previews, windows, hops, callbacks];
if (![...amounts, seed].every(Number.isSafeInteger) || amounts.some((it) => it < 0)) {
  rejectArguments(
    "--requests, --writes, --previews, --windows, --hops and --callbacks take a number from 0 on, --seed a whole number",
  );
}

/** Requests under way at the same time. */
const CONCURRENCY = 8;
/** Clients that wait at the same time. */
const CLIENTS = 1_000;
/** After this share of the requests, memory is what a warm service takes. */
const WARM_SHARE = 0.2;
/** The allowed growth of a warm service, in bytes: cached responses take up to 8 MiB, other caches their own limits. */
const MOST_GAIN = 24 * 1024 * 1024;
/** Errors that are printed whole. */
const MOST_PRINTED = 20;

const folder = mkdtempSync(join(tmpdir(), "marquee-fuzz-"));
const database = join(folder, "fuzz.db");
const store = openSqliteStore(database);
const [red, blue] = await createTenants(store);
await store.close();
const provider = await startIdentityProvider();
const service = await startService([
  ...["--listen", "127.0.0.1:0", "--database", `sqlite:${database}`, "--cache-mib", "8"],
  ...["--identity-issuers", `${provider.issuer}=${provider.jwksUrl}`, "--log-level", "silent"],
]);
const random = createRandom(seed);
const transport = createTransport(service.url, CONCURRENCY);
const viewerTokens = await signIn(service.url, provider, { red, blue });
const methods = await findMethods();

const tokens: string[] = [];
const counts = new Map<string, number>();
const times: number[] = [];
const errors: string[] = [];
let sent = 0;

/** How long this process made requests without waiting for the service, in milliseconds. */
let making = 0;

async function sendOne(): Promise<void> {
  const before = performance.now();
  const request = createRequest({ random, methods, tenants: { red, blue }, viewerTokens, tokens });
  making += performance.now() - before;
  const start = performance.now() - making;
  try {
    const response = await transport.send(request);
    const time = performance.now() - making - start;
    if (response === undefined) return count("hung up");
    times.push(time);
    count(response.grpcStatus === undefined ? `${response.status}` : `gRPC ${response.grpcStatus}`);
    const error = findError(request, response, time, [red, blue]);
    if (error !== undefined) report(error, request, response.text);
    keepTokens(response.text);
  } catch (cause) {
    report(cause instanceof Error ? cause.message : String(cause), request, "");
  }
}

function count(what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}

function report(error: string, request: FuzzRequest, response: string): void {
  const { sender, protocol, method, path } = request;
  const body = request.body === undefined ? "" : Buffer.from(request.body).toString("utf8");
  errors.push(error);
  if (errors.length > MOST_PRINTED) return;
  console.error(
    [
      `FAULT ${error}`,
      `  request ${sent} of ${sender}, ${protocol} ${method} ${path.slice(0, 1_000)}`,
      `  headers ${JSON.stringify(request.headers).slice(0, 600)}`,
      `  body ${body.slice(0, 1_000)}`,
      `  answer ${response.slice(0, 1_000)}`,
    ].join("\n"),
  );
}

/** Keeps some page tokens and ETags of both tenants, which later requests send. */
function keepTokens(text: string): void {
  for (const match of text.matchAll(/"next_?[pP]age_?[tT]oken":"([^"]+)"|^etag: (.+)$/gm)) {
    const token = match[1] ?? match[2];
    if (token !== undefined) tokens.push(token);
  }
  if (tokens.length > 200) tokens.splice(0, 100);
}

async function sendMany(upTo: number): Promise<void> {
  const send = async () => {
    while (sent < upTo && service.exit() === undefined) {
      sent += 1;
      await sendOne();
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, send));
}

const start = performance.now();
await sendMany(Math.ceil(total * WARM_SHARE));
const warm = service.exit() === undefined ? await service.measureMemory() : 0;
await sendMany(total);
const seconds = (performance.now() - start) / 1_000;
const end = service.exit() === undefined ? await service.measureMemory() : 0;
const exit = service.exit();
if (exit !== undefined) errors.push(`the service ended: ${exit}`);
if (end - warm > MOST_GAIN) errors.push(`memory grew by ${toMib(end - warm)} MiB`);
transport.close();
await service.stop();
await provider.close();
rmSync(folder, { recursive: true });

times.sort((a, b) => a - b);
const quantile = (share: number) => Math.round(times[Math.floor(times.length * share)] ?? 0);
console.log(
  `seed ${seed}: ${sent} requests of ${methods.length} methods in ${Math.round(seconds)} s`,
);
console.log(
  `answers: ${[...counts]
    .sort()
    .map(([name, it]) => `${name} ${it}`)
    .join(", ")}`,
);
console.log(
  `time: p50 ${quantile(0.5)} ms, p99 ${quantile(0.99)} ms, p99.9 ${quantile(0.999)} ms, ` +
    `longest ${Math.round(times.at(-1) ?? 0)} ms (limit ${LONGEST_RESPONSE})`,
);
console.log(
  `memory after garbage collection: ${toMib(warm)} MiB warm, ${toMib(end)} MiB at the end`,
);
console.log(`errors: ${errors.length}`);
for (const [error, times] of countEqual(errors))
  console.log(`  ${times} x ${error.slice(0, 2_000)}`);
if (writes + previews + windows + hops + callbacks > 0) await fuzzEngines();
process.exitCode = errors.length === 0 ? 0 : 1;

async function fuzzEngines(): Promise<void> {
  const end = [await setUpTemplates(), await setUpPostgres()];
  for (const [engine, openFresh] of Object.entries(OPEN_FRESH)) {
    const onError = (error: string) => console.error(`FAULT on ${engine}: ${error}`);
    const previewed = await fuzzPreviews({ openFresh, cases: previews, seed, onError });
    errors.push(...previewed.errors);
    console.log(
      `previews on ${engine}: ${previewed.cases} reads, ${previewed.applied} times releases applied, ` +
        `${previewed.rejected} times rejected; errors: ${previewed.errors.length}`,
    );
    const windowed = await fuzzWindows({ openFresh, cases: windows, seed, onError });
    errors.push(...windowed.errors);
    console.log(
      `windows on ${engine}: ${windowed.cases} reads, ${windowed.shown} with content; errors: ${windowed.errors.length}`,
    );
    if (hops > 0) {
      const hopped = await fuzzHops({ openFresh, hops, clients: CLIENTS, seed, onError });
      errors.push(...hopped.errors);
      console.log(
        `hops on ${engine}: ${hopped.hops} of ${CLIENTS} clients, ${hopped.news} to a newer score; errors: ${hopped.errors.length}`,
      );
    }
    const called = await fuzzCallbacks({ openFresh, cases: callbacks, seed, onError });
    errors.push(...called.errors);
    console.log(
      `callbacks on ${engine}: ${called.cases}, ${called.sessions} sessions; errors: ${called.errors.length}`,
    );
    if (writes === 0) continue;
    const got = await fuzzStudio({ openFresh, wanted: writes, seed, onError });
    errors.push(...got.errors);
    const fewest = Math.min(...got.methods.values());
    console.log(
      `studio on ${engine}: ${got.passed} of ${got.sent} passed the checks of fields, at least ${fewest} of ` +
        `each of ${got.methods.size} methods; most CPU ${Math.round(got.longestCpu)} ms; errors: ${got.errors.length}`,
    );
  }
  for (const stop of end.toReversed()) await stop?.();
}

function toMib(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}

function countEqual(texts: readonly string[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const text of texts) {
    const kind = text.replace(/\d+ ms/, "… ms");
    found.set(kind, (found.get(kind) ?? 0) + 1);
  }
  return found;
}
