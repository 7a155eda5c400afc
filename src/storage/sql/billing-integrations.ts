import type { BillingSecrets } from "../../domain/monetization/billing-secrets.ts";
import type { Db } from "../db/db.ts";
import { build } from "../db/query.ts";
import type { BillingIntegrationStore } from "../monetization-store.ts";
import type { Stored } from "../stored.ts";
import type { Connections } from "./connections.ts";
import { inTransaction } from "./in-transaction.ts";
import { nextProjectRevision } from "./revisions.ts";
import { dateToMicros, microsToDate } from "./times.ts";

/** Creates the store of billing integrations. */
export function createBillingIntegrationStore(connections: Connections): BillingIntegrationStore {
  const { read } = connections;
  return {
    find: (projectId) => findIntegration(read, projectId),

    put: (projectId, change) =>
      inTransaction(connections, { projectIds: [projectId] }, async (tx) => {
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
      }),
  };
}

async function findIntegration(
  db: Db,
  projectId: string,
): Promise<Stored<BillingSecrets> | undefined> {
  const row = await db.first(
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
