import { type RawBuilder, sql } from "kysely";
import { databaseUnavailable, notFound } from "../../../domain/base/errors.ts";
import type { LeaseClaim, LeaseResult, LeaseStore } from "../../contract/playback.ts";
import { onlyRow, type Tx } from "../../db/db.ts";
import { build } from "../../db/query.ts";
import { dateToMicros } from "../../db/times.ts";
import { ConnectedStore } from "../base/connections.ts";
import { deleteSome } from "../base/delete-some.ts";
import type { Dialect } from "../base/dialect.ts";
import { retryConflicts } from "../base/in-transaction.ts";
import { SqlAccessStore } from "./access.ts";

/** Maximum number of expired leases, of any viewer, that one claim deletes. */
const SWEPT = 100;

/** How long a claim waits for earlier ones of its viewer, in milliseconds. */
const MOST_WAIT_MS = 10_000;

/** A claim by the project's uid, so that a later project of the same id does not inherit its streams. */
type UidClaim = LeaseClaim & { readonly projectUid: string };

/** The concurrent streams of viewers. */
export class SqlLeaseStore extends ConnectedStore implements LeaseStore {
  readonly #claims = { held: 0, full: 0 };
  readonly #access = new SqlAccessStore(this.connections);
  /** The end of the last claim of each viewer with claims in progress. */
  readonly #ends = new Map<string, Promise<unknown>>();

  get claims(): Readonly<Record<LeaseResult["kind"], number>> {
    return this.#claims;
  }

  async claim(wanted: LeaseClaim): Promise<LeaseResult> {
    const { dialect } = this.connections;
    const projectUid = await this.#access.findProjectUid(wanted.projectId);
    if (projectUid === undefined) throw notFound("project", wanted.projectId);
    const claim = { ...wanted, projectUid };
    const viewer = `${projectUid} ${claim.userId}`;
    const transact = () =>
      this.#transact<LeaseResult>(projectUid, async (tx) => {
        // The claims of a viewer count each other's streams.
        await dialect.lockName(tx, viewer);
        const isHeld = (await renew(tx, claim)) || (await take(tx, claim));
        await sweep(tx, dialect, claim);
        if (isHeld) return { kind: "held" };
        return { kind: "full", ...(await findHolders(tx, claim)) };
      });
    const result = await this.#inTurn(viewer, transact);
    this.#claims[result.kind] += 1;
    return result;
  }

  async count(now: Date): Promise<number> {
    const rows = await this.connections.leases.all(
      build
        .selectFrom("lease")
        .select(({ fn }) => fn.countAll().as("streams"))
        .where("expire_time", ">", dateToMicros(now)),
    );
    return Number(onlyRow(rows).streams);
  }

  async release({
    projectId,
    userId,
    sessionKey,
  }: Pick<LeaseClaim, "projectId" | "sessionKey" | "userId">): Promise<void> {
    const projectUid = await this.#access.findProjectUid(projectId);
    if (projectUid === undefined) return;
    await this.#transact(projectUid, (tx) => erase(tx, { projectUid, userId, sessionKey }));
  }

  /** Runs the claims of a viewer one after the other: all at once would occupy connections while they wait for the lock. */
  async #inTurn<T>(viewer: string, claim: () => Promise<T>): Promise<T> {
    const start = performance.now();
    const claiming = (this.#ends.get(viewer) ?? Promise.resolve()).then(() => {
      if (performance.now() - start < MOST_WAIT_MS) return claim();
      throw databaseUnavailable(new Error("the claims before it take too long"));
    });
    const end = claiming.catch(() => {});
    this.#ends.set(viewer, end);
    try {
      return await claiming;
    } finally {
      if (this.#ends.get(viewer) === end) this.#ends.delete(viewer);
    }
  }

  #transact<T>(projectUid: string, run: (tx: Tx) => Promise<T>): Promise<T> {
    const { dialect, leases } = this.connections;
    return retryConflicts(dialect, () => leases.transaction(run, projectUid));
  }
}

