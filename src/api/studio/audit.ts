import type { ServiceImpl } from "@connectrpc/connect";
import type { AuditService } from "../../../gen/svc/studio/iam/audit/v1/audit_service_pb.ts";
import type { PageTokens } from "../../domain/messages/page-token.ts";
import { getRequest, getStore } from "../steps/call.ts";
import { answerPage } from "./list-page.ts";

/** Creates the management handlers of the audit log. */
export function createAuditHandlers(pageTokens: PageTokens): ServiceImpl<typeof AuditService> {
  return {
    async listEntries(request, context) {
      const { organizationId } = request;
      const { audit } = getStore(context.values);
      const { now } = getRequest(context.values);
      const { values, nextPageToken } = await answerPage(
        context,
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
