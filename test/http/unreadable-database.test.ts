import { readFileSync, writeFileSync } from "node:fs";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { Dispatcher } from "../../src/http/dispatcher.ts";
import { Listener } from "../../src/http/listener/listener.ts";
import { Rejection } from "../../src/http/listener/rejection.ts";
import { RequestLoad } from "../../src/http/listener/request-load.ts";
import { RequestMetrics } from "../../src/http/listener/request-metrics.ts";
import { UnreadResponses } from "../../src/http/listener/unread-responses.ts";
import { askHttp2 } from "../harness/ask.ts";
import { connectHeaders, getUrl, PROCEDURES } from "../harness/calls.ts";
import { captureLog } from "../harness/captured-log.ts";
import { ENGINE, pathOf } from "../harness/fresh-store.ts";
import { send } from "../harness/http.ts";
import type { Marquee } from "../harness/marquee.ts";
import { override } from "../harness/override.ts";
import { startSmallMarquee } from "../harness/small-marquee.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { createSmallDataset } from "../storage/small-dataset.ts";

const { listEvents } = PROCEDURES;

const marquee = await useMarquee();

type Service = Pick<Marquee, "keys" | "url">;
type Ask = (service: Service) => Promise<{ status: number; text: string }>;

/** The ways in which a cached response is asked for, each by other code of the listener. */
const WAYS: Readonly<Record<string, Ask>> = {
  "GET over HTTP/1.1": ({ url, keys }) =>
    send("GET", url + getUrl(listEvents, {}), { token: keys.public }),
  "POST over HTTP/1.1": ({ url, keys }) =>
    send("POST", url + listEvents, { headers: connectHeaders(keys.public), body: "{}" }),
  "GET over HTTP/2": ({ url, keys }) =>
    overHttp2(url, {
      ":path": getUrl(listEvents, {}),
      authorization: `Bearer ${keys.public}`,
    }),
  "POST over HTTP/2": ({ url, keys }) =>
    overHttp2(
      url,
      { ":method": "POST", ":path": listEvents, ...connectHeaders(keys.public) },
      "{}",
    ),
};

function overHttp2(url: string, headers: Record<string, string>, body?: string) {
  return askHttp2(url, { "accept-encoding": "identity", ...headers }, body);
}

/** Asks in every way; the second response of each comes from memory. */
async function warmUp(service: Service): Promise<void> {
  for (const ask of Object.values(WAYS)) {
    for (let time = 0; time < 2; time += 1) expect((await ask(service)).status).toBe(200);
  }
}

/** Commits and leaves everything in the database file, so that whoever looks next reads that. */
function commit(path: string): void {
  const other = new Database(path);
  other.exec("CREATE TABLE IF NOT EXISTS beside (x); INSERT INTO beside VALUES (1)");
  other.pragma("wal_checkpoint(TRUNCATE)");
  other.close();
}

test.runIf(ENGINE === "sqlite")(
  "over a database file that cannot be read cached responses are 503, until it can",
  async () => {
    const path = pathOf(marquee.address);
    await warmUp(marquee);
    commit(path);
    const bytes = readFileSync(path);
    writeFileSync(path, Buffer.alloc(bytes.length, 0xff));
    await new Promise((resolve) => setTimeout(resolve, 150));
    for (const [name, ask] of Object.entries(WAYS)) {
      for (let time = 0; time < 2; time += 1) {
        const { status, text } = await ask(marquee);
        expect([name, status, text]).toEqual([
          name,
          503,
          expect.stringContaining("DATABASE_UNAVAILABLE"),
        ]);
      }
    }
    writeFileSync(path, bytes);
    commit(path);
    for (const ask of Object.values(WAYS)) {
      await expect.poll(async () => (await ask(marquee)).status).toBe(200);
    }
  },
);

test("a store that throws while a response is looked for in memory fails that request alone", async () => {
  let isBroken = false;
  const service = await startSmallMarquee(
    createSmallDataset(),
    { limits: { cacheMib: 1 } },
    (store) =>
      override(store, {
        knownRevision(projectId) {
          if (isBroken) throw new Error("broken");
          return store.knownRevision(projectId);
        },
      }),
  );
  await warmUp(service);
  isBroken = true;
  for (const [name, ask] of Object.entries(WAYS)) {
    expect([name, (await ask(service)).status]).toEqual([name, 500]);
  }
  isBroken = false;
  await warmUp(service);
  await service.close();
});

test("an error while an error is sent ends the connection, and nothing else", async () => {
  const captured = captureLog();
  const client = { address: "", trustsHeaders: false };
  const dispatcher = new Dispatcher({
    log: captured.log,
    clock: () => new Date(0),
    findClient: () => client,
    cors: () => ({}),
    endpoints: new Map([
      [
        "/broken",
        () => {
          throw new Rejection(400, 3, "HOST_MALFORMED", "no", { headers: { "x-broken": "\n" } });
        },
      ],
    ]),
    connect: {
      cacheablePaths: new Set(),
      find: () => undefined,
      suggest: () => undefined,
    },
    load: new RequestLoad(10),
    requests: new RequestMetrics(),
    unread: new UnreadResponses(1_000),
  });
  const listener = new Listener(dispatcher);
  const port = await listener.listen({ host: "127.0.0.1", port: 0 });
  await expect(send("GET", `http://127.0.0.1:${port}/broken`)).rejects.toThrow();
  expect(captured.lines.map((line) => line.msg)).toContain("error response not sent");
  await listener.close(0);
});
