import type { Schema } from "../../../gen/tables.ts";
import { build, prepare, type SlotOf } from "../db/query.ts";
import { UNLOCKED } from "../write-scope.ts";
import type { Account } from "./access.ts";
import { ConnectedStore } from "./connections.ts";
import { deleteSome } from "./delete-some.ts";
import { inTransaction } from "./in-transaction.ts";
import { dateToMicros, microsToDate } from "./times.ts";

/** The stored response to a call with a request id. */
export interface StoredResponse {
  readonly account: Account;
  readonly requestId: string;
  /** The hash of the request. */
  readonly requestHash: Uint8Array;
  /** Encrypted. */
  readonly response: Uint8Array;
  readonly expireTime: Date;
}

/** The stored responses to calls with a request id. */
export class StoredResponseStore extends ConnectedStore {
  /** Finds the response to a call that has not expired at `now`; undefined if there is none. */
  async find(account: Account, requestId: string, now: Date): Promise<StoredResponse | undefined> {
    const row = await this.read.first(
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
        response: row.answer,
        expireTime: microsToDate(row.expire_time),
      }
    );
  }

  /** Stores a response, replacing one that has expired at `now`. */
  keep(
    { account, requestId, requestHash, response, expireTime }: StoredResponse,
    now: Date,
  ): Promise<void> {
    return inTransaction(
      this.connections,
      { organizationId: account.organizationId },
      async (tx) => {
        await tx.run(
          ERASE_EXPIRED({
            organizationId: account.organizationId,
            accountId: account.id,
            requestId,
            now: dateToMicros(now),
          }),
        );
        await tx.run(
          INSERT({
            organization_id: account.organizationId,
            account_id: account.id,
            request_id: requestId,
            request_hash: requestHash,
            answer: response,
            expire_time: dateToMicros(expireTime),
          }),
        );
      },
    );
  }

  /** Deletes at most `limit` responses that have expired at `now`, the oldest first; returns the number deleted. */
  async prune(now: Date, limit: number): Promise<number> {
    const key = ["organization_id", "account_id", "request_id"] as const;
    const expired = build
      .selectFrom("answered_request")
      .select(key)
      .where("expire_time", "<=", dateToMicros(now))
      .orderBy("expire_time")
      .limit(limit);
    if ((await this.read.first(expired.limit(1))) === undefined) return 0;
    return inTransaction(this.connections, UNLOCKED, async (tx) => {
      const selected = expired.modifyEnd(this.connections.dialect.skipLocked);
      const pruned = await tx.all(deleteSome("answered_request", key, selected));
      return pruned.length;
    });
  }
}

interface ExpiredResponse {
  readonly organizationId: string;
  readonly accountId: string;
  readonly requestId: string;
  readonly now: number;
}

const ERASE_EXPIRED = prepare((slot: SlotOf<ExpiredResponse>) =>
  build
    .deleteFrom("answered_request")
    .where("organization_id", "=", slot("organizationId"))
    .where("account_id", "=", slot("accountId"))
    .where("request_id", "=", slot("requestId"))
    .where("expire_time", "<=", slot("now")),
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
