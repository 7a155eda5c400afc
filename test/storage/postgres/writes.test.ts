import { create } from "@bufbuild/protobuf";
import { sql } from "kysely";
import pg from "pg";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { EntrySchema } from "../../../gen/svc/studio/iam/audit/v1/entry_pb.ts";
import { VideoSchema } from "../../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import { Code } from "../../../src/domain/base/errors.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import type { Db, Tx } from "../../../src/storage/db/db.ts";
import { readSettings } from "../../../src/storage/postgres/client-settings.ts";
import { openPostgresStore } from "../../../src/storage/postgres/open.ts";
import { MOST_PREPARED, PostgresPool } from "../../../src/storage/postgres/postgres-pool.ts";
import { ENGINE } from "../../harness/engine.ts";
import { loadDataset } from "../../harness/load-dataset.ts";
import { createDatabase, dropDatabase } from "../../harness/postgres-databases.ts";
import { RoundTrips } from "../../harness/round-trips.ts";
import { ALPHA, BETA, createEvent, createSmallDataset, GAMMA } from "../small-dataset.ts";

const ERROR = new Error("no");
const EXISTS = { code: Code.ALREADY_EXISTS };

let url: string;
beforeEach(async () => {
  if (ENGINE !== "postgres") return;
  const database = await createDatabase("empty");
  url = database.url;
  onTestFinished(() => dropDatabase(database.name));
});

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

describe.runIf(ENGINE === "postgres")("statements that are sent together", () => {
  let db: PostgresPool;
  beforeEach(async () => {
    await (await connect()).query("create table letter (id text primary key)");
    // Every transaction runs on the connection of the one before.
    db = new PostgresPool(readSettings({ engine: "postgres", url }), { name: "write", most: 1 });
    onTestFinished(() => db.close());
  });

  const put = (id: string) => sql`insert into letter values (${id})`;
  const READ = sql<{ readonly id: string }>`select id from letter order by id`;
  const read = async (on: Db = db) => (await on.all(READ)).map(({ id }) => id);
  const transact = <T>(run: (tx: Tx) => Promise<T>) => db.transaction(run);
  /** Puts a letter twice: the second time fails, unseen until something is waited for. */
  const putTwice = async (tx: Tx, id: string) => {
    for (const each of [id, id]) await tx.run(put(each));
  };
  const expectUsable = async () => {
    expect(await read()).toEqual([]);
    expect(await transact(async (tx) => tx.all(put("z")).then(() => read(tx)))).toEqual(["z"]);
    expect(await read()).toEqual(["z"]);
  };

  test("are executed in order, and each has its own result", async () => {
    const got = await transact(async (tx) => {
      await tx.run(put("a"));
      return Promise.all([read(tx), tx.all(put("b")), read(tx)]);
    });
    expect(got).toEqual([["a"], [], ["a", "b"]]);
    expect(await read()).toEqual(["a", "b"]);
  });

  test.each([
    ["short", 512, ""],
    ["long", 8, "x".repeat(MOST_PREPARED / 8 - 23)],
  ])(
    "end the connection after so many characters, if all differ and are %s",
    async (_, most, text) => {
      const run = (number: number) =>
        db.query(`select ${String(number).padStart(9)} /* ${text} */`);
      for (let number = 1; number < most; number += 1) await run(number);
      for (let repeated = 0; repeated < 2; repeated += 1) await run(1);
      expect(db.opened).toBe(1);
      await run(most);
      await run(0);
      expect(db.opened).toBe(2);
    },
  );

  test("fail from the first failure on, and leave nothing", async () => {
    const seen: unknown[] = [];
    const writing = transact(async (tx) => {
      await tx.run(put("a"));
      await putTwice(tx, "b");
      await tx.run(put("c"));
      seen.push(await read(tx));
    });
    await expect(writing).rejects.toMatchObject(EXISTS);
    expect(seen).toEqual([]);
    await expectUsable();
  });

  test("undo the transaction if they fail with the commit", async () => {
    const writing = transact(async (tx) => {
      await tx.all(put("a"));
      await putTwice(tx, "b");
    });
    await expect(writing).rejects.toMatchObject(EXISTS);
    await expectUsable();
  });

  test("report their failure to whoever rolls back, as a dry run does", async () => {
    const failing = transact(async (tx) => {
      await putTwice(tx, "a");
      throw ERROR;
    });
    await expect(failing).rejects.toMatchObject(EXISTS);
    const good = transact(async (tx) => {
      await tx.run(put("a"));
      throw ERROR;
    });
    await expect(good).rejects.toBe(ERROR);
    await expectUsable();
  });

  test("of a part that failed are undone alone", async () => {
    const got = await transact(async (tx) => {
      await tx.transaction(() => tx.run(put("a")));
      const part = tx.transaction(async () => {
        await tx.run(put("b"));
        await tx.all(put("a"));
      });
      await expect(part).rejects.toMatchObject(EXISTS);
      await tx.transaction(() => tx.run(put("c")));
      return read(tx);
    });
    expect(got).toEqual(["a", "c"]);
    expect(await read()).toEqual(["a", "c"]);
  });

  test("of an earlier part undo everything, though a later part reports it", async () => {
    const writing = transact(async (tx) => {
      await tx.transaction(() => putTwice(tx, "a"));
      await tx.transaction(() => read(tx)).catch(() => {});
      await tx.run(put("b"));
    });
    await expect(writing).rejects.toMatchObject(EXISTS);
    await expectUsable();
  });
});

