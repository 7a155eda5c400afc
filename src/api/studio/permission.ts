import type { AuthService } from "../../../gen/svc/studio/iam/auth/v1/auth_service_pb.ts";
import {
  checkTestedPermissions,
  heldPermissions,
  type ResourceRef,
} from "../../domain/access/permissions.ts";
import { parseResourceKey, type ResourceKey } from "../../domain/resource-key.ts";
import type { AccessStore } from "../../storage/store.ts";
import type { Handlers } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";

/** Creates the handlers that return the permissions of the calling account (contract: access 7). */
export function createPermissionHandlers(
  access: Pick<AccessStore, "locate">,
): Handlers<typeof AuthService, StudioCall> {
  return {
    async testPermissions(request, call) {
      const key = parseResourceKey(request.resourceKey);
      checkTestedPermissions(request.permissions);
      call.setHeader("cache-control", "private, no-store");
      const [resource] = await findResource(access, key);
      if (resource === undefined || resource.projectId !== key.projectId) return {};
      const held = call.held;
      return { permissions: heldPermissions(held, resource, request.permissions) };
    },
  };
}

/** Finds a resource by its id, in the organization of its project. */
async function findResource(
  access: Pick<AccessStore, "locate">,
  { type, id, projectId }: ResourceKey,
): Promise<ResourceRef[]> {
  if (projectId === undefined || type === "project") return access.locate(type, [id]);
  const [project] = await access.locate("project", [projectId]);
  return access.locate(type, [id], project?.organizationId);
}
