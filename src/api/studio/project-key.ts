import {
  type ProjectKey,
  ProjectKeyKind,
  ProjectKeySchema,
} from "../../../gen/svc/studio/iam/project_key/v1/project_key_pb.ts";
import type { ProjectKeyService } from "../../../gen/svc/studio/iam/project_key/v1/project_key_service_pb.ts";
import { createToken, hashToken } from "../../auth/token.ts";
import { invalidField } from "../../domain/errors.ts";
import type { Handlers } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { createResource, type ResourceParts } from "./resource.ts";

/** Creates the management handlers of the keys of projects. */
export function createProjectKeyHandlers(
  parts: ResourceParts,
): Handlers<typeof ProjectKeyService, StudioCall> {
  const keys = createResource("project_key", ProjectKeySchema, parts, {
    orders: ["create_time", "update_time"],
    check: checkKind,
  });
  return {
    async createProjectKey({ projectKey: sent, projectKeyId }, call) {
      const key = createToken(sent?.kind === ProjectKeyKind.PREVIEW ? "preview" : "public");
      const extra = { hash: hashToken(key) };
      return { projectKey: await keys.create(call, sent, projectKeyId, extra), key };
    },

    async getProjectKey({ projectKeyId }, call) {
      return { projectKey: await keys.get(call, projectKeyId) };
    },

    async listProjectKeys(request, call) {
      const { values, nextPageToken } = await keys.list(call, request, [request.projectId]);
      return { projectKeys: values, nextPageToken };
    },

    async updateProjectKey({ projectKeyId, projectKey, updateMask }, call) {
      return { projectKey: await keys.update(call, projectKeyId, projectKey, updateMask) };
    },

    async deleteProjectKey({ projectKeyId }, call) {
      await keys.delete(call, projectKeyId, false);
      return {};
    },
  };
}

function checkKind({ kind }: ProjectKey, path: string): void {
  if (kind === ProjectKeyKind.PUBLIC || kind === ProjectKeyKind.PREVIEW) return;
  throw invalidField(
    `${path}.kind`,
    "KIND_INVALID",
    "must be PROJECT_KEY_KIND_PUBLIC or PROJECT_KEY_KIND_PREVIEW",
  );
}
