import type { Message } from "@bufbuild/protobuf";
import type { Tx } from "../../db/db.ts";

import type { ImportOptions, PreparedDocument } from "../../record-import.ts";
import { insertDocument, replaceDocument } from "../document-writer.ts";
import { writeSignInIntegration } from "../sign-in-integrations.ts";
import { writeGrantedEntitlement } from "./granted-entitlements.ts";

/** Options of {@link writeRecord}. */
export interface RecordWrite {
  /** The organization of the record, or the record's own id for an organization. */
  readonly organizationId: string;
  readonly isNew: boolean;
  readonly revision: number;
  readonly createSecret: ImportOptions["createSecret"];
  /** The position of a page component that is new on its page. */
  readonly position?: number;
}

/** Writes one record as the management interface does. */
export async function writeRecord(
  tx: Tx,
  document: PreparedDocument,
  value: Message,
  { organizationId, isNew, revision, createSecret, position }: RecordWrite,
): Promise<void> {
  const { kind, doc, pageId, billingTransactionId } = document;
  switch (kind) {
    case "sign_in_integration":
      return writeSignInIntegration(tx, value as never, revision);
    case "entitlement":
      return writeGrantedEntitlement(tx, value as never, { organizationId, revision });
    default: {
      const extra = {
        ...(billingTransactionId !== undefined && { billingTransactionId }),
        ...(position !== undefined && { pageId, position }),
        // Slugs are written once everything is read, as pages may swap them.
        ...(kind === "page" && { slug: reserveSlug(document.id) }),
        ...(kind === "action" && isNew && { secret: makeSecret(createSecret) }),
      };
      const write = { organizationId, revision, doc, extra };
      if (isNew) await insertDocument(tx, kind, value, write);
      else await replaceDocument(tx, kind, value, write);
    }
  }
}

/** Returns a placeholder slug that no other page can have, used during an import. */
function reserveSlug(pageId: string): string {
  return `\u0001${pageId}`;
}

function makeSecret(createSecret: ImportOptions["createSecret"]): string {
  if (createSecret === undefined) throw new Error("an import of actions needs createSecret");
  return createSecret();
}
