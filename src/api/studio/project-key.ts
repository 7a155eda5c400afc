import { ProjectKeyKind } from "../../../gen/svc/studio/iam/project_key/v1/project_key_pb.ts";
import { ProjectKeyService } from "../../../gen/svc/studio/iam/project_key/v1/project_key_service_pb.ts";
import { createToken, hashToken } from "../../auth/token.ts";
import type { StudioService } from "../steps/service.ts";
import { Resource, type StudioDependencies } from "./resource.ts";
import { implementKind } from "./standard-methods.ts";

/** Creates the Studio API service of the keys of projects. */
export function createProjectKeyService(dependencies: StudioDependencies): StudioService {
  const keys = new Resource("project_key", dependencies);
  return implementKind(ProjectKeyService, keys, {
    async createProjectKey({ projectKey: sent, projectKeyId }, call) {
      const key = createToken(sent?.kind === ProjectKeyKind.PREVIEW ? "preview" : "public");
      const extra = { hash: hashToken(key) };
      return { projectKey: await keys.create(call, sent, projectKeyId, extra), key };
    },
  });
}
