import { build, prepare, type SlotOf } from "../db/query.ts";
import type { Schema } from "../db/schema.ts";
import type { AnsweredRequestStore } from "../store.ts";
import type { Connections } from "./connections.ts";
import { inTransaction } from "./in-transaction.ts";
import { dateToMicros, microsToDate } from "./times.ts";

/** Creates the store of responses to calls with a request id. */
export function createAnsweredRequestStore(connections: Connections): AnsweredRequestStore {
  const { read } = connections;
  return {
    async find(account, requestId, now) {
      const row = await read.first(
        build
          .selectFrom("answered_request")
          .selectAll()
          .where("organization_id", "=", account.organizationId)
          .where("account_id", "=", account.id)
          .where("request_id", "=", requestId)
          .where("expire_time", ">", dateToMicros(now)),
      );
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
        await tx.run(ERASE_EXPIRED({ now: dateToMicros(now) }));
        await tx.run(
          INSERT({
            organization_id: account.organizationId,
            account_id: account.id,
            request_id: requestId,
            request_hash: requestHash,
            answer,
            expire_time: dateToMicros(expireTime),
          }),
        );
      }),
  };
}

const ERASE_EXPIRED = prepare((slot: SlotOf<{ readonly now: number }>) =>
  build.deleteFrom("answered_request").where("expire_time", "<=", slot("now")),
);

const INSERT = prepare((slot: SlotOf<Schema["answered_request"]>) =>
  build.insertInto("answered_request").values({
    organization_id: slot("organization_id"),
    account_id: slot("account_id"),
    request_id: slot("request_id"),
    request_hash: slot("request_hash"),
    answer: slot("answer"),
    expire_time: slot("expire_time"),
  }),
);
