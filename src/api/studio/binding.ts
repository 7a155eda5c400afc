import { create } from "@bufbuild/protobuf";
import { type Binding, BindingSchema } from "../../../gen/svc/studio/iam/binding/v1/binding_pb.ts";
import { BindingService } from "../../../gen/svc/studio/iam/binding/v1/binding_service_pb.ts";
import { checkBinding, checkOwnerRemains } from "../../domain/access/binding.ts";
import { parseResourceKey, type ResourceRef } from "../../domain/access/permissions.ts";
import { checkDelegation, givenPermissions } from "../../domain/access/roles.ts";
import { invalidField } from "../../domain/base/field-errors.ts";
import { suggestNames } from "../../domain/base/text.ts";
import { BUILT_IN_ROLES, findBuiltInRole } from "../../domain/built-in-roles.ts";
import type { OrganizationStore, Store } from "../../storage/contract/store.ts";
import type { StudioService } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { Resource, type StudioDependencies } from "./resource.ts";
import { implementKind } from "./standard-methods.ts";

/** Creates the Studio API service of bindings. */
export function createBindingService(dependencies: StudioDependencies): StudioService {
  const bindings = new Resource("binding", dependencies);
  return implementKind(BindingService, bindings, {
    async createBinding({ binding: sent, bindingId }, call) {
      const binding = sent ?? create(BindingSchema);
      const { organization, store } = call;
      const [resource] = await Promise.all([
        findResource(store, binding),
        checkAccount(store, binding),
      ]);
      const given = await readPermissions(organization, binding);
      checkDelegation(call.held, resource, given);
      return { binding: await bindings.create(call, binding, bindingId) };
    },

    async deleteBinding({ bindingId }, call) {
      await checkMayDelete(call, bindingId);
      await bindings.delete(call, bindingId, false);
      return {};
    },
  });
}

/** Finds the resource of a binding, which must belong to the organization of the binding. */
async function findResource({ access }: Store, binding: Binding): Promise<ResourceRef> {
  checkBinding(binding, "binding");
  const { organizationId, resourceKey } = binding;
  const key = parseResourceKey(resourceKey);
  const [found] = await access.locate(key.kind, [key.id], organizationId);
  if (found?.organizationId === organizationId && found.projectId === key.projectId) return found;
  throw missing("binding.resource_key", "the organization has no such resource");
}

async function checkAccount({ access }: Store, binding: Binding): Promise<void> {
  const [account] = await access.locate("account", [binding.accountId], binding.organizationId);
  if (account !== undefined) return;
  throw missing("binding.account_id", "the organization has no such account");
}

async function readPermissions(
  { documents }: Pick<OrganizationStore, "documents">,
  { organizationId, roleId }: Binding,
): Promise<readonly string[]> {
  const [own] = await documents.role.getMany([roleId]);
  if (own?.value.organizationId === organizationId) return givenPermissions(own.value);
  const builtIn = findBuiltInRole(roleId);
  if (builtIn !== undefined) return builtIn.permissions;
  const near = suggestNames(
    roleId,
    BUILT_IN_ROLES.map(({ id }) => id),
  );
  throw missing(
    "binding.role_id",
    `the organization has no such role, and it is not built in${near}`,
  );
}

function missing(field: string, description: string) {
  return invalidField(field, "RESOURCE_NOT_FOUND", description);
}

async function checkMayDelete(call: StudioCall, bindingId: string): Promise<void> {
  const { organization, store } = call;
  const { value } = await organization.documents.binding.get(bindingId);
  const { organizationId } = value;
  const resource = { ...parseResourceKey(value.resourceKey), organizationId };
  checkDelegation(call.held, resource, await readPermissions(organization, value));
  const owners = await store.access.listOwners(organizationId);
  checkOwnerRemains(organizationId, owners, (it) => it.bindingId === bindingId);
}