/** Extends the lease of a session; false if it has none. */
async function renew(tx: Tx, claim: UidClaim): Promise<boolean> {
  const renewed = await tx.all(
    build
      .updateTable("lease")
      .set({ video_id: claim.videoId, expire_time: dateToMicros(claim.expireTime) })
      .where("project_uid", "=", claim.projectUid)
      .where("user_id", "=", claim.userId)
      .where("session_key", "=", claim.sessionKey)
      .where("expire_time", ">", dateToMicros(claim.now))
      .where("expire_time", "<=", dateToMicros(findLatestEnd(claim)))
      .returning("session_key"),
  );
  return renewed.length > 0;
}

/** Counts and writes a lease in one statement, which writes none if no stream is free. */
async function take(tx: Tx, claim: UidClaim): Promise<boolean> {
  const { projectUid, userId, sessionKey, videoId, limit } = claim;
  const now = toTime(claim.now);
  await erase(tx, claim);
  const ofViewer = sql`project_uid = ${projectUid} and user_id = ${userId}
    and expire_time > ${now} and expire_time <= ${toTime(findLatestEnd(claim))}`;
  const rows = await tx.all(sql`
    insert into lease (project_uid, user_id, session_key, video_id, start_time, expire_time)
    select ${projectUid}, ${userId}, ${sessionKey}, ${videoId}, ${now}, ${toTime(claim.expireTime)}
    where (select count(*) from lease where ${ofViewer}) < ${limit}
    returning session_key
  `);
  return rows.length > 0;
}

async function erase(
  tx: Tx,
  { projectUid, userId, sessionKey }: Pick<UidClaim, "projectUid" | "sessionKey" | "userId">,
): Promise<void> {
  await tx.run(
    build
      .deleteFrom("lease")
      .where("project_uid", "=", projectUid)
      .where("user_id", "=", userId)
      .where("session_key", "=", sessionKey),
  );
}

async function findHolders(
  tx: Tx,
  claim: UidClaim,
): Promise<Pick<Extract<LeaseResult, { kind: "full" }>, "freeTime" | "sessionKeys">> {
  const { projectUid, userId, now, limit } = claim;
  const rows = await tx.all(
    build
      .selectFrom("lease")
      .select(["session_key", "expire_time"])
      .where("project_uid", "=", projectUid)
      .where("user_id", "=", userId)
      .where("expire_time", ">", dateToMicros(now))
      .where("expire_time", "<=", dateToMicros(findLatestEnd(claim)))
      .orderBy("start_time")
      .orderBy("session_key"),
  );
  const sessionKeys = rows.slice(0, Math.max(0, limit)).map((row) => row.session_key);
  // If the limit was lowered, more than one must end.
  const ends = rows.map((row) => row.expire_time).sort((a, b) => a - b);
  const free = limit > 0 ? ends[rows.length - limit] : undefined;
  return {
    sessionKeys,
    ...(free !== undefined && { freeTime: new Date(Math.ceil(free / 1_000)) }),
  };
}

/**
 * Returns the latest plausible expiration of a lease. A later one was taken before the clock was set back, and would
 * count too long. The clocks of two machines may differ by the length of a lease.
 */
function findLatestEnd({ now, expireTime }: LeaseClaim): Date {
  return new Date(2 * expireTime.getTime() - now.getTime());
}

async function sweep(tx: Tx, { skipLocked }: Dialect, { now }: LeaseClaim): Promise<void> {
  const ended = deleteSome({
    table: "lease",
    key: ["project_uid", "user_id", "session_key"],
    condition: sql`expire_time <= ${dateToMicros(now)}`,
    orderedBy: "expire_time",
    limit: SWEPT,
    end: skipLocked,
  });
  await tx.run(ended);
}

/** Casts a number: a bare SELECT has no column to take its type from. */
function toTime(date: Date): RawBuilder<number> {
  return sql`cast(${dateToMicros(date)} as bigint)`;
}
