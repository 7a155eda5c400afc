import type { ServiceImpl } from "@connectrpc/connect";
import { ProjectSchema } from "../../../gen/svc/studio/iam/project/v1/project_pb.ts";
import type { ProjectService } from "../../../gen/svc/studio/iam/project/v1/project_service_pb.ts";
import { checkMaySetQuotas, checkQuotas } from "../../domain/quotas.ts";
import { getHeld } from "../steps/call.ts";
import { createResource, type ResourceParts } from "./resource.ts";

/** Creates the management handlers of projects. */
export function createProjectHandlers(parts: ResourceParts): ServiceImpl<typeof ProjectService> {
  const projects = createResource("project", ProjectSchema, parts, {
    orders: ["create_time", "update_time"],
    check: ({ quotas }, path) => checkQuotas(quotas, path),
  });
  return {
    async createProject({ project, projectId }, context) {
      if (project?.quotas !== undefined) checkMaySetQuotas(getHeld(context.values));
      return { project: await projects.create(context, project, projectId) };
    },

    async getProject({ projectId }, context) {
      return { project: await projects.get(context, projectId) };
    },

    async listProjects(request, context) {
      const { values, nextPageToken } = await projects.list(context, request, [
        request.organizationId,
      ]);
      return { projects: values, nextPageToken };
    },

    async updateProject({ projectId, project, updateMask }, context) {
      if (updateMask?.paths.includes("quotas")) checkMaySetQuotas(getHeld(context.values));
      return { project: await projects.update(context, projectId, project, updateMask) };
    },

    async deleteProject({ projectId, force }, context) {
      await projects.delete(context, projectId, force);
      return {};
    },
  };
}
