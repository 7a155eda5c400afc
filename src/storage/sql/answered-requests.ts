import type { AnsweredRequestStore } from "../store.ts";
import type { Connections } from "./connections.ts";
import { inTransaction } from "./in-transaction.ts";
import type { Schema } from "./schema.ts";
import { createWrite } from "./statement.ts";
import { dateToMicros, microsToDate } from "./times.ts";

/** Creates the store of responses to calls with a request id. */
export function createAnsweredRequestStore(connections: Connections): AnsweredRequestStore {
  const { read } = connections;
  return {
    async find(account, requestId, now) {
      const row = await read
        .selectFrom("answered_request")
        .selectAll()
        .where("organization_id", "=", account.organizationId)
        .where("account_id", "=", account.id)
        .where("request_id", "=", requestId)
        .where("expire_time", ">", dateToMicros(now))
        .executeTakeFirst();
      return (
        row && {
          account,
          requestId,
          requestHash: row.request_hash,
          answer: row.answer,
          expireTime: microsToDate(row.expire_time),
        }
      );
    },

    keep: ({ account, requestId, requestHash, answer, expireTime }, now) =>
      inTransaction(connections, { organizationId: account.organizationId }, async (tx) => {
        await ERASE_EXPIRED(tx, { now: dateToMicros(now) });
        await INSERT(tx, {
          organization_id: account.organizationId,
          account_id: account.id,
          request_id: requestId,
          request_hash: requestHash,
          answer,
          expire_time: dateToMicros(expireTime),
        });
      }),
  };
}

const ERASE_EXPIRED = createWrite((db, { now }: { readonly now: number }) =>
  db.deleteFrom("answered_request").where("expire_time", "<=", now),
);

const INSERT = createWrite((db, row: Schema["answered_request"]) =>
  db.insertInto("answered_request").values({
    organization_id: row.organization_id,
    account_id: row.account_id,
    request_id: row.request_id,
    request_hash: row.request_hash,
    answer: row.answer,
    expire_time: row.expire_time,
  }),
);
