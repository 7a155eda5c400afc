import type { AuditService } from "../../../gen/svc/studio/iam/audit/v1/audit_service_pb.ts";
import type { PageTokens } from "../../domain/paging.ts";
import type { Handlers } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { readPage } from "./list-page.ts";

/** Creates the management handlers of the audit log. */
export function createAuditHandlers(
  pageTokens: PageTokens,
): Handlers<typeof AuditService, StudioCall> {
  return {
    async listEntries(request, call) {
      const { organizationId } = request;
      const { audit } = call.store;
      const { now } = call;
      const { values, nextPageToken } = await readPage(
        call,
        request,
        { pageTokens, binding: ["audit_entry", organizationId] },
        async ({ after, ...page }) => {
          const { entries, next } = await audit.list({
            ...page,
            organizationId,
            now,
            ...(after && { after: { time: Number(after.key), id: after.id } }),
          });
          return { values: entries, ...(next && { next: { key: next.time, id: next.id } }) };
        },
      );
      return { entries: values, nextPageToken };
    },
  };
}
