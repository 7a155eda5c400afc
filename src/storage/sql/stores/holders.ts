import { clone, toBinary } from "@bufbuild/protobuf";
import type { Organization } from "../../../../gen/svc/studio/iam/organization/v1/organization_pb.ts";
import type { Project } from "../../../../gen/svc/studio/iam/project/v1/project_pb.ts";
import type { Amounts } from "../../../domain/quotas.ts";
import type { DocumentMessages } from "../../contract/document-store.ts";
import type { Stored } from "../../contract/stored.ts";
import type { Tx } from "../../db/db.ts";
import { settleAll } from "../base/in-transaction.ts";
import {
  type Counter,
  firstRevision,
  nextOrganizationRevision,
  nextRevision,
} from "../base/revisions.ts";
import type { StoredRow } from "../base/stored-document.ts";
import { growOrganization, withUsage } from "../base/usage.ts";
import { DocumentTable } from "./documents.ts";

/**
 * Stores organizations or projects, which count the changes and the usage of everything in them. Their messages
 * contain the usage from the counters.
 */
export class HolderTable<Type extends Counter> extends DocumentTable<Type> {
  protected override toValue(row: Pick<StoredRow, "doc">): DocumentMessages[Type] {
    return withUsage(super.toValue(row), row);
  }

  protected override toDoc(value: DocumentMessages[Type]): Uint8Array {
    const stored = clone(this.kind.schema, value) as Organization | Project;
    delete stored.usage;
    return toBinary(this.kind.schema, stored);
  }

  protected override organizationOf(value: DocumentMessages[Type]): string {
    return "organizationId" in value ? value.organizationId : value.id;
  }

  protected override projectOf(value: DocumentMessages[Type]): string | undefined {
    return this.type === "project" ? value.id : undefined;
  }

  protected override async readNew(
    tx: Tx,
    { value }: Stored<DocumentMessages[Type]>,
  ): Promise<Stored<DocumentMessages[Type]>> {
    return (await this.read(tx, value.id)).current;
  }

  protected override async begin(tx: Tx, value: DocumentMessages[Type]): Promise<number> {
    const [, revision] = await settleAll([
      this.type === "project" && growOrganization(tx, this.organizationOf(value), { projects: 1 }),
      firstRevision(tx, this.type, value.id),
    ]);
    return revision;
  }

  protected override count(
    tx: Tx,
    value: DocumentMessages[Type],
    growth: Amounts,
  ): Promise<number> {
    return this.type === "project"
      ? nextRevision(tx, value.id, this.organizationOf(value), growth)
      : nextOrganizationRevision(tx, value.id);
  }
}
