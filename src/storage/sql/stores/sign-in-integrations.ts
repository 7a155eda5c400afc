import { equals, toBinary } from "@bufbuild/protobuf";
import {
  type SignInIntegration,
  SignInIntegrationSchema,
} from "../../../../gen/svc/studio/iam/sign_in_integration/v1/sign_in_integration_service_pb.ts";
import type { Stored } from "../../contract/document-store.ts";
import type { SignInIntegrationStore } from "../../contract/sign-in.ts";
import type { Db, Tx } from "../../db/db.ts";
import { build } from "../../db/query.ts";
import { ConnectedStore } from "../base/connections.ts";
import { inTransaction } from "../base/in-transaction.ts";
import { nextProjectRevision } from "../base/revisions.ts";
import { toStored } from "../base/stored-document.ts";

/** Sign-in integrations, at most one per project, by the project's id. */
export class SqlSignInIntegrationStore extends ConnectedStore implements SignInIntegrationStore {
  find(projectId: string): Promise<Stored<SignInIntegration> | undefined> {
    return this.#find(this.read, projectId);
  }

  put(
    projectId: string,
    change: (current: Stored<SignInIntegration> | undefined) => SignInIntegration,
  ): Promise<Stored<SignInIntegration>> {
    return inTransaction(this.connections, { projectIds: [projectId] }, async (tx) => {
      const current = await this.#find(tx, projectId);
      const value = change(current);
      if (current && equals(SignInIntegrationSchema, value, current.value)) return current;
      const revision = await nextProjectRevision(tx, projectId);
      await putIntegration(tx, value, { revision });
      return { value, revision };
    });
  }

  async #find(db: Db, projectId: string): Promise<Stored<SignInIntegration> | undefined> {
    const [row] = await findIntegrations(db, [projectId]);
    return row && toStored(SignInIntegrationSchema, row);
  }
}

/** Finds the integrations of some projects. */
export function findIntegrations(db: Db, projectIds: readonly string[]) {
  return db.all(
    build
      .selectFrom("sign_in_integration")
      .select(["project_id as id", "project_id as ownerId", "doc", "revision"])
      .where("project_id", "in", [...projectIds]),
  );
}

/** Creates or replaces the integration of a project. */
export async function putIntegration(
  tx: Tx,
  value: SignInIntegration,
  { revision }: { readonly revision: number },
): Promise<void> {
  const doc = toBinary(SignInIntegrationSchema, value);
  await tx.run(
    build
      .insertInto("sign_in_integration")
      .values({ project_id: value.projectId, revision, doc })
      .onConflict((oc) => oc.column("project_id").doUpdateSet({ revision, doc })),
  );
}
