import type { ServiceImpl } from "@connectrpc/connect";
import type { AuthService } from "../../../gen/svc/studio/iam/auth/v1/auth_service_pb.ts";
import {
  checkTestedPermissions,
  heldPermissions,
  type ResourceRef,
} from "../../domain/access/permissions.ts";
import { parseResourceKey, type ResourceKey } from "../../domain/messages/resource-key.ts";
import type { AccessStore } from "../../storage/store.ts";
import { getHeld } from "../steps/call.ts";

/** Creates the handlers that return the permissions of the calling account (contract: access 7). */
export function createPermissionHandlers(
  access: Pick<AccessStore, "locate">,
): ServiceImpl<typeof AuthService> {
  return {
    async testPermissions(request, context) {
      const key = parseResourceKey(request.resourceKey);
      checkTestedPermissions(request.permissions);
      context.responseHeader.set("cache-control", "private, no-store");
      const [resource] = await findResource(access, key);
      if (resource === undefined || resource.projectId !== key.projectId) return {};
      const held = getHeld(context.values);
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
