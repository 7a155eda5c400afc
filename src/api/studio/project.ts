import { ProjectService } from "../../../gen/svc/studio/iam/project/v1/project_service_pb.ts";
import { checkMaySetQuotas } from "../../domain/quotas.ts";
import type { Service } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { Resource, type StudioDependencies } from "./resource.ts";
import { implementKind } from "./standard-methods.ts";

/** Creates the Studio API service of projects. */
export function createProjectService(dependencies: StudioDependencies): Service<StudioCall> {
  const projects = new Resource("project", dependencies);
  return implementKind(ProjectService, projects, {
    async createProject({ project, projectId }, call) {
      if (project?.quotas !== undefined) checkMaySetQuotas(call.held);
      return { project: await projects.create(call, project, projectId) };
    },

    async updateProject({ projectId, project, updateMask }, call) {
      if (updateMask?.paths.includes("quotas")) checkMaySetQuotas(call.held);
      return { project: await projects.update(call, projectId, project, updateMask) };
    },
  });
}
