import type { BillingSecrets } from "../../../domain/monetization/billing-secrets.ts";
import type { Stored } from "../../contract/document-store.ts";
import type { BillingIntegrationStore } from "../../contract/monetization.ts";
import type { Db } from "../../db/db.ts";
import { build } from "../../db/query.ts";
import { dateToMicros, microsToDate } from "../../db/times.ts";
import { ConnectedStore } from "../base/connections.ts";
import { inTransaction } from "../base/in-transaction.ts";
import { nextProjectRevision } from "../base/revisions.ts";

/** Billing integrations, at most one per project, by the project's id. */
export class SqlBillingIntegrationStore extends ConnectedStore implements BillingIntegrationStore {
  find(projectId: string): Promise<Stored<BillingSecrets> | undefined> {
    return findIntegration(this.read, projectId);
  }

  put(
    projectId: string,
    change: (current: Stored<BillingSecrets> | undefined) => BillingSecrets,
  ): Promise<Stored<BillingSecrets>> {
    return inTransaction(this.connections, { projectIds: [projectId] }, async (tx) => {
      const value = change(await findIntegration(tx, projectId));
      const revision = await nextProjectRevision(tx, projectId);
      const row = { revision, ...toColumns(value) };
      await tx.run(
        build
          .insertInto("billing_integration")
          .values({ project_id: projectId, ...row })
          .onConflict((it) => it.column("project_id").doUpdateSet(row)),
      );
      return { value, revision };
    });
  }
}

async function findIntegration(
  db: Db,
  projectId: string,
): Promise<Stored<BillingSecrets> | undefined> {
  const [row] = await db.all(
    build.selectFrom("billing_integration").selectAll().where("project_id", "=", projectId),
  );
  if (row === undefined) return undefined;
  const { revision, secret, secret_create_time, previous_secret, previous_expire_time } = row;
  const hasPrevious = previous_secret !== null && previous_expire_time !== null;
  return {
    revision,
    value: {
      secret,
      createTime: microsToDate(secret_create_time),
      ...(hasPrevious && {
        previous: { secret: previous_secret, expireTime: microsToDate(previous_expire_time) },
      }),
    },
  };
}

function toColumns({ secret, createTime, previous }: BillingSecrets) {
  return {
    secret,
    secret_create_time: dateToMicros(createTime),
    previous_secret: previous?.secret ?? null,
    previous_expire_time: previous ? dateToMicros(previous.expireTime) : null,
  };
}
