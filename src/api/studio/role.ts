import { create } from "@bufbuild/protobuf";
import { type Role, RoleSchema } from "../../../gen/svc/studio/iam/role/v1/role_pb.ts";
import { RoleService } from "../../../gen/svc/studio/iam/role/v1/role_service_pb.ts";
import {
  checkDelegation,
  checkNotReserved,
  givenPermissions,
  movedPermissions,
} from "../../domain/access/roles.ts";
import { alreadyExists } from "../../domain/base/errors.ts";
import { BUILT_IN_ROLES, findBuiltInRole } from "../../domain/built-in-roles.ts";
import type { StudioService } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { Resource, type StudioDependencies } from "./resource.ts";
import { implementKind } from "./standard-methods.ts";

/** Creates the Studio API service of roles. */
export function createRoleService(dependencies: StudioDependencies): StudioService {
  const roles = new Resource("role", dependencies);
  const builtInRoles = BUILT_IN_ROLES.map(({ id, name, permissions }) =>
    create(RoleSchema, { id, name, permissions: [...permissions] }),
  );

  /** A role may be bound on any resource of its organization. */
  function checkMayMove(
    call: StudioCall,
    { organizationId }: Role,
    permissions: readonly string[],
  ): void {
    const organization = { kind: "organization", id: organizationId, organizationId };
    checkDelegation(call.held, organization, permissions);
  }

  return implementKind(RoleService, roles, {
    async createRole({ role: sent, roleId }, call) {
      if (findBuiltInRole(roleId) !== undefined) throw alreadyExists("role", roleId);
      const role = await roles.create(call, sent, roleId);
      checkMayMove(call, role, role.permissions);
      checkNotReserved(role);
      return { role };
    },

    async listRoles(request, call) {
      const { values, ...end } = await roles.list(call, request, [request.organizationId]);
      return { roles: values, ...end, builtInRoles };
    },

    async updateRole({ roleId, role: sent, updateMask }, call) {
      const before = await call.organization.documents.role.get(roleId);
      const role = await roles.update(call, roleId, sent, updateMask);
      checkMayMove(call, role, movedPermissions(before.value, role));
      checkNotReserved(role);
      return { role };
    },

    async deleteRole({ roleId, force }, call) {
      const { value } = await call.organization.documents.role.get(roleId);
      checkMayMove(call, value, givenPermissions(value));
      await roles.delete(call, roleId, force);
      return {};
    },
  });
}
