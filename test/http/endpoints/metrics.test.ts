import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Health } from "../../../gen/health/v1/health_pb.ts";
import { openStore } from "../../../src/storage/open.ts";
import { readPage } from "../../docs/pages.ts";
import { getUrl, PROCEDURES } from "../../harness/calls.ts";
import { startDatabaseProxy } from "../../harness/database-proxy.ts";
import { ENGINE } from "../../harness/engine.ts";
import { createFolder, type Folder } from "../../harness/folder.ts";
import { reasonOf, send } from "../../harness/http.ts";
import { type Marquee, startMarquee, startOver } from "../../harness/marquee.ts";
import { writeMmdb } from "../../harness/mmdb-file.ts";
import { readMetrics } from "./read-metrics.ts";

const LOCAL = { host: "127.0.0.1", port: 0 };
const WATCH = "grpc.health.v1.Health/Watch";
const LIST = PROCEDURES.listEvents.slice(1);

let folder: Folder;
let marquee: Marquee;
let now = new Date("2026-06-01T12:00:00Z");
beforeAll(async () => {
  folder = createFolder();
  marquee = await startMarquee({
    clock: () => now,
    runsActions: true,
    limits: { rateQuotas: { perCredential: 50, perAddress: 0 } },
    location: {
      countryDatabase: writeDatabase("country.mmdb", 86_400),
      anonymousIpDatabase: writeDatabase("anonymous.mmdb", 7),
    },
    build: { version: "0.0.1", node: "v24", engine: ENGINE },
  });
  const replica = { name: "standby:5432", state: "behind", lagSeconds: 7 } as const;
  Object.assign(marquee.store, { listReplicas: () => [replica] });
});
afterAll(async () => {
  await marquee.close();
  folder.remove();
});

function writeDatabase(name: string, ageSeconds: number): string {
  const path = join(folder.path, name);
  writeFileSync(path, writeMmdb({}, { buildTime: new Date(now.getTime() - ageSeconds * 1_000) }));
  return path;
}

