import { ProjectKeyKind } from "../../../gen/svc/studio/iam/project_key/v1/project_key_pb.ts";
import { ProjectKeyService } from "../../../gen/svc/studio/iam/project_key/v1/project_key_service_pb.ts";
import { createToken, hashToken } from "../../auth/token.ts";
import type { Handlers } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { Resource, type ResourceParts } from "./resource.ts";
import { standardMethods } from "./standard-methods.ts";

/** Creates the management handlers of the keys of projects. */
export function createProjectKeyHandlers(
  parts: ResourceParts,
): Handlers<typeof ProjectKeyService, StudioCall> {
  const keys = new Resource("project_key", parts);
  return {
    ...standardMethods(ProjectKeyService, keys),

    async createProjectKey({ projectKey: sent, projectKeyId }, call) {
      const key = createToken(sent?.kind === ProjectKeyKind.PREVIEW ? "preview" : "public");
      const extra = { hash: hashToken(key) };
      return { projectKey: await keys.create(call, sent, projectKeyId, extra), key };
    },
  };
}
