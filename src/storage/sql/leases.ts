import { type RawBuilder, sql, type Transaction } from "kysely";
import type { LeaseClaim, LeaseStore } from "../playback-store.ts";
import type { Connections, Schema } from "./schema.ts";
import { dateToMicros } from "./times.ts";

/** How many expired leases, of whichever viewers, a claim clears away at most. */
const SWEPT = 100;

/** Creates the store of leases. */
export function createLeaseStore({ write, leases = write }: Connections): LeaseStore {
  return {
    claim: (claim) =>
      leases.transaction().execute(async (tx) => {
        const { rows } = await takeOrRenew(claim).execute(tx);
        await sweep(tx, claim);
        if (rows.length > 0) return { kind: "held" };
        return { kind: "full", sessionKeys: await findHolders(tx, claim) };
      }),

    release: ({ projectId, userId, sessionKey }) =>
      leases.transaction().execute(async (tx) => {
        await tx
          .deleteFrom("lease")
          .where("project_id", "=", projectId)
          .where("user_id", "=", userId)
          .where("session_key", "=", sessionKey)
          .execute();
      }),
  };
}

/** Counts and writes in one statement; a claim that finds the streams taken returns no row. */
function takeOrRenew(claim: LeaseClaim): RawBuilder<{ readonly session_key: string }> {
  const { projectId, userId, sessionKey, videoId, limit } = claim;
  const now = toTime(claim.now);
  const ofViewer = sql`project_id = ${projectId} and user_id = ${userId} and expire_time > ${now}`;
  return sql`
    insert into lease (project_id, user_id, session_key, video_id, start_time, expire_time)
    select ${projectId}, ${userId}, ${sessionKey}, ${videoId}, ${now}, ${toTime(claim.expireTime)}
    where (select count(*) from lease where ${ofViewer} and session_key <> ${sessionKey}) < ${limit}
      or exists (select 1 from lease where ${ofViewer} and session_key = ${sessionKey})
    on conflict (project_id, user_id, session_key) do update set
      video_id = excluded.video_id,
      start_time = case when lease.expire_time > excluded.start_time
        then lease.start_time else excluded.start_time end,
      expire_time = excluded.expire_time
    returning session_key
  `;
}

async function findHolders(tx: Transaction<Schema>, claim: LeaseClaim): Promise<string[]> {
  const rows = await tx
    .selectFrom("lease")
    .select("session_key")
    .where("project_id", "=", claim.projectId)
    .where("user_id", "=", claim.userId)
    .where("expire_time", ">", dateToMicros(claim.now))
    .orderBy("start_time")
    .orderBy("session_key")
    .limit(Math.max(0, claim.limit))
    .execute();
  return rows.map((row) => row.session_key);
}

async function sweep(tx: Transaction<Schema>, { now }: LeaseClaim): Promise<void> {
  await tx
    .deleteFrom("lease")
    .where((eb) =>
      eb(
        eb.refTuple("project_id", "user_id", "session_key"),
        "in",
        eb
          .selectFrom("lease")
          .select(["project_id", "user_id", "session_key"])
          .where("expire_time", "<=", dateToMicros(now))
          .orderBy("expire_time")
          .limit(SWEPT)
          .$asTuple("project_id", "user_id", "session_key"),
      ),
    )
    .execute();
}

/** A number of a SELECT has no column that would say its type. */
function toTime(date: Date): RawBuilder<number> {
  return sql`cast(${dateToMicros(date)} as bigint)`;
}
