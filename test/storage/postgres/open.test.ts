import { randomUUID } from "node:crypto";
import { type EventEmitter, once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import pg from "pg";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Dataset } from "../../../demo/data/dataset-records.ts";
import { AccessTokenSchema } from "../../../gen/svc/studio/iam/access_token/v1/access_token_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { describeFailure } from "../../../src/cli/failure.ts";
import { Code, type DomainError } from "../../../src/domain/base/errors.ts";
import { WorkBudget } from "../../../src/domain/base/work-budget.ts";
import type { StateLog } from "../../../src/storage/contract/connection-pool.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { readSettings } from "../../../src/storage/postgres/client-settings.ts";
import { LOCK, SELECT_SCHEMA } from "../../../src/storage/postgres/migrate.ts";
import { openPostgresStore } from "../../../src/storage/postgres/open.ts";
import { nameOf, PostgresPool } from "../../../src/storage/postgres/postgres-pool.ts";
import { captureLog } from "../../harness/captured-log.ts";
import { type DatabaseProxy, startDatabaseProxy } from "../../harness/database-proxy.ts";
import { ENGINE } from "../../harness/engine.ts";
import { loadDataset } from "../../harness/load-dataset.ts";
import { newestMigration } from "../../harness/next-release.ts";
import { createDatabase, dropDatabase, queryDatabase } from "../../harness/postgres-databases.ts";
import { createLongText } from "../long-text.ts";
import { keepProjectKey } from "../project-key.ts";
import { ALPHA, createEvent, createSmallDataset } from "../small-dataset.ts";

const NEWEST = newestMigration("postgres");
const UNAVAILABLE = { code: Code.UNAVAILABLE, reason: "DATABASE_UNAVAILABLE", retryAfter: 1 };

/** Opens a database that no other test uses: these change tables and end connections. */
async function openWithUrl(dataset?: Dataset) {
  const { name, url } = await createDatabase("empty");
  onTestFinished(() => dropDatabase(name));
  const store = await open(url);
  if (dataset !== undefined) await loadDataset(store, dataset);
  return { store, url, openAnother: () => open(url) };
}

async function open(url: string, log?: StateLog): Promise<Store> {
  const store = await openPostgresStore({ engine: "postgres", url }, { log });
  onTestFinished(store.close);
  return store;
}

/** Creates a role with the rights that docs/postgres.md names. Returns the URL with which it connects. */
async function createRole(url: string): Promise<string> {
  const role = `app_${randomUUID().replaceAll("-", "")}`;
  await queryDatabase(
    url,
    `create role ${role} login;
    grant select, insert, update, delete on all tables in schema public to ${role};
    grant usage on all sequences in schema public to ${role};
    grant usage on schema public to ${role}`,
  );
  onTestFinished(async () => {
    await queryDatabase(url, `drop owned by ${role}; drop role ${role}`);
  });
  return url.replace(/[^/@]*@/, `${role}@`);
}

/** Creates a role that owns the tables, and sees nothing of the connections of others. Returns the URL with which it connects. */
async function createOwner(url: string): Promise<string> {
  const own = await createRole(url);
  const role = own.match(/([^/@]*)@/)?.[1];
  const tables = await queryDatabase(
    url,
    "select tablename as name from pg_tables where schemaname = 'public'",
  );
  // Each by itself: a store that is open would wait for some while these wait for its locks.
  for (const { name } of tables) {
    await queryDatabase(url, `alter table "${name}" owner to ${role}`);
  }
  await queryDatabase(url, `grant create on schema public to ${role}`);
  return own;
}

const SELECT_INDEXES = `
  select indexdef as definition from pg_indexes where tablename like 'content%'
  union all
  select pg_get_constraintdef(oid) from pg_constraint where conrelid::regclass::text like 'content%'
  order by 1
`;

const SELECT_LOCKED = `
  select count(*)::int as count from pg_locks
  where relation = 'content_value'::regclass and mode = 'AccessExclusiveLock'
    and database = (select oid from pg_database where datname = current_database())
`;

