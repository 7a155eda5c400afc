import { sql } from "kysely";
import type { Schema } from "../../../../gen/tables.ts";
import type { Account } from "../../contract/access.ts";
import type { StoredResponse, StoredResponseStore } from "../../contract/store.ts";
import { build, prepare, type SlotOf } from "../../db/query.ts";
import { dateToMicros, microsToDate } from "../../db/times.ts";
import { ConnectedStore } from "../base/connections.ts";
import { prune } from "../base/delete-some.ts";
import { inTransaction } from "../base/in-transaction.ts";

/** The stored responses to calls with a request id. */
export class SqlStoredResponseStore extends ConnectedStore implements StoredResponseStore {
  async find(account: Account, requestId: string, now: Date): Promise<StoredResponse | undefined> {
    const [row] = await this.read.all(
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

  prune(now: Date, limit: number, organizationId?: string): Promise<number> {
    const ofOrganization =
      organizationId === undefined ? sql`` : sql`organization_id = ${organizationId} and`;
    return prune(this.connections, {
      table: "answered_request",
      key: ["organization_id", "account_id", "request_id"],
      condition: sql`${ofOrganization} expire_time <= ${dateToMicros(now)}`,
      orderedBy: "expire_time",
      limit,
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
