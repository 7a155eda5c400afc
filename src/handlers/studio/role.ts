import { create } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { RoleSchema } from "../../../gen/svc/studio/iam/role/v1/role_pb.ts";
import type { RoleService } from "../../../gen/svc/studio/iam/role/v1/role_service_pb.ts";
import { getAccount, getStore } from "../../call/context.ts";
import { checkDelegation } from "../../domain/access/delegation.ts";
import { addedPermissions, checkRole } from "../../domain/access/role.ts";
import { BUILT_IN_ROLES, findBuiltInRole } from "../../domain/access/roles.ts";
import { alreadyExists } from "../../domain/errors.ts";
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

  async function checkGiven(
    { values }: HandlerContext,
    organizationId: string,
    given: readonly string[],
  ): Promise<void> {
    const bindings = await getStore(values).access.listBindings(getAccount(values));
    const organization = { type: "organization", id: organizationId, organizationId };
    checkDelegation(bindings, organization, given);
  }

  return {
    async createRole({ role: sent, roleId }, context) {
      if (findBuiltInRole(roleId) !== undefined) throw alreadyExists("role", roleId);
      const role = await roles.create(context, sent, roleId);
      await checkGiven(context, role.organizationId, role.permissions);
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
      await checkGiven(context, role.organizationId, addedPermissions(before.value, role));
      return { role };
    },

    async deleteRole({ roleId, force }, context) {
      await roles.delete(context, roleId, force);
      return {};
    },
  };
}
