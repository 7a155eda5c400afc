import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { BindingSchema } from "../../../gen/svc/studio/iam/binding/v1/binding_pb.ts";
import { OrganizationSchema } from "../../../gen/svc/studio/iam/organization/v1/organization_pb.ts";
import type { OrganizationService } from "../../../gen/svc/studio/iam/organization/v1/organization_service_pb.ts";
import { parseDocumentOrder } from "../../domain/messages/document-order.ts";
import { printResourceKey } from "../../domain/messages/resource-key.ts";
import { checkMaySetQuotas, checkQuotas } from "../../domain/quotas.ts";
import { getAccount, getHeld, getRequest, getStore } from "../steps/call.ts";
import { answerPage } from "./list-page.ts";
import { createResource, type ResourceParts } from "./resource.ts";

const ORDERS = ["create_time", "update_time"];

/** Creates the management handlers of organizations. */
export function createOrganizationHandlers(
  parts: ResourceParts,
): ServiceImpl<typeof OrganizationService> {
  const organizations = createResource("organization", OrganizationSchema, parts, {
    orders: ORDERS,
    check: ({ quotas }, path) => checkQuotas(quotas, path),
  });

  /** Makes the calling account, which belongs to another organization, the owner of a new one. */
  async function makeOwner({ values }: HandlerContext, organizationId: string): Promise<void> {
    const account = getAccount(values);
    const binding = create(BindingSchema, {
      id: parts.createId(),
      organizationId,
      accountId: account.id,
      accountOrganizationId: account.organizationId,
      roleId: "owner",
      resourceKey: printResourceKey({ type: "organization", id: organizationId }),
      createTime: timestampFromDate(getRequest(values).now),
    });
    await getStore(values).in(organizationId).documents.binding.create(binding);
  }

  return {
    async createOrganization({ organization: sent, organizationId }, context) {
      const organization = await organizations.create(context, sent, organizationId);
      await makeOwner(context, organization.id);
      return { organization };
    },

    async getOrganization({ organizationId }, context) {
      return { organization: await organizations.get(context, organizationId) };
    },

    async listOrganizations(request, context) {
      const { documents } = getStore(context.values);
      const order = parseDocumentOrder(request.order, ORDERS);
      const parentIds = [...new Set(getHeld(context.values).map((it) => it.organizationId))];
      // The page token is not bound to the ids, so a role granted between two pages does not invalidate it.
      const binding = ["organization"];
      const { values, nextPageToken } = await answerPage(
        context,
        request,
        { pageTokens: parts.pageTokens, binding },
        (page) =>
          documents.organization.list({
            ...page,
            parentIds,
            order,
            now: getRequest(context.values).now,
          }),
      );
      return { organizations: values, nextPageToken };
    },

    async updateOrganization({ organizationId, organization, updateMask }, context) {
      if (updateMask?.paths.includes("quotas")) checkMaySetQuotas(getHeld(context.values));
      return {
        organization: await organizations.update(context, organizationId, organization, updateMask),
      };
    },

    async deleteOrganization({ organizationId }, context) {
      await organizations.delete(context, organizationId, false);
      return {};
    },
  };
}