async function read() {
  const got = await send("GET", `${marquee.url}/metrics`);
  expect(got.status).toBe(200);
  expect(got.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
  expect(got.headers.get("cache-control")).toBe("no-store");
  return readMetrics(got.text);
}

/** Returns what each count has gained by requests. */
async function gainOf(run: () => Promise<void>) {
  const before = await read();
  await run();
  const after = await read();
  return (series: string) => (after.get(series) ?? 0) - (before.get(series) ?? 0);
}

const countOf = (protocol: string, method: string, code: string) =>
  `marquee_request_duration_seconds_count{protocol="${protocol}",method="${method}",code="${code}"}`;

test("the process and the age of each database of IP addresses are shown", async () => {
  const got = await read();
  expect(got.get('marquee_country_database_age_seconds{database="country"}')).toBe(86_400);
  expect(got.get('marquee_country_database_age_seconds{database="anonymous_ip"}')).toBe(7);
  expect(got.get("process_resident_memory_bytes")).toBeGreaterThan(0);
  expect(got.get("nodejs_eventloop_lag_seconds")).toBeGreaterThanOrEqual(0);
});

test("the build, the state of the database and its replicas, and the sizes of pools are shown", async () => {
  const got = await read();
  const build = `marquee_build_info{version="0.0.1",node="v24",engine="${ENGINE}"}`;
  const { schema } = await marquee.store.readiness();
  for (const [series, value] of [
    [build, 1],
    ["marquee_worker_restarts_total", 0],
    ["marquee_database_up", 1],
    ["marquee_database_writable", 1],
    ["marquee_database_schema", schema],
    ['marquee_database_max_connections{pool="write"}', ENGINE === "sqlite" ? 1 : 10],
    ['marquee_replica_state{replica="standby:5432",state="used"}', 0],
    ['marquee_replica_state{replica="standby:5432",state="behind"}', 1],
    ['marquee_replica_state{replica="standby:5432",state="unavailable"}', 0],
    ['marquee_replica_lag_seconds{replica="standby:5432"}', 7],
    ['marquee_action_attempts_total{outcome="given_up"}', 0],
  ] as const) {
    expect([series, got.get(series)]).toEqual([series, value]);
  }
});

test("the size of each table is shown", async () => {
  const sizeOf = async (table: string) =>
    (await read()).get(`marquee_table_bytes{table="${table}"}`);
  // On a busy machine SQLite's are measured by a later scrape.
  for (const table of ["history", "content"]) {
    await expect.poll(() => sizeOf(table)).toBeGreaterThan(4_096);
  }
});

test.runIf(ENGINE === "postgres")(
  "a database that drops bytes is reported within a second, by as many statements as one scrape has",
  async () => {
    const proxy = await startDatabaseProxy((marquee.address as { url: string }).url);
    const store = await openStore({ engine: "postgres", url: proxy.url });
    const server = await startOver(store, { runsActions: false });
    const scrape = async () => {
      const start = performance.now();
      const { status, text } = await send("GET", `${server.studioUrl}/metrics`);
      return { status, got: readMetrics(text), ms: performance.now() - start };
    };
    const before = await scrape();
    expect(before.got.get("marquee_database_up")).toBe(1);
    proxy.swallow();
    const times = [];
    for (let time = 0; time < 6; time += 1) {
      const { status, got, ms } = await scrape();
      times.push(ms);
      expect([status, got.get("marquee_database_up")]).toEqual([200, 0]);
      for (const name of ["schema", "streams", "actions_pending"]) {
        const series = name === "schema" ? "marquee_database_schema" : `marquee_${name}`;
        expect([series, got.has(series), before.got.has(series)]).toEqual([series, false, true]);
      }
      const waiting = got.get('marquee_database_waiting{pool="read"}') ?? Number.NaN;
      expect(waiting).toBeLessThan(10);
    }
    // The quickest, as the machine may have other work.
    expect(Math.min(...times)).toBeLessThan(1_000);
    expect(Math.max(...times)).toBeLessThan(5_000);
    proxy.pass();
    await expect.poll(async () => (await scrape()).got.get("marquee_database_up")).toBe(1);
    await server.close(0);
    proxy.close();
    await store.close();
  },
);

test("requests are counted by protocol, method and code, in buckets that include those below", async () => {
  const { url, keys, tokens } = marquee;
  const gain = await gainOf(async () => {
    // The second and third are served from the cache.
    for (let round = 0; round < 3; round += 1) {
      await send("GET", url + getUrl(PROCEDURES.listEvents, { pageSize: 3 }), {
        token: keys.public,
      });
    }
    const json = { "connect-protocol-version": "1" };
    await send("POST", url + PROCEDURES.listEvents, { headers: json, body: {} });
    await send("GET", `${url}/ott/pages/v1/nothing`, { token: tokens.owner });
    await send("GET", `${url}/healthz`);
  });
  expect(gain(countOf("connect", LIST, "OK"))).toBe(3);
  expect(gain(countOf("connect", LIST, "UNAUTHENTICATED"))).toBe(1);
  expect(gain(countOf("rest", "svc.studio.ott.page.v1.PageService/GetPage", "NOT_FOUND"))).toBe(1);
  expect(gain(countOf("endpoint", "/healthz", "OK"))).toBe(1);
  const last = countOf("connect", LIST, "OK")
    .replace("_count", "_bucket")
    .replace("}", ',le="+Inf"}');
  expect(gain(last)).toBe(3);
  expect(gain(countOf("connect", LIST, "OK").replace("_count", "_sum"))).toBeGreaterThan(0);
  expect(gain('marquee_cache_reads_total{result="hit"}')).toBe(2);
  expect(gain('marquee_cache_reads_total{result="miss"}')).toBe(1);
  expect(gain("marquee_cache_bytes")).toBeGreaterThan(0);
  expect(gain('marquee_database_statement_duration_seconds_count{pool="read"}')).toBeGreaterThan(0);
});

test("requests for unknown paths create no series of their own", async () => {
  const gain = await gainOf(async () => {
    for (const path of ["/a", "/b?c=d", "/svc.x.Y/One", "/svc.x.Y/Two"]) {
      await send("GET", marquee.url + path);
    }
  });
  expect(gain(countOf("rest", "unknown", "NOT_FOUND"))).toBe(2);
  expect(gain(countOf("connect", "unknown", "UNIMPLEMENTED"))).toBe(2);
  const names = [...(await read()).keys()].filter((it) => /\/a|\/b|svc\.x/.test(it));
  expect(names).toEqual([]);
});

test("a stream of gRPC counts with the code at its end", async () => {
  const gain = await gainOf(async () => {
    const { url } = marquee;
    const body = Buffer.from([0, 0, 0, 0, 2, 0xff, 0xff]);
    const headers = { "content-type": "application/grpc", te: "trailers" };
    await send("POST", `${url}/${WATCH}`, { body, headers });
  });
  expect(gain(countOf("grpc", WATCH, "INVALID_ARGUMENT"))).toBe(1);
});

test("the time that a stream is open does not count as a duration", async () => {
  const OPEN_MS = 1_000;
  const gain = await gainOf(async () => {
    const transport = createGrpcTransport({ baseUrl: marquee.url });
    const signal = AbortSignal.timeout(OPEN_MS);
    const statuses = createClient(Health, transport).watch({}, { signal });
    const watch = async () => {
      for await (const { status } of statuses) expect(status).toBeGreaterThan(0);
    };
    await expect(watch()).rejects.toThrow();
    await expect.poll(async () => (await read()).get(countOf("grpc", WATCH, "OK"))).toBe(1);
  });
  expect(gain(countOf("grpc", WATCH, "OK").replace("_count", "_sum"))).toBeLessThan(
    OPEN_MS / 2_000,
  );
});

test("requests past a rate limit are counted", async () => {
  now = new Date(now.getTime() + 60_000);
  const gain = await gainOf(async () => {
    const statuses = [];
    for (let round = 0; round < 51; round += 1) {
      const { status } = await send("GET", `${marquee.url}/x`, { token: "one" });
      statuses.push(status);
    }
    expect(statuses.at(-1)).toBe(429);
  });
  expect(gain('marquee_rate_limited_requests_total{limit="credential"}')).toBe(1);
  expect(gain(countOf("rest", "unknown", "RESOURCE_EXHAUSTED"))).toBe(1);
});

test("the page on monitoring describes every metric with its labels, and no other", async () => {
  const got = [...(await read()).keys()]
    .filter((it) => it.startsWith("marquee_") && !/_(sum|count)[{ ]/.test(it))
    .map((it) =>
      it
        .replace(/_bucket\{/, "{")
        .replace(/="[^"]*"/g, "")
        .replace(",le", ""),
    );
  const { text } = readPage("docs/monitor.md");
  const described = Array.from(text.matchAll(/^\| `(marquee_[^`]+)`/gm), ([, name]) => name);
  expect(described.toSorted()).toEqual([...new Set(got)].sort());
});

test("the dashboard and the alerts ask for metrics and labels that exist", async () => {
  // Those of Prometheus itself.
  const targets = new Set(["job", "instance"]);
  const labelsOf = new Map<string, Set<string>>([["up", new Set()]]);
  for (const series of (await read()).keys()) {
    const [name = "", labels = ""] = series.split("{");
    const known = labelsOf.get(name) ?? new Set();
    labelsOf.set(name, known);
    for (const [, label = ""] of labels.matchAll(/(\w+)="/g)) known.add(label);
  }
  const dashboard = JSON.parse(readPage("deploy/grafana/marquee.json").text) as {
    readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
  };
  const rules = readPage("deploy/prometheus/marquee.rules.yml").text;
  const expressions = [
    ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ...Array.from(rules.matchAll(/expr: ([\s\S]*?)\n +for:/g), ([, expr = ""]) => expr),
  ];
  expect(expressions).toHaveLength(57);
  for (const expression of expressions)
    expect([expression, findUnknown(expression)]).toEqual([expression, []]);

  /** Lists what a query asks for and `/metrics` has not; Prometheus adds the job itself. */
  function findUnknown(expression: string): string[] {
    const asked = Array.from(
      expression.matchAll(/\b(up\b|(?:marquee|process|nodejs)_\w+)(?:\{([^}]*)\})?/g),
    );
    const used = asked.flatMap(([, name = "", selector = ""]) => {
      const labels = Array.from(selector.matchAll(/(\w+)(?:=|!=)~?"/g), ([, label = ""]) => label);
      const known = labelsOf.get(name);
      if (known === undefined) return [name];
      return labels
        .filter((it) => !targets.has(it) && !known.has(it))
        .map((it) => `${name}{${it}}`);
    });
    const groups = Array.from(expression.matchAll(/\bby \(([^)]*)\)/g), ([, names = ""]) => names);
    const grouped = groups
      .flatMap((names) => names.split(/,\s*/))
      .filter((it) => {
        return !targets.has(it) && !asked.some(([, name = ""]) => labelsOf.get(name)?.has(it));
      });
    return asked.length === 0 ? ["any metric"] : [...used, ...grouped];
  }
});

test("metrics are served by GET only, and on the Studio API's listener alone when there are two", async () => {
  expect((await send("POST", `${marquee.url}/metrics`)).status).toBe(405);
  for (const split of [{ studioListen: LOCAL }, { deliveryListen: LOCAL }]) {
    const options = { clock: () => now, runsActions: false, ...split };
    const { studioUrl, deliveryUrl, close } = await startOver(marquee.store, options);
    const { status, text } = await send("GET", `${studioUrl}/metrics`);
    expect(status).toBe(200);
    // There is nothing to report.
    expect(text).not.toMatch(/^marquee_(country|cache|rate)/m);
    const got = await send("GET", `${deliveryUrl}/metrics`);
    expect([got.status, reasonOf(got)]).toEqual([404, "PATH_UNKNOWN"]);
    await close(1_000);
  }
});
