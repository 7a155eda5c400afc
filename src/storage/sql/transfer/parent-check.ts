import type { Message } from "@bufbuild/protobuf";
import type { Kysely } from "kysely";
import type { Binding } from "../../../../gen/svc/studio/iam/binding/v1/binding_pb.ts";
import { notFound } from "../../../domain/errors.ts";
import { findBuiltInRole } from "../../../domain/roles.ts";
import type { PreparedDocument } from "../../record-import.ts";
import type { Schema } from "../schema.ts";
import { findStoredDocuments } from "./stored-documents.ts";

/** The kinds that others cannot be without, beside organizations and projects. */
type ParentKind = "account" | "role" | "page";

/** Checks what records cannot be without. */
export interface ParentCheck {
  /** NOT_FOUND for a page, account or role that neither exists with the same owner nor was added. */
  check(document: PreparedDocument, value: Message): Promise<void>;
  /** Takes note of a record that others may need. */
  add(document: PreparedDocument): void;
}

/** Creates the check for one import; `db` is its transaction. */
export function createParentCheck(db: Kysely<Schema>): ParentCheck {
  const known: Readonly<Record<ParentKind, Set<string>>> = {
    account: new Set(),
    role: new Set(),
    page: new Set(),
  };

  async function need(kind: ParentKind, id: string, ownerId: string) {
    if (known[kind].has(`${id} ${ownerId}`)) return;
    const found = await findStoredDocuments(db, kind, [id]);
    if (found.get(id)?.ownerId !== ownerId) throw notFound(`${kind} ${id}`);
    known[kind].add(`${id} ${ownerId}`);
  }

  return {
    async check({ kind, owner, pageId = "" }, value) {
      const ownerId = owner?.id ?? "";
      if (kind === "page_component") await need("page", pageId, ownerId);
      if (kind === "binding") {
        const { accountId, roleId } = value as Binding;
        await need("account", accountId, ownerId);
        if (findBuiltInRole(roleId) === undefined) await need("role", roleId, ownerId);
      }
    },
    add({ kind, id, owner }) {
      if (kind === "account" || kind === "role" || kind === "page") {
        known[kind].add(`${id} ${owner?.id}`);
      }
    },
  };
}
