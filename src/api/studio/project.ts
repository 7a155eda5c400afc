import {
  type DeleteProjectRequest,
  ProjectService,
} from "../../../gen/svc/studio/iam/project/v1/project_service_pb.ts";
import { checkMaySetQuotas } from "../../domain/quotas.ts";
import type { Preparation, StudioService } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { Resource, type StudioDependencies } from "./resource.ts";
import { implementKind } from "./standard-methods.ts";

/** Creates the Studio API service of projects. */
export function createProjectService(dependencies: StudioDependencies): StudioService {
  const projects = new Resource("project", dependencies);
  const service = implementKind(ProjectService, projects, {
    async createProject({ project, projectId }, call) {
      if (project?.quotas !== undefined) checkMaySetQuotas(call.held);
      return { project: await projects.create(call, project, projectId) };
    },

    async updateProject({ projectId, project, updateMask }, call) {
      if (updateMask?.paths.includes("quotas")) checkMaySetQuotas(call.held);
      return { project: await projects.update(call, projectId, project, updateMask) };
    },

    async deleteProject({ projectId, force, validateOnly }, call) {
      if (validateOnly) await projects.checkDeletion(call, projectId, force);
      else await projects.delete(call, projectId, force);
      return {};
    },
  });

  /** One transaction for all that a project has would make the writes of others wait for it. */
  const empty: Preparation<StudioCall> = async (message, call) => {
    const { projectId, force } = message as DeleteProjectRequest;
    const { id, organizationId } = await projects.checkDeletion(call, projectId, force);
    await call.store.emptyProject({ id, organizationId });
  };
  return { ...service, preparations: new Map([[ProjectService.method.deleteProject, empty]]) };
}
