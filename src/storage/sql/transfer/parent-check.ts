import type { Message } from "@bufbuild/protobuf";
import {
  type AnnotationType,
  AnnotationTypeSchema,
} from "../../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_pb.ts";
import type { Binding } from "../../../../gen/svc/studio/iam/binding/v1/binding_pb.ts";
import { findBuiltInRole } from "../../../domain/access/roles.ts";
import { checkActionConfiguration } from "../../../domain/actions/action.ts";
import { notFound } from "../../../domain/errors.ts";
import { parseResourceKey } from "../../../domain/messages/resource-key.ts";
import type { Db } from "../../db/db.ts";
import type { PreparedDocument } from "../../record-import.ts";
import { readDocument } from "../stored-document.ts";
import { findStoredDocuments } from "./stored-documents.ts";

/** The kinds that others depend on besides their owners. */
type ParentKind = "account" | "action" | "page" | "project" | "role";

/** The ids looked up per statement. */
const CHUNK = 500;

/** Checks that the resources that records depend on exist. */
export interface ParentCheck {
  /**
   * NOT_FOUND for a page, account or role that neither exists with the same owner nor was added, and for a
   * binding on another organization or its projects. INVALID_ARGUMENT as `checkActionConfiguration` throws.
   * `old` is the stored document.
   */
  check(
    document: PreparedDocument,
    value: Message,
    place: { readonly organizationId: string; readonly old: Uint8Array | undefined },
  ): Promise<void>;
  /** Adds a record that others may depend on. */
  add(document: PreparedDocument): void;
}

/** Creates the check for one import; `db` is its transaction. */
export function createParentCheck(db: Db): ParentCheck {
  const known: Readonly<Record<ParentKind, Set<string>>> = {
    account: new Set(),
    action: new Set(),
    page: new Set(),
    project: new Set(),
    role: new Set(),
  };

  async function checkRole({ roleId, organizationId }: Binding) {
    if (findBuiltInRole(roleId) !== undefined || known.role.has(`${roleId} ${organizationId}`))
      return;
    const stored = (await findStoredDocuments(db, "role", [roleId], organizationId)).get(roleId);
    if (stored?.ownerId !== organizationId) throw notFound(`role ${roleId}`);
    known.role.add(`${roleId} ${organizationId}`);
  }

  async function checkActions(
    type: AnnotationType,
    organizationId: string,
    old: Uint8Array | undefined,
  ) {
    const { configuration = {}, conditions = [] } = type.actionConfiguration ?? {};
    const before =
      old && readDocument(AnnotationTypeSchema, old).actionConfiguration?.configuration;
    const keys = Object.keys(configuration);
    const found = new Set(Object.keys(before ?? {}));
    for (let at = 0; at < keys.length; at += CHUNK) {
      const stored = await findStoredDocuments(
        db,
        "action",
        keys.slice(at, at + CHUNK),
        organizationId,
      );
      for (const { id, ownerId } of stored.values()) if (ownerId === type.projectId) found.add(id);
    }
    const exists = (id: string) => found.has(id) || known.action.has(`${id} ${type.projectId}`);
    const path = "annotation_type.action_configuration.";
    checkActionConfiguration(configuration, conditions, exists, path);
  }

  async function checkTarget({ resourceKey, organizationId }: Binding) {
    const { type, id, projectId } = parseResourceKey(resourceKey);
    if (projectId !== undefined) await need("project", projectId, organizationId);
    else if (id !== organizationId) throw notFound(`${type} ${id}`);
  }

  async function need(kind: ParentKind, id: string, ownerId: string, organizationId = ownerId) {
    if (known[kind].has(`${id} ${ownerId}`)) return;
    const found = await findStoredDocuments(db, kind, [id], organizationId);
    if (found.get(id)?.ownerId !== ownerId) throw notFound(`${kind} ${id}`);
    known[kind].add(`${id} ${ownerId}`);
  }

  return {
    async check({ kind, owner, pageId = "", line }, value, { organizationId, old }) {
      const ownerId = owner?.id ?? "";
      if (kind === "page_component") await need("page", pageId, ownerId, organizationId);
      // Unlike a file, a dataset written in code may lack actions.
      if (kind === "annotation_type" && line > 0)
        await checkActions(value as AnnotationType, organizationId, old);
      if (kind === "binding") {
        const binding = value as Binding;
        const { accountId, accountOrganizationId } = binding;
        await need("account", accountId, ownerId);
        if (accountOrganizationId !== "" && accountOrganizationId !== ownerId) {
          throw notFound(`account ${accountId} of ${accountOrganizationId}`);
        }
        await checkRole(binding);
        await checkTarget(binding);
      }
    },
    add({ kind, id, owner }) {
      if (Object.hasOwn(known, kind)) known[kind as ParentKind].add(`${id} ${owner?.id}`);
    },
  };
}