/** Waits until the server has ended all connections to a database, which takes it a moment. */
async function ended(url: string): Promise<void> {
  const name = new URL(url.replace("@/", "@host/")).pathname.slice(1);
  const other = url.replace(`@/${name}`, "@/postgres");
  const select = `select from pg_stat_activity where datname = '${name}'`;
  while ((await queryDatabase(other, select)).length > 0) await pause(10);
}

async function startProxy(url: string): Promise<DatabaseProxy> {
  const proxy = await startDatabaseProxy(url);
  onTestFinished(async () => proxy.close());
  return proxy;
}

describe.runIf(ENGINE === "postgres")("a store on PostgreSQL", () => {
  test("migrates an empty database once, however many open it at the same time", async () => {
    const { url } = await openWithUrl();
    await queryDatabase(url, "drop schema public cascade; create schema public");
    const stores = await Promise.all(Array.from({ length: 5 }, () => open(url)));
    for (const store of stores) expect((await store.readiness()).schema).toBe(NEWEST);
  });

  test("migrates whatever isolation and time limits the user of the database has", async () => {
    const { name, url } = await createDatabase("template0");
    onTestFinished(() => dropDatabase(name));
    const settings = ["default_transaction_isolation = serializable", "lock_timeout = 100"];
    for (const setting of [...settings, "statement_timeout = 1000"]) {
      await queryDatabase(url, `alter database ${name} set ${setting}`);
    }
    const other = new pg.Client({ connectionString: url });
    onTestFinished(() => other.end());
    await other.connect();
    await other.query("begin; set local statement_timeout = 0");
    await other.query(LOCK);
    // Behind a pooler, which rejects the settings of sessions.
    const opening = [1, 2].map(() => open(`${url}&prepare=false`));
    await pause(1_500);
    await other.query("commit");
    for (const store of await Promise.all(opening)) {
      expect((await store.readiness()).schema).toBe(NEWEST);
    }
  });

  test("rejects a database of a newer release", async () => {
    const { url } = await openWithUrl();
    await queryDatabase(url, "update schema_migration set number = 999");
    const error = { code: Code.FAILED_PRECONDITION, reason: "DATABASE_TOO_NEW" };
    const supports = `migration 999, but this release supports migrations up to ${NEWEST}`;
    await expect(open(url)).rejects.toMatchObject({
      ...error,
      message: expect.stringContaining(supports),
    });
    // A release of another line does not mark the table.
    await queryDatabase(url, "comment on table schema_migration is null");
    const message = expect.stringContaining("migration 999 of another line of releases");
    await expect(open(url)).rejects.toMatchObject({ ...error, message });
  });

  test("is unavailable where no server listens", async () => {
    await expect(open("postgres://nobody@127.0.0.1:1/none")).rejects.toMatchObject(UNAVAILABLE);
  });

  test.each([
    [
      (url: string) => url.replace(/@\/[^?]*/, "@/nothing"),
      /does not exist; create the database first$/,
    ],
    [
      (url: string) => url.replace(/[^/@]*@/, "nobody@"),
      /"nobody".*; check the user and the password/,
    ],
  ])(
    "is unavailable where the server rejects connections, and says what to do: %s",
    async (toWrong, why) => {
      const { url } = await openWithUrl();
      const wrong = toWrong(url);
      expect(wrong).not.toBe(url);
      const error = await open(wrong).catch((it: DomainError) => it);
      expect(error).toMatchObject({
        ...UNAVAILABLE,
        cause: { message: expect.stringMatching(why) },
      });
      expect(describeFailure(error)).not.toContain("\n");
    },
  );

  test.each([
    ["migrate them", "empty", /; start Marquee once as the owner of the tables, which migrates/],
    [
      "create them",
      "template0",
      /; start Marquee once as the owner of the database, which creates/,
    ],
  ])("a role that owns no tables cannot %s, and says who can", async (_, template, remedy) => {
    const { name, url } = await createDatabase(template);
    onTestFinished(() => dropDatabase(name));
    const own = await createRole(url);
    if (template === "empty") {
      await queryDatabase(url, `update schema_migration set number = ${NEWEST - 1}`);
    }
    const error = await open(own).catch((it) => it);
    const denial = /^(permission denied for schema public|must be owner of table \w+);[^\n]*$/;
    expect(describeFailure(error)).toMatch(denial);
    expect(describeFailure(error)).toMatch(remedy);
  });

  test("reports whether it is ready although every connection for transactions is taken", async () => {
    const { store } = await openWithUrl(createSmallDataset());
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const taken = Array.from({ length: 30 }, () =>
      store.transaction({ projectIds: [] }, async (unit) => {
        await unit.isEmpty();
        await held;
      }),
    );
    expect(await store.readiness()).toEqual({ schema: NEWEST, primary: true, writable: true });
    release();
    await Promise.all(taken);
  });

  test("says within seconds that a server hangs, and works on when it responds again", async () => {
    const { url, openAnother } = await openWithUrl(createSmallDataset());
    const proxy = await startProxy(url);
    const store = await open(proxy.url);
    proxy.swallow();
    const start = performance.now();
    await expect(store.readiness()).rejects.toMatchObject(UNAVAILABLE);
    expect(performance.now() - start).toBeLessThan(5_000);
    proxy.pass();
    expect(await store.readiness()).toEqual({ schema: NEWEST, primary: true, writable: true });
    await (await openAnother()).isEmpty();
  });

  test("uses no connection that hangs once another one was lost", async () => {
    const { url } = await openWithUrl();
    const proxy = await startProxy(url);
    const timeouts = { connect: 5_000, wait: 5_000, statement: 1_000 };
    const settings = readSettings({ engine: "postgres", url: proxy.url });
    const createPool = () => {
      const pool = new PostgresPool(settings, { name: "test", most: 4, timeouts, keepsIdle: true });
      onTestFinished(() => pool.close());
      return pool;
    };
    const pools = [createPool(), createPool()] as const;
    for (const pool of pools) {
      await Promise.all([1, 2, 3, 4].map(() => pool.query("select pg_sleep(0.1)")));
      expect(pool.state.idle).toBe(4);
    }
    proxy.swallow();
    await expect(pools[0].query("select 1")).rejects.toMatchObject(UNAVAILABLE);
    proxy.pass();
    for (const pool of pools) {
      for (let read = 0; read < 4; read += 1) await pool.query("select 1");
    }
  });

  test("reports once that a server is lost, and once that it is back", async () => {
    const { url } = await openWithUrl();
    const proxy = await startProxy(url);
    const { log, lines } = captureLog("warn");
    await open(proxy.url, log);
    const texts = () => lines.map(({ msg }) => msg);
    const wanted = [];
    for (const awayMs of [3_000, 0]) {
      proxy.swallow();
      wanted.push("primary database does not respond");
      await expect.poll(texts).toEqual(wanted);
      // Further polls fail as well.
      await pause(awayMs);
      expect(texts()).toEqual(wanted);
      proxy.pass();
      wanted.push("primary database responds again");
      await expect.poll(texts).toEqual(wanted);
      expect(lines.at(-1)?.away_ms).toBeGreaterThanOrEqual(awayMs);
    }
  });

  test("counts as work what a server does for a read, not the wait for a connection", async () => {
    const { store, url } = await openWithUrl(createSmallDataset());
    /** Lists events at once; returns how many of the calls were expensive. */
    async function countExpensive(): Promise<number> {
      let count = 0;
      const lists = Array.from({ length: 8 }, () => {
        const clock = () => performance.now();
        const onExpensive = () => {
          count += 1;
        };
        const budget = new WorkBudget({ clock, pause: async () => {}, onExpensive });
        const scope = {
          projectId: ALPHA,
          at: undefined,
          visibilities: [Visibility.PUBLISHED],
          words: [],
        };
        const order = { field: "start_time", direction: "asc" } as const;
        return store.events.list({ ...scope, order, limit: 1, now: new Date(0), budget });
      });
      for (const { entries } of await Promise.all(lists)) expect(entries).toHaveLength(1);
      return count;
    }
    await countExpensive();
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    await other.query("begin; lock table content");
    const working = countExpensive();
    await pause(500);
    await other.end();
    // The first on each of the four connections. The others wait for one of those, and work on a slow machine alone.
    const count = await working;
    expect(count).toBeGreaterThanOrEqual(4);
    expect(count).toBeLessThan(8);
  });

  test("survives the end of all its connections", async () => {
    const { store, url } = await openWithUrl(createSmallDataset());
    await store.secrets.getOrCreate("a", () => Uint8Array.of(1));
    await queryDatabase(
      url,
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    );
    await expect.poll(() => store.isEmpty().catch(() => "away")).toBe(false);
    expect([...(await store.secrets.getOrCreate("a", () => Uint8Array.of(2)))]).toEqual([1]);
  });

  test("reads and writes on when another process has changed a table, in any language of the server", async () => {
    const { url } = await openWithUrl(createSmallDataset());
    class Translated extends pg.Client {
      constructor(config?: pg.ClientConfig) {
        super(config);
        const { connection } = this as unknown as { readonly connection: EventEmitter };
        connection.on("errorMessage", (error: Error) => {
          error.message = "gecachter Plan darf den Ergebnistyp nicht ändern";
        });
      }
    }
    const store = await openPostgresStore({ engine: "postgres", url }, { Client: Translated });
    onTestFinished(store.close);
    const keep = (requestId: string) =>
      store.transaction({ organizationId: "acme" }, async (unit) => {
        await unit.viewerTokenKeys.get();
        await unit.secrets.getOrCreate(requestId, () => Uint8Array.of(1));
      });
    await Promise.all([store.viewerTokenKeys.get(), keep("a")]);
    await queryDatabase(url, "alter table viewer_token_key add column note text");
    expect((await store.viewerTokenKeys.get()).retired).toEqual([]);
    await keep("b");
  });

  test("keeps working through a pooler, without named statements or settings of sessions", async () => {
    const { url } = await openWithUrl(createSmallDataset());
    const store = await open(`${url}&prepare=false`);
    await store.secrets.getOrCreate("a", () => Uint8Array.of(1));
    const rows = await queryDatabase(
      url,
      "select count(*)::int as count from pg_stat_activity where datname = current_database() and query like '%secret%'",
    );
    expect(rows[0].count).toBeGreaterThan(0);
    expect((await store.in("acme").documents.video.get("video-1")).value.id).toBe("video-1");
  });

  test("names the settings that a pooler drops, which its user should have", async () => {
    const { url } = await openWithUrl(createSmallDataset());
    class Pooled extends pg.Client {
      constructor(config: pg.ClientConfig) {
        super({ ...config, options: "" });
      }
    }
    const Client = Pooled as typeof pg.Client;
    const { log, lines } = captureLog("warn");
    const openPooled = (address: string) =>
      openPostgresStore({ engine: "postgres", url: address }, { Client, log });
    await expect(openPooled(url)).rejects.toThrow(/add prepare=false to .* for its user$/);
    expect(lines).toEqual([]);
    const pooled = `${url}&prepare=false`;
    await (await openPooled(pooled)).close();
    const settings = lines.splice(0).flatMap((line) => line.settings as string[]);
    expect(settings).toContain("plan_cache_mode = force_generic_plan");
    const guide = readFileSync(new URL("../../../docs/postgres.md", import.meta.url), "utf8");
    for (const [, setting] of guide.matchAll(/^alter role marquee set (.*);$/gm)) {
      await queryDatabase(
        url,
        `do $$ begin execute format('alter database %I set ${setting?.replaceAll("'", "''")}', current_database()); end $$`,
      );
    }
    await (await openPooled(pooled)).close();
    expect(lines).toEqual([]);
  });

  test("names the remedy for missing rights", async () => {
    const { url } = await openWithUrl(createSmallDataset());
    const user = `app_${Math.random().toString(36).slice(2)}`;
    await queryDatabase(
      url,
      `create role ${user} login; grant usage on schema public to ${user};
       grant select, insert, update, delete on all tables in schema public to ${user}`,
    );
    onTestFinished(
      async () => void (await queryDatabase(url, `drop owned by ${user}; drop role ${user}`)),
    );
    const store = await open(url.replace("marquee@", `${user}@`));
    const create = (id: string) => store.in("acme").documents.event.create(createEvent(id, {}));
    await expect(create("a")).rejects.toThrow(
      /^permission denied for sequence \w+; .*grant usage on all sequences in schema public to USER/,
    );
    await queryDatabase(url, `grant usage on all sequences in schema public to ${user}`);
    await create("a");
  });

  test("names the remedy for a pooler that gives every transaction another connection", async () => {
    const remedy = /; a pooler .* add prepare=false to the database's connection string$/;
    const { url } = await openWithUrl();
    /** A connection on which another client has prepared the same statement. */
    const name = nameOf(SELECT_SCHEMA);
    class Shared extends pg.Client {
      override query(...args: unknown[]): never {
        super.query(`prepare "${name}" as select 1`).catch(() => {});
        return super.query(...(args as [string])) as never;
      }
    }
    await expect(
      openPostgresStore({ engine: "postgres", url }, { Client: Shared }),
    ).rejects.toThrow(remedy);

    // As PgBouncer rejects the settings of a session.
    const fields = "SFATAL\0C08P01\0Munsupported startup parameter: options\0\0";
    const message = Buffer.alloc(5 + fields.length);
    message.write("E");
    message.writeInt32BE(4 + fields.length, 1);
    message.write(fields, 5);
    const pooler = createServer((socket) => socket.once("data", () => socket.end(message)));
    pooler.listen(0, "127.0.0.1");
    await once(pooler, "listening");
    onTestFinished(async () => void pooler.close());
    const { port } = pooler.address() as AddressInfo;
    await expect(open(`postgres://marquee@127.0.0.1:${port}/marquee`)).rejects.toThrow(remedy);
  });

  test("rejects an id that does not fit into an index together with a value", async () => {
    const { store } = await openWithUrl(createSmallDataset());
    const id = createLongText("id", 512);
    const event = createEvent(id, { title: { en: createLongText("title", 256) } });
    const { documents } = store.in("acme");
    await expect(documents.event.create(event)).rejects.toMatchObject({
      code: Code.INVALID_ARGUMENT,
      reason: "ID_TOO_LONG",
    });
    await expect(documents.event.get(id)).rejects.toMatchObject({ code: Code.NOT_FOUND });
  });

  test("keeps nothing of an import whose connection is lost, and takes the file again", async () => {
    const { store, url } = await openWithUrl(createSmallDataset());
    const batchOf = (id: string) => [
      [{ kind: "event" as const, message: createEvent(id, {}), line: 1 }],
    ];
    async function* lost() {
      yield* batchOf("a");
      await queryDatabase(
        url,
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and state = 'idle in transaction'",
      );
      yield* batchOf("b");
    }
    await expect(store.importRecords(lost())).rejects.toMatchObject(UNAVAILABLE);
    expect(await store.in("acme").documents.event.getMany(["a", "b"])).toEqual([]);
    const again = [...batchOf("a"), ...batchOf("b")];
    expect(await store.importRecords(again)).toMatchObject({ created: 2, unchanged: 0 });
  });

  test.each([
    ["creates its indexes at the end", { isAlone: true }],
    ["to which others are connected leaves its indexes", { isAlone: false }],
    ["by its owner creates its indexes at the end", { isAlone: true, toOwn: createOwner }],
    [
      "to which other users are connected leaves its indexes",
      { isAlone: false, toOwn: createOwner },
    ],
    [
      "by a role that may not drop its indexes leaves them",
      { isAlone: true, toOwn: createRole, isLeast: true },
    ],
  ])(
    "an import into a database with few items %s",
    async (_, {
      isAlone,
      isLeast = false,
      toOwn = async (it) => it,
    }: {
      readonly isAlone: boolean;
      readonly isLeast?: boolean;
      readonly toOwn?: (url: string) => Promise<string>;
    }) => {
      const { store, url } = await openWithUrl(createSmallDataset());
      if (isAlone) await store.close();
      const before = await queryDatabase(url, SELECT_INDEXES);
      const own = await toOwn(url);
      if (isAlone) await ended(url);
      const importing = await openPostgresStore({ engine: "postgres", url: own }, { isBulk: true });
      onTestFinished(importing.close);
      const batchOf = (id: string, entityIds: string[]) => [
        [{ kind: "event" as const, message: createEvent(id, { entityIds }), line: 1 }],
      ];
      let isLocked: unknown;
      async function* batches() {
        yield* batchOf("a", ["x", "x"]);
        yield* batchOf("b", ["x"]);
        isLocked = (await queryDatabase(url, SELECT_LOCKED))[0].count > 0;
        yield* batchOf("a", ["y"]);
      }
      await importing.importRecords(batches());
      expect(isLocked).toBe(isAlone && !isLeast);
      expect(await queryDatabase(url, SELECT_INDEXES)).toEqual(before);
      const rows = await queryDatabase(
        url,
        "select id, value from content_value where value in ('sx', 'sy') order by id",
      );
      expect(rows).toEqual([
        { id: "a", value: "sy" },
        { id: "b", value: "sx" },
      ]);
    },
  );

  test("keeps nothing of an import of which the server rejects a row, and fails as it does", async () => {
    const { store, url } = await openWithUrl(createSmallDataset());
    await queryDatabase(
      url,
      "alter table content_leaf add constraint refused check (key <> 'srefused')",
    );
    const records = ["match", "refused", "match"].map((contentType, number) => ({
      ...{ kind: "event" as const, line: number + 1 },
      message: createEvent(`new-${number}`, { contentType }),
    }));
    await expect(store.importRecords([records])).rejects.toMatchObject({
      code: "23514",
    });
    expect(await store.in("acme").documents.event.getMany(["new-0", "new-1", "new-2"])).toEqual([]);
    const [first] = records;
    if (first === undefined) throw new Error("there is a first");
    expect(await store.importRecords([[first]])).toMatchObject({ created: 1 });
  });

  test("runs claims of streams and counts again that a conflict undid", async () => {
    const { store, url } = await openWithUrl(createSmallDataset());
    for (const [table, code] of [
      ["lease", "40001"],
      ["rate_count", "40P01"],
    ]) {
      await queryDatabase(url, `create sequence ${table}_attempt`);
      await queryDatabase(
        url,
        `create function ${table}_conflict() returns trigger language plpgsql as $$
         begin
           if nextval('${table}_attempt') < 3 then raise exception 'x' using errcode = '${code}'; end if;
           return new;
         end $$;
         create trigger conflict before insert on ${table} for each row execute function ${table}_conflict()`,
      );
    }
    const now = new Date();
    const expireTime = new Date(now.getTime() + 60_000);
    const session = { projectId: "alpha", userId: "u", sessionKey: "s", videoId: "video-1" };
    const claim = { ...session, limit: 1, now, expireTime };
    expect(await store.leases.claim(claim)).toEqual({ kind: "held" });
    const counts = new Map([["a", 2]]);
    expect(await store.rateCounts.add(7, counts)).toEqual(counts);
    for (const table of ["lease", "rate_count"]) {
      const rows = await queryDatabase(
        url,
        `select last_value::int as attempts from ${table}_attempt`,
      );
      expect(rows).toEqual([{ attempts: 3 }]);
    }
  });

  test("a change of keys moves the version of access in other stores, one of content does not", async () => {
    const { store, openAnother } = await openWithUrl(createSmallDataset());
    const other = await openAnother();
    await waitForPolls();
    const before = other.accessVersion();
    const { documents } = store.in("acme");
    await documents.video.update("video-1", ({ value }) => ({ ...value, name: "changed" }));
    await expect.poll(() => other.knownRevision("alpha")).toBe(store.knownRevision("alpha"));
    await waitForPolls();
    expect(other.accessVersion()).toBe(before);
    const key = {
      publicKey: Uint8Array.of(1),
      privateKey: Uint8Array.of(2),
      createTime: new Date(),
    };
    await store.viewerTokenKeys.begin(() => ({ id: "k", ...key }));
    await expect.poll(() => other.accessVersion()).toBeGreaterThan(before);
  });

  test("a change of keys moves the version of its project, one of tokens or of other projects does not", async () => {
    const { store, openAnother } = await openWithUrl(createSmallDataset());
    const other = await openAnother();
    const stores = [store, other];
    const versions = () => stores.map((it) => it.accessVersion());
    const ofAlpha = () => stores.map((it) => it.accessVersion(ALPHA));
    let before = versions();
    const token = create(AccessTokenSchema, { id: "t", accountId: "ann" });
    await store.in("acme").documents.access_token.create(token, { hash: Uint8Array.of(1) });
    await keepProjectKey(store, "gamma", "public", Uint8Array.of(2));
    for (const [index, it] of stores.entries()) {
      await it.catchUp();
      expect(it.accessVersion()).toBeGreaterThan(before[index] ?? 0);
      expect(ofAlpha()[index]).toBeLessThanOrEqual(before[index] ?? 0);
    }
    before = versions();
    await keepProjectKey(store, ALPHA, "public", Uint8Array.of(3));
    await other.catchUp();
    expect(ofAlpha()).toEqual(versions());
    for (const [index, version] of before.entries()) {
      expect(ofAlpha()[index]).toBeGreaterThan(version);
    }
  });

  /** Opens a store that counts the rows of its results. */
  async function openCounted(url: string) {
    const counted = { rows: 0 };
    class Client extends pg.Client {
      override query(...args: [never]) {
        const running: unknown = super.query(...args);
        const count = ({ rowCount }: pg.QueryResult) => {
          counted.rows += rowCount ?? 0;
        };
        if (running instanceof Promise) running.then(count, () => {});
        return running as never;
      }
    }
    const store = await openPostgresStore(
      { engine: "postgres", url },
      { Client: Client as unknown as typeof pg.Client },
    );
    onTestFinished(store.close);
    return { store, counted };
  }

  // Of a transaction before all that other tests have open on this server.
  const RETIRE = `insert into retired_counter (type, id, change_count, uid, change_xid)
    select 'project', 'deleted-' || number, 1, 'uid-' || number, '3' from generate_series(1, 5000) as number`;

  test("do not read the projects that were deleted before: there may be millions", async () => {
    const { url } = await openWithUrl(createSmallDataset());
    await queryDatabase(url, RETIRE);
    const { store, counted } = await openCounted(url);
    expect(store.knownRevision("alpha")).toBeGreaterThan(0);
    expect(store.knownRevision("deleted-1")).toBeUndefined();
    expect(counted.rows).toBeLessThan(1_000);
  });

  test("read each row of a dump once, although its server was at a later transaction", async () => {
    const { url } = await openWithUrl(createSmallDataset());
    await queryDatabase(url, RETIRE);
    await queryDatabase(
      url,
      `alter table retired_counter disable trigger user;
      update retired_counter set change_xid = '9000000000';
      update organization set change_xid = '9000000000';
      update project set change_xid = '9000000000', access_xid = '9000000000'`,
    );
    const { store, counted } = await openCounted(url);
    const version = store.accessVersion();
    counted.rows = 0;
    await waitForPolls();
    expect(counted.rows).toBeLessThan(20);
    expect(store.knownRevision("alpha")).toBeGreaterThan(0);
    const other = await open(url);
    await keepProjectKey(other, ALPHA, "public", Uint8Array.of(7));
    await expect.poll(() => store.accessVersion()).toBeGreaterThan(version);
  });

  test("select changes once while another transaction runs, and its own when it ends", async () => {
    const { url, openAnother } = await openWithUrl(createSmallDataset());
    const { store, counted } = await openCounted(url);
    const revision = store.knownRevision("beta") ?? 0;
    const running = new pg.Client({ connectionString: url });
    onTestFinished(() => running.end());
    await running.connect();
    await running.query(
      "begin; update project set change_count = change_count + 1 where id = 'beta'",
    );
    await store.catchUp();
    const other = await openAnother();
    await keepProjectKey(other, ALPHA, "public", Uint8Array.of(7));
    await keepProjectKey(other, "gamma", "public", Uint8Array.of(8));
    await store.catchUp();
    counted.rows = 0;
    for (let poll = 0; poll < 20; poll += 1) await store.catchUp();
    // One without a change for each, also of those that its timer made.
    expect(counted.rows).toBeLessThan(30);
    await running.query("commit");
    await store.catchUp();
    expect(store.knownRevision("beta")).toBeGreaterThan(revision);
  });

  test("see deletions before and while their server is lost, and take it for the same", async () => {
    const { store, url } = await openWithUrl(createSmallDataset());
    const proxy = await startProxy(url);
    const { log, lines } = captureLog("warn");
    const other = await open(proxy.url, log);
    const erase = async (id: string, organizationId: string) => {
      await store.emptyProject({ id, organizationId });
      await store.in(organizationId).documents.project.delete(id, () => {});
    };
    await erase("alpha", "acme");
    await expect.poll(() => other.knownRevision("alpha")).toBeUndefined();
    expect(other.knownRevision("beta")).toBeDefined();
    proxy.swallow();
    await expect.poll(() => lines.length, { timeout: 8_000 }).toBe(1);
    await erase("beta", "acme");
    proxy.pass();
    await expect.poll(() => other.knownRevision("beta"), { timeout: 8_000 }).toBeUndefined();
    await waitForPolls();
    expect(lines.map(({ msg }) => msg)).toEqual([
      "primary database does not respond",
      "primary database responds again",
    ]);
  });

  test("a clock that differs from the clock of the database is reported once, and again when it agrees", async () => {
    const { url } = await openWithUrl();
    const clock = vi.spyOn(Date, "now");
    onTestFinished(() => clock.mockRestore());
    let ahead = 0;
    clock.mockImplementation(() => performance.timeOrigin + performance.now() + ahead);
    const { log, lines } = captureLog("warn");
    const store = await open(url, log);
    const look = async (milliseconds: number) => {
      ahead = milliseconds;
      for (let turn = 0; turn < 3; turn += 1) await store.catchUp();
      return lines.splice(0).map(({ msg, ahead_seconds }) => [msg, ahead_seconds]);
    };
    const [differs, agrees] = ["differs from", "agrees with"].map(
      (verb) => `clock ${verb} the clock of the database${verb === "agrees with" ? " again" : ""}`,
    );
    expect(await look(4_000)).toEqual([]);
    expect(await look(7_000)).toEqual([[differs, 7]]);
    expect(await look(4_000)).toEqual([]);
    expect(await look(1_000)).toEqual([[agrees, 1]]);
    expect(await look(-3_600_000)).toEqual([[differs, -3_600]]);
  });
});

/** Waits until every store has polled at least once. */
async function waitForPolls(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 600));
}
