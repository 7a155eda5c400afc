import { create } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { type Binding, BindingSchema } from "../../../gen/svc/studio/iam/binding/v1/binding_pb.ts";
import type { BindingService } from "../../../gen/svc/studio/iam/binding/v1/binding_service_pb.ts";
import { getAccount, getStore } from "../../call/context.ts";
import { checkBindable } from "../../domain/access/binding.ts";
import { checkDelegation } from "../../domain/access/delegation.ts";
import { checkOwnerRemains } from "../../domain/access/last-owner.ts";
import type { ResourceRef } from "../../domain/access/permissions.ts";
import { findBuiltInRole } from "../../domain/access/roles.ts";
import { blameField, invalidField } from "../../domain/errors.ts";
import { parseResourceKey } from "../../domain/messages/resource-key.ts";
import type { OrganizationStore, Store } from "../../storage/store.ts";
import { createResource, type ResourceParts } from "./resource.ts";

/** Creates the management handlers of bindings. */
export function createBindingHandlers(parts: ResourceParts): ServiceImpl<typeof BindingService> {
  const bindings = createResource("binding", BindingSchema, parts, { orders: ["create_time"] });
  return {
    async createBinding({ binding: sent, bindingId }, context) {
      const binding = sent ?? create(BindingSchema);
      const store = getStore(context.values);
      const resource = await findResource(store, binding);
      await checkAccount(store, binding);
      const given = await readPermissions(store, binding);
      const held = await store.access.listBindings(getAccount(context.values));
      checkDelegation(held, resource, given);
      return { binding: await bindings.create(context, binding, bindingId) };
    },

    async getBinding({ bindingId }, context) {
      return { binding: await bindings.get(context, bindingId) };
    },

    async listBindings(request, context) {
      const { values, nextPageToken } = await bindings.list(context, request, [
        request.organizationId,
      ]);
      return { bindings: values, nextPageToken };
    },

    async deleteBinding({ bindingId }, context) {
      await checkNotLastOwner(context, bindingId);
      await bindings.delete(context, bindingId, false);
      return {};
    },
  };
}

/** Finds the resource of a binding, which must belong to the organization of the binding. */
async function findResource(
  { access }: Store,
  { organizationId, resourceKey }: Binding,
): Promise<ResourceRef> {
  const field = "binding.resource_key";
  const key = blameField(field, () => parseResourceKey(resourceKey));
  checkBindable(key, field);
  const [found] = await access.locate(key.type, [key.id], organizationId);
  if (found?.organizationId === organizationId && found.projectId === key.projectId) return found;
  throw missing(field, "the organization has no such resource");
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
  const builtIn = findBuiltInRole(roleId);
  if (builtIn !== undefined) return builtIn.permissions;
  const [own] = await documents.role.getMany([roleId]);
  if (own?.value.organizationId === organizationId) return own.value.permissions;
  throw missing("binding.role_id", "the organization has no such role, and it is not built in");
}

function missing(field: string, description: string) {
  return invalidField(field, "RESOURCE_NOT_FOUND", description);
}

async function checkNotLastOwner({ values }: HandlerContext, bindingId: string): Promise<void> {
  const { access, documents } = getStore(values);
  const { organizationId } = (await documents.binding.get(bindingId)).value;
  const owners = await access.listOwners(organizationId);
  checkOwnerRemains(organizationId, owners, (it) => it.bindingId === bindingId);
}
