import { AuditService } from "../../../gen/svc/studio/iam/audit/v1/audit_service_pb.ts";
import { EntrySchema } from "../../../gen/svc/studio/iam/audit/v1/entry_pb.ts";
import { implement, type StudioService } from "../steps/service.ts";
import { readPage } from "./kind-reads.ts";
import type { StudioDependencies } from "./resource.ts";

/** Creates the Studio API service of the audit log. */
export function createAuditService({ pageTokens }: StudioDependencies): StudioService {
  return implement(AuditService, {
    async listEntries(request, call) {
      const { organizationId } = request;
      const { audit } = call.store;
      const { now } = call;
      const binding = ["audit_entry", organizationId];
      const { values, ...end } = await readPage(
        call,
        request,
        pageTokens,
        binding,
        EntrySchema,
        (page) => audit.list({ ...page, organizationId, now }),
      );
      return { entries: values, ...end };
    },
  });
}
