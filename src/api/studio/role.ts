import { create } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { type Role, RoleSchema } from "../../../gen/svc/studio/iam/role/v1/role_pb.ts";
import type { RoleService } from "../../../gen/svc/studio/iam/role/v1/role_service_pb.ts";
import {
  BUILT_IN_ROLES,
  checkDelegation,
  checkNotReserved,
  checkRole,
  findBuiltInRole,
  givenPermissions,
  movedPermissions,
} from "../../domain/access/roles.ts";
import { alreadyExists } from "../../domain/errors.ts";
import { getHeld, getStore } from "../steps/call.ts";
import { createResource, type ResourceParts } from "./resource.ts";

/** Creates the management handlers of roles. */
export function createRoleHandlers(parts: ResourceParts): ServiceImpl<typeof RoleService> {
  const roles = createResource("role", RoleSchema, parts, {
    orders: ["create_time", "update_time"],
    check: checkRole,
  });
  const builtInRoles = BUILT_IN_ROLES.map(({ id, name, permissions }) =>
    create(RoleSchema, { id, name, permissions: [...permissions] }),
  );

  /** A role may be bound on any resource of its organization. */
  function checkMayMove(
    { values }: HandlerContext,
    { organizationId }: Role,
    permissions: readonly string[],
  ): void {
    const organization = { type: "organization", id: organizationId, organizationId };
    checkDelegation(getHeld(values), organization, permissions);
  }

  return {
    async createRole({ role: sent, roleId }, context) {
      if (findBuiltInRole(roleId) !== undefined) throw alreadyExists("role", roleId);
      const role = await roles.create(context, sent, roleId);
      checkMayMove(context, role, role.permissions);
      checkNotReserved(role);
      return { role };
    },

    async getRole({ roleId }, context) {
      return { role: await roles.get(context, roleId) };
    },

    async listRoles(request, context) {
      const { values, nextPageToken } = await roles.list(context, request, [
        request.organizationId,
      ]);
      return { roles: values, nextPageToken, builtInRoles };
    },

    async updateRole({ roleId, role: sent, updateMask }, context) {
      const before = await getStore(context.values).documents.role.get(roleId);
      const role = await roles.update(context, roleId, sent, updateMask);
      checkMayMove(context, role, movedPermissions(before.value, role));
      checkNotReserved(role);
      return { role };
    },

    async deleteRole({ roleId, force }, context) {
      const { value } = await getStore(context.values).documents.role.get(roleId);
      checkMayMove(context, value, givenPermissions(value));
      await roles.delete(context, roleId, force);
      return {};
    },
  };
}
