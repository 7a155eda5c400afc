import { toBinary } from "@bufbuild/protobuf";
import {
  type SignInIntegration,
  SignInIntegrationSchema,
} from "../../../gen/svc/studio/iam/sign_in_integration/v1/sign_in_integration_service_pb.ts";
import type { Db, Tx } from "../db/db.ts";
import { build } from "../db/query.ts";
import type { Stored } from "../stored.ts";
import { ConnectedStore } from "./connections.ts";
import { inTransaction } from "./in-transaction.ts";
import { nextProjectRevision } from "./revisions.ts";
import { toStored } from "./stored-document.ts";

/** Sign-in integrations, at most one per project, by the project's id. */
export class SignInIntegrationStore extends ConnectedStore {
  /** Finds the integration of a project; undefined if there is none. */
  find(projectId: string): Promise<Stored<SignInIntegration> | undefined> {
    return findIntegration(this.read, projectId);
  }

  /** Creates or replaces an integration with the result of `change`. */
  put(
    projectId: string,
    change: (current: Stored<SignInIntegration> | undefined) => SignInIntegration,
  ): Promise<Stored<SignInIntegration>> {
    return inTransaction(this.connections, { projectIds: [projectId] }, async (tx) => {
      const value = change(await findIntegration(tx, projectId));
      const revision = await nextProjectRevision(tx, projectId);
      await writeSignInIntegration(tx, value, revision);
      return { value, revision };
    });
  }
}

async function findIntegration(
  db: Db,
  projectId: string,
): Promise<Stored<SignInIntegration> | undefined> {
  const row = await db.first(
    build
      .selectFrom("sign_in_integration")
      .select(["doc", "revision"])
      .where("project_id", "=", projectId),
  );
  return row && toStored(SignInIntegrationSchema, row);
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
