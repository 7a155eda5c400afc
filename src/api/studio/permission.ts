import { AuthService } from "../../../gen/svc/studio/iam/auth/v1/auth_service_pb.ts";
import {
  checkTestedPermissions,
  heldPermissions,
  parseResourceKey,
  type ResourceKey,
  type ResourceRef,
} from "../../domain/access/permissions.ts";
import { blameField } from "../../domain/base/field-errors.ts";
import type { Store } from "../../storage/contract/store.ts";
import { implement, type Service } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";

/** Creates the service that return the permissions of the calling account (contract: access 7). */
export function createPermissionService(): Service<StudioCall> {
  return implement(AuthService, {
    async testPermissions(request, call) {
      const key = blameField("resource_key", () => parseResourceKey(request.resourceKey));
      checkTestedPermissions(request.permissions);
      call.setHeader("cache-control", "private, no-store");
      const [resource] = await findResource(call.store.access, key);
      if (resource === undefined || resource.projectId !== key.projectId) return {};
      const held = call.held;
      return { permissions: heldPermissions(held, resource, request.permissions) };
    },
  });
}

/** Finds a resource by its id, in the organization of its project. */
async function findResource(
  access: Pick<Store["access"], "locate">,
  { type, id, projectId }: ResourceKey,
): Promise<ResourceRef[]> {
  if (projectId === undefined || type === "project") return access.locate(type, [id]);
  const [project] = await access.locate("project", [projectId]);
  return access.locate(type, [id], project?.organizationId);
}
