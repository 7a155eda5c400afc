import { toBinary } from "@bufbuild/protobuf";
import {
  type SignInIntegration,
  SignInIntegrationSchema,
} from "../../../gen/svc/studio/iam/sign_in_integration/v1/sign_in_integration_service_pb.ts";
import type { Tx } from "../db/db.ts";
import { build } from "../db/query.ts";
import type { SignInIntegrationStore } from "../store.ts";
import type { Connections } from "./connections.ts";
import { inTransaction } from "./in-transaction.ts";
import { nextProjectRevision } from "./revisions.ts";
import { toStored } from "./stored-document.ts";

/** Creates the store of sign-in integrations. */
export function createSignInIntegrationStore(connections: Connections): SignInIntegrationStore {
  const { read } = connections;
  return {
    async find(projectId) {
      const row = await read.first(
        build
          .selectFrom("sign_in_integration")
          .select(["doc", "revision"])
          .where("project_id", "=", projectId),
      );
      return row && toStored(SignInIntegrationSchema, row);
    },

    put: (projectId, change) =>
      inTransaction(connections, { projectIds: [projectId] }, async (tx) => {
        const row = await tx.first(
          build
            .selectFrom("sign_in_integration")
            .select(["doc", "revision"])
            .where("project_id", "=", projectId),
        );
        const value = change(row && toStored(SignInIntegrationSchema, row));
        const revision = await nextProjectRevision(tx, projectId);
        await writeSignInIntegration(tx, value, revision);
        return { value, revision };
      }),
  };
}

/** Creates or replaces the integration of a project. */
export async function writeSignInIntegration(
  tx: Tx,
  value: SignInIntegration,
  revision: number,
): Promise<void> {
  const doc = toBinary(SignInIntegrationSchema, value);
  await tx.run(
    build
      .insertInto("sign_in_integration")
      .values({ project_id: value.projectId, revision, doc })
      .onConflict((oc) => oc.column("project_id").doUpdateSet({ revision, doc })),
  );
}
