import type { AnsweredRequestStore } from "../store.ts";
import type { Connections } from "./connections.ts";
import { inTransaction } from "./in-transaction.ts";
import { scopeOf } from "./scope-of.ts";
import { dateToMicros, microsToDate } from "./times.ts";

/** Creates the store of answers to calls with a request id. */
export function createAnsweredRequestStore(connections: Connections): AnsweredRequestStore {
  const { read } = connections;
  return {
    async find(accountId, requestId, now) {
      const row = await read
        .selectFrom("answered_request")
        .selectAll()
        .where("account_id", "=", accountId)
        .where("request_id", "=", requestId)
        .where("expire_time", ">", dateToMicros(now))
        .executeTakeFirst();
      return (
        row && {
          accountId,
          requestId,
          requestHash: row.request_hash,
          answer: row.answer,
          expireTime: microsToDate(row.expire_time),
        }
      );
    },

    keep: ({ accountId, requestId, requestHash, answer, expireTime }, now) =>
      inTransaction(connections, scopeOf("account", accountId), async (tx) => {
        await tx
          .deleteFrom("answered_request")
          .where("expire_time", "<=", dateToMicros(now))
          .execute();
        await tx
          .insertInto("answered_request")
          .values({
            account_id: accountId,
            request_id: requestId,
            request_hash: requestHash,
            answer,
            expire_time: dateToMicros(expireTime),
          })
          .execute();
      }),
  };
}
