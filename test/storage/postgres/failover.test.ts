import { setTimeout as pause } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import { describe, expect, onTestFinished, test } from "vitest";
import { AccessTokenSchema } from "../../../gen/svc/studio/iam/access_token/v1/access_token_pb.ts";
import { createToken, hashToken } from "../../../src/auth/token.ts";
import type { Server } from "../../../src/server.ts";
import { openPostgresStore } from "../../../src/storage/postgres/open.ts";
import { type DatabaseProxy, startDatabaseProxy } from "../../harness/database-proxy.ts";
import { ENGINE } from "../../harness/engine.ts";
import { type HttpResponse, send } from "../../harness/http.ts";
import { loadDataset } from "../../harness/load-dataset.ts";
import { startOver } from "../../harness/marquee.ts";
import {
  type PostgresServer,
  startPostgres,
  toDatabaseUrl,
} from "../../harness/postgres-server.ts";
import { type Standby, startStandby } from "../../harness/postgres-standby.ts";
import { keepProjectKey } from "../project-key.ts";
import { ALPHA, createEvent, createSmallDataset } from "../small-dataset.ts";

const EVENT = "event-1";
const TOKENS = {
  owner: createToken("access"),
  public: createToken("public"),
  preview: createToken("preview"),
};

const urlOf = ({ socketFolder }: { readonly socketFolder: string }) =>
  toDatabaseUrl(socketFolder, "postgres");

/** A process of the service, as far as one test process has several. */
interface Process {
  readonly server: Server;
  readonly log: { readonly text: string; readonly details: object }[];
}

async function startProcess(url: string, replicas: readonly string[] = []): Promise<Process> {
  const log: Process["log"] = [];
  const note = (details: object, text: string) => void log.push({ details, text });
  const store = await openPostgresStore(
    { engine: "postgres", url },
    {
      log: { info: note, warn: note, error: note },
      replicas: replicas.map((it) => ({ engine: "postgres", url: it })),
    },
  );
  onTestFinished(() => store.close());
  const server = await startOver(store, { runsActions: false, limits: { cacheMib: 8 } });
  onTestFinished(() => server.close(100));
  return { server, log };
}