describe.runIf(ENGINE === "postgres")("writes of projects", () => {
  let store: Store;
  let trips: RoundTrips;
  beforeEach(async () => {
    trips = new RoundTrips((text) => text.includes("read write"));
    store = await openPostgresStore({ engine: "postgres", url }, { Client: trips.Client });
    onTestFinished(() => store.close());
    const videos = [ALPHA, BETA].map((projectId) =>
      create(VideoSchema, { id: `video-${projectId}`, projectId }),
    );
    await loadDataset(store, createSmallDataset({ videos, annotations: [] }));
    trips.reset();
  });

  const rename = (name: string, within: Store = store) =>
    within
      .in("acme")
      .pageComponents.update("page_component-1", ({ value }) => ({ ...value, name }));
  const nameOf = async () =>
    (await store.in("acme").pageComponents.get("page_component-1")).value.name;

  test("take three round trips with their audit entry", async () => {
    const entry = create(EntrySchema, { id: "e", organizationId: "acme", time: { seconds: 1n } });
    await store.transaction({ projectIds: [ALPHA] }, async (unit) => {
      await rename("new", unit);
      await unit.audit.add(entry);
    });
    expect(trips.count).toBe(3);
    expect(await nameOf()).toBe("new");
  });

  /** Locks the project as another process does, until the function that is returned is called. */
  async function lockProject() {
    const other = await connect();
    await other.query("begin");
    await other.query("select from project where id = $1 for update", [ALPHA]);
    return () => other.query("commit");
  }

  async function countWaiting(): Promise<number> {
    const waiting = `select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    const client = await connect();
    return (await client.query(waiting)).rows[0].count;
  }

  test("wait for a locked project on one connection, and those of others do not", async () => {
    const before = store.knownRevision(ALPHA) ?? 0;
    const release = await lockProject();
    const writers = Array.from({ length: 24 }, (_, index) => rename(`${index}`));
    await expect.poll(countWaiting).toBe(1);
    for (let number = 0; number < 5; number += 1) {
      await store.in("acme").documents.video.touch("video-beta", ({ value }) => value);
    }
    expect(await countWaiting()).toBe(1);
    await release();
    await Promise.all(writers);
    expect(store.knownRevision(ALPHA)).toBe(before + 24);
  });

  test("wait for a long one of their project, and those of others do not", async () => {
    let short: Promise<unknown> | undefined;
    await store.transaction({ projectIds: [ALPHA], isLong: true }, async (unit) => {
      await rename("long", unit);
      short = rename("short");
      await expect.poll(countWaiting).toBe(1);
      await store.in("acme").documents.video.touch("video-beta", ({ value }) => value);
    });
    await short;
    expect(await nameOf()).toBe("short");
  });

  test("in a group fail alone, also if the failure shows later, and survive conflicts", async () => {
    const client = await connect();
    await client.query("create sequence attempt");
    await client.query(
      `create function refuse() returns trigger language plpgsql as $$
       begin
         if new.group_id = 'taken' then raise exception 'x' using errcode = '23505'; end if;
         if new.group_id = 'conflict' and nextval('attempt') = 1 then raise exception 'x' using errcode = '40P01'; end if;
         return new;
       end $$;
       create trigger refuse before update on page_component for each row execute function refuse()`,
    );
    const before = store.knownRevision(ALPHA) ?? 0;
    const groups = ["a", "taken", "b", "conflict", "c", "taken", "d"];
    // All but the first wait for the end of its group.
    const release = await lockProject();
    const first = rename("first");
    await expect.poll(countWaiting).toBe(1);
    const writing = groups.map((groupId) =>
      store
        .in("acme")
        .pageComponents.update("page_component-1", ({ value }) => ({ ...value, groupId })),
    );
    // Behind their search for the project.
    await store.in("acme").documents.video.touch("video-beta", ({ value }) => value);
    await release();
    await first;
    const results = await Promise.allSettled(writing);
    expect(results.map(({ status }) => status === "fulfilled")).toEqual(
      groups.map((it) => it !== "taken"),
    );
    expect(results[1]).toMatchObject({ reason: EXISTS });
    expect(store.knownRevision(ALPHA)).toBe(before + 6);
  });

  test("a claim of a stream is tried again after a conflict", async () => {
    await (await connect()).query(
      `create sequence attempt;
       create function refuse() returns trigger language plpgsql as $$
       begin
         if nextval('attempt') = 1 then raise exception 'x' using errcode = '40P01'; end if;
         return new;
       end $$;
       create trigger refuse before insert on lease for each row execute function refuse()`,
    );
    const now = new Date();
    const claim = { projectId: ALPHA, userId: "viewer", sessionKey: "one", videoId: "video-1" };
    const expireTime = new Date(now.getTime() + 60_000);
    const got = await store.leases.claim({ ...claim, limit: 1, now, expireTime });
    expect([got, await store.leases.count(now)]).toEqual([{ kind: "held" }, 1]);
  });
});

test.runIf(ENGINE === "postgres")(
  "the numbers of paths begin again after the last one, without numbers in use",
  async () => {
    const store = await openPostgresStore({ engine: "postgres", url });
    onTestFinished(store.close);
    const event = createEvent("event", { fields: { a: 1, b: 2 } });
    await loadDataset(store, createSmallDataset({ events: [event] }));
    const client = await connect();
    await client.query("alter table content_path alter column path restart with 2147483646");
    const fields = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`new${at}`, at]));
    const { documents } = store.in("acme");
    await documents.event.update("event", ({ value }) => ({ ...value, fields }));
    expect((await documents.event.get("event")).value.fields).toEqual(fields);
    const { rows } = await client.query(
      "select count(*)::int as paths, count(distinct name)::int as names from content_path where name like 'fields.new%'",
    );
    expect(rows).toEqual([{ paths: 40, names: 40 }]);
  },
);

test.runIf(ENGINE === "postgres")(
  "a stream waits for one claim of another project or viewer, not for all of them",
  async () => {
    const store = await openPostgresStore({ engine: "postgres", url });
    onTestFinished(store.close);
    await loadDataset(store, createSmallDataset());
    const now = new Date();
    const expireTime = new Date(now.getTime() + 60_000);
    const ended: string[] = [];
    const claim = async (projectId: string, userId: string, sessionKey: string) => {
      const session = { userId, sessionKey, videoId: "video", limit: 1 };
      await store.leases.claim({ projectId, ...session, now, expireTime });
      ended.push(`${projectId} ${userId}`);
    };
    const all = Array.from({ length: 200 }, (_, at) => claim(ALPHA, "many", `session-${at}`));
    await Promise.all([...all, claim(GAMMA, "one", "session"), claim(ALPHA, "one", "session")]);
    for (const projectId of [GAMMA, ALPHA])
      expect(ended.indexOf(`${projectId} one`)).toBeLessThan(100);
  },
);
