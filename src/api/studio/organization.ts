import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { BindingSchema } from "../../../gen/svc/studio/iam/binding/v1/binding_pb.ts";
import {
  type Organization,
  OrganizationSchema,
} from "../../../gen/svc/studio/iam/organization/v1/organization_pb.ts";
import { OrganizationService } from "../../../gen/svc/studio/iam/organization/v1/organization_service_pb.ts";
import { decideAccess, printResourceKey } from "../../domain/access/permissions.ts";
import { parseOrderOf } from "../../domain/kinds.ts";
import { checkMaySetQuotas } from "../../domain/quotas.ts";
import type { StudioService } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { readPage } from "./kind-reads.ts";
import { Resource, type StudioDependencies } from "./resource.ts";
import { implementKind } from "./standard-methods.ts";

/** Returns an organization as an account sees it: without the permission to read it, neither its quotas nor its usage. */
export function withholdAmounts(
  held: StudioCall["held"],
  organization: Organization,
): Organization {
  const { id } = organization;
  const resource = { kind: "organization", id, organizationId: id };
  if (decideAccess(held, resource, "iam.organizations.get") === "granted") return organization;
  const { quotas: _, usage: __, ...seen } = organization;
  return seen;
}

/** Creates the Studio API service of organizations. */
export function createOrganizationService(dependencies: StudioDependencies): StudioService {
  const organizations = new Resource("organization", dependencies);

  /** Makes the calling account, which belongs to another organization, the owner of a new one. */
  async function makeOwner(call: StudioCall, organizationId: string): Promise<void> {
    const account = call.account;
    const binding = create(BindingSchema, {
      id: dependencies.createId(),
      organizationId,
      accountId: account.id,
      accountOrganizationId: account.organizationId,
      roleId: "owner",
      resourceKey: printResourceKey({ kind: "organization", id: organizationId }),
      createTime: timestampFromDate(call.now),
    });
    await call.store.in(organizationId).documents.binding.create(binding);
  }

  return implementKind(OrganizationService, organizations, {
    async createOrganization({ organization: sent, organizationId }, call) {
      const organization = await organizations.create(call, sent, organizationId);
      await makeOwner(call, organization.id);
      return { organization };
    },

    async listOrganizations(request, call) {
      const { documents } = call.organization;
      const order = parseOrderOf("organization", request.order);
      const parentIds = [...new Set(call.held.map((it) => it.organizationId))];
      // The page token is not bound to the ids, so a role granted between two pages does not invalidate it.
      const binding = ["organization"];
      const { values, ...end } = await readPage(
        call,
        request,
        dependencies.pageTokens,
        binding,
        OrganizationSchema,
        (page) =>
          documents.organization.list({ ...page, parentIds, order, now: call.now }, (it) =>
            withholdAmounts(call.held, it),
          ),
      );
      return { organizations: values, ...end };
    },

    async updateOrganization({ organizationId, organization, updateMask }, call) {
      if (updateMask?.paths.includes("quotas")) checkMaySetQuotas(call.held);
      return {
        organization: await organizations.update(call, organizationId, organization, updateMask),
      };
    },
  });
}