describe.runIf(ENGINE === "postgres")("processes while another server takes over", () => {
  let primary: PostgresServer;
  let standby: Standby;
  /** The address that stays the same when another server takes over. */
  let address: DatabaseProxy;
  let processes: readonly Process[];

  async function open({ hasReplica = false } = {}): Promise<void> {
    primary = await startPostgres();
    onTestFinished(primary.stop);
    const url = urlOf(primary);
    const store = await openPostgresStore({ engine: "postgres", url });
    await loadDataset(store, createSmallDataset({ events: [createEvent(EVENT, {})] }));
    const token = create(AccessTokenSchema, { id: "owner", accountId: "ann" });
    const hash = hashToken(TOKENS.owner);
    await store.in("acme").documents.access_token.create(token, { hash });
    for (const kind of ["public", "preview"] as const) {
      await keepProjectKey(store, ALPHA, kind, hashToken(TOKENS[kind]));
    }
    await store.close();
    standby = await startStandby(primary);
    onTestFinished(standby.kill);
    await standby.catchUp();
    address = await startDatabaseProxy(urlOf(primary));
    onTestFinished(async () => address.close());
    const replicas = hasReplica ? [urlOf(standby)] : [];
    processes = [
      await startProcess(address.url, replicas),
      await startProcess(address.url, replicas),
    ];
  }

  /** Sends a call to the process of a number. */
  function call(number: number, path: string, body: object, token: string, headers = {}) {
    const { server } = processes[number % processes.length] as Process;
    return send("POST", `${server.studioUrl}/${path}`, {
      token,
      body,
      headers: { "connect-protocol-version": "1", ...headers },
    });
  }

  const write = (number: number, title: string, headers = {}) =>
    call(
      number,
      "svc.studio.cms.event.v1.EventService/UpdateEvent",
      { eventId: EVENT, event: { title: { en: title } }, updateMask: "title" },
      TOKENS.owner,
      headers,
    );

  /** Writes titles by one process after the other; returns what identifies the states. */
  async function writeAll(titles: readonly string[]) {
    const written = [];
    for (const [number, title] of titles.entries()) {
      const got = await write(number, title);
      expect([title, got.status, got.status === 200 ? "" : got.text]).toEqual([title, 200, ""]);
      written.push({ token: tokenOf(got), tag: got.headers.get("etag") });
    }
    return written;
  }

  const tokenOf = (response: HttpResponse) => response.headers.get("x-consistency-token") ?? "";

  async function read(
    number: number,
    headers = {},
    token = TOKENS.public,
  ): Promise<string | number> {
    const path = "svc.cda.cms.event.v1.EventService/GetEvent";
    const got = await call(number, path, { id: EVENT }, token, headers);
    return got.status === 200 ? got.json.event.title.en : got.status;
  }

  const readAll = () => Promise.all(processes.map((_, number) => read(number)));
  const untilAllRead = (title: string) =>
    expect.poll(readAll, { interval: 50 }).toEqual([title, title]);

  async function takeOver(by: Standby): Promise<void> {
    address.moveTo(urlOf(by));
    await expect.poll(async () => (await write(0, "taken over")).status).toBe(200);
    await expect.poll(async () => (await write(1, "taken over")).status).toBe(200);
  }

  const historyLines = ({ log }: Process) =>
    log.filter(({ text }) => text.includes("history changed"));

  const LOST = ["lost 1", "lost 2", "lost 3", "lost 4", "lost 5"];
  const NEW = ["new 1", "new 2", "new 3", "new 4", "new 5"];

  /** Checks that what is written again is delivered, and equals in nothing what was lost. */
  async function expectNew(
    lost: readonly { token: string; tag: string | null }[],
    lines: readonly (readonly number[])[] = [[1, 1]],
  ): Promise<void> {
    for (const [number, title] of NEW.entries()) {
      const [written] = await writeAll([title]);
      const { token = "", tag } = written ?? {};
      const headers = { "x-consistency-token": token };
      expect([number, await read(number + 1, headers)]).toEqual([number, title]);
      for (const other of lost) {
        expect(token).not.toBe(other.token);
        expect(tag).not.toBe(other.tag);
      }
      lost = [...lost, { token, tag: tag ?? null }];
    }
    await untilAllRead("new 5");
    const logged = () => processes.map((process) => historyLines(process).length);
    await expect.poll(() => lines.map(String).includes(String(logged()))).toBe(true);
  }

  test("deliver what it holds, without what was lost", async () => {
    await open();
    await writeAll(["kept"]);
    await untilAllRead("kept");
    await standby.catchUp();
    await standby.kill();
    const lost = await writeAll(LOST);
    await untilAllRead("lost 5");
    await primary.kill();
    await standby.start();
    await standby.run("select pg_promote()");
    address.moveTo(urlOf(standby));
    await untilAllRead("kept");
    const stale = await write(0, "conflict", { "if-match": lost.at(-1)?.tag ?? "" });
    expect([stale.status, stale.json.code]).toEqual([409, "aborted"]);
    await expectNew(lost);
  });

  test("count what is written before they notice", async () => {
    await open();
    await writeAll(["kept"]);
    await standby.catchUp();
    await standby.kill();
    const lost = await writeAll(LOST);
    await primary.kill();
    await standby.start();
    await standby.run("select pg_promote()");
    await takeOver(standby);
    await expectNew(lost);
  });

  test("go on where nothing was lost", async () => {
    await open();
    const before = await writeAll(LOST);
    await standby.catchUp();
    await untilAllRead("lost 5");
    await primary.kill();
    await standby.run("select pg_promote()");
    address.moveTo(urlOf(standby));
    await untilAllRead("lost 5");
    await expectNew(before);
  });

  test("deliver what a copy holds that was put back", async () => {
    await open();
    await writeAll(["kept"]);
    await untilAllRead("kept");
    const copy = await startStandby(primary, { isAlone: true });
    onTestFinished(() => copy.kill());
    const lost = await writeAll(LOST);
    await untilAllRead("lost 5");
    await primary.kill();
    address.moveTo(urlOf(copy));
    await untilAllRead("kept");
    // The first process raises all revisions, so that the second one may find only newer ones.
    await expectNew(lost, [
      [1, 1],
      [1, 0],
      [0, 1],
    ]);
  });

  test("read a replica without the primary, whatever was written before", {
    timeout: 90_000,
  }, async () => {
    await open({ hasReplica: true });
    await writeAll(["before"]);
    await untilAllRead("before");
    // Content is written by the other process, while nobody reads by this one.
    for (const number of [0, 2]) await write(number, `by other ${number}`);
    await standby.catchUp();
    await pause(1_500);
    await primary.kill();
    for (const [number, process] of processes.entries()) {
      const ready = await send("GET", `${process.server.studioUrl}/readyz`);
      expect(ready.json).toMatchObject({ primary: false, replica: "used" });
      expect(await read(number)).toBe("by other 2");
      // A key that was never used before, and a list that needs the rulesets.
      expect(await read(number, {}, TOKENS.preview)).toBe("by other 2");
      const list = await call(
        number,
        "svc.cda.cms.event.v1.EventService/ListEvents",
        { pageSize: 1, excludeGeoblocked: true },
        TOKENS.public,
      );
      expect([number, list.status]).toEqual([number, 200]);
    }
  });
});
