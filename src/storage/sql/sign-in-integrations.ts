import { toBinary } from "@bufbuild/protobuf";
import { SignInIntegrationSchema } from "../../../gen/svc/studio/iam/sign_in_integration/v1/sign_in_integration_service_pb.ts";
import type { SignInIntegrationStore } from "../store.ts";
import { toStored } from "./documents.ts";
import { nextRevision } from "./revisions.ts";
import type { Connections } from "./schema.ts";

/** Creates the store of sign-in integrations. */
export function createSignInIntegrationStore({ read, write }: Connections): SignInIntegrationStore {
  return {
    async find(projectId) {
      const row = await read
        .selectFrom("sign_in_integration")
        .select(["doc", "revision"])
        .where("project_id", "=", projectId)
        .executeTakeFirst();
      return row && toStored(SignInIntegrationSchema, row);
    },

    put: (projectId, change) =>
      write.transaction().execute(async (tx) => {
        const row = await tx
          .selectFrom("sign_in_integration")
          .select(["doc", "revision"])
          .where("project_id", "=", projectId)
          .executeTakeFirst();
        const value = change(row && toStored(SignInIntegrationSchema, row));
        const revision = await nextRevision(tx, projectId);
        const doc = toBinary(SignInIntegrationSchema, value);
        await tx
          .insertInto("sign_in_integration")
          .values({ project_id: projectId, revision, doc })
          .onConflict((oc) => oc.column("project_id").doUpdateSet({ revision, doc }))
          .execute();
        return { value, revision };
      }),
  };
}
