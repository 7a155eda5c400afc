import type { ServiceImpl } from "@connectrpc/connect";
import {
  type ProjectKey,
  ProjectKeyKind,
  ProjectKeySchema,
} from "../../../gen/svc/studio/iam/project_key/v1/project_key_pb.ts";
import type { ProjectKeyService } from "../../../gen/svc/studio/iam/project_key/v1/project_key_service_pb.ts";
import { createToken, hashToken } from "../../auth/token.ts";
import { invalidField } from "../../domain/errors.ts";
import { createResource, type ResourceParts } from "./resource.ts";

/** Creates the management handlers of the keys of projects. */
export function createProjectKeyHandlers(
  parts: ResourceParts,
): ServiceImpl<typeof ProjectKeyService> {
  const keys = createResource("project_key", ProjectKeySchema, parts, {
    orders: ["create_time", "update_time"],
    check: checkKind,
  });
  return {
    async createProjectKey({ projectKey: sent, projectKeyId }, context) {
      const key = createToken(sent?.kind === ProjectKeyKind.PREVIEW ? "preview" : "public");
      const extra = { hash: hashToken(key) };
      return { projectKey: await keys.create(context, sent, projectKeyId, extra), key };
    },

    async getProjectKey({ projectKeyId }, context) {
      return { projectKey: await keys.get(context, projectKeyId) };
    },

    async listProjectKeys(request, context) {
      const { values, nextPageToken } = await keys.list(context, request, [request.projectId]);
      return { projectKeys: values, nextPageToken };
    },

    async updateProjectKey({ projectKeyId, projectKey, updateMask }, context) {
      return { projectKey: await keys.update(context, projectKeyId, projectKey, updateMask) };
    },

    async deleteProjectKey({ projectKeyId }, context) {
      await keys.delete(context, projectKeyId, false);
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
