import { ProjectSchema } from "../../../gen/svc/studio/iam/project/v1/project_pb.ts";
import type { ProjectService } from "../../../gen/svc/studio/iam/project/v1/project_service_pb.ts";
import { checkMaySetQuotas, checkQuotas } from "../../domain/quotas.ts";
import type { Handlers } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { createResource, type ResourceParts } from "./resource.ts";

/** Creates the management handlers of projects. */
export function createProjectHandlers(
  parts: ResourceParts,
): Handlers<typeof ProjectService, StudioCall> {
  const projects = createResource("project", ProjectSchema, parts, {
    orders: ["create_time", "update_time"],
    check: ({ quotas }, path) => checkQuotas(quotas, path),
  });
  return {
    async createProject({ project, projectId }, call) {
      if (project?.quotas !== undefined) checkMaySetQuotas(call.held);
      return { project: await projects.create(call, project, projectId) };
    },

    async getProject({ projectId }, call) {
      return { project: await projects.get(call, projectId) };
    },

    async listProjects(request, call) {
      const { values, nextPageToken } = await projects.list(call, request, [
        request.organizationId,
      ]);
      return { projects: values, nextPageToken };
    },

    async updateProject({ projectId, project, updateMask }, call) {
      if (updateMask?.paths.includes("quotas")) checkMaySetQuotas(call.held);
      return { project: await projects.update(call, projectId, project, updateMask) };
    },

    async deleteProject({ projectId, force }, call) {
      await projects.delete(call, projectId, force);
      return {};
    },
  };
}
