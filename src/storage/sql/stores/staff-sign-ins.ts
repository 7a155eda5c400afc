import { equals, toBinary } from "@bufbuild/protobuf";
import { sql } from "kysely";
import {
  type Account,
  AccountSchema,
} from "../../../../gen/svc/studio/iam/account/v1/account_pb.ts";
import { StaffSignInSchema } from "../../../../gen/svc/studio/iam/staff_sign_in/v1/staff_sign_in_service_pb.ts";
import { foldEmail } from "../../../domain/access/staff-sign-in.ts";
import { Code, DomainError } from "../../../domain/base/errors.ts";
import type { Stored } from "../../contract/document-store.ts";
import type { StaffSignInSettings, StaffSignInStore } from "../../contract/sign-in.ts";
import type { Db, Tx } from "../../db/db.ts";
import { build } from "../../db/query.ts";
import { ConnectedStore } from "../base/connections.ts";
import { inTransaction } from "../base/in-transaction.ts";
import { nextOrganizationRevision } from "../base/revisions.ts";
import { readDocument } from "../base/stored-document.ts";

/** How the people of organizations sign in, and the accounts of these people. */
export class SqlStaffSignInStore extends ConnectedStore implements StaffSignInStore {
  find(organizationId: string): Promise<Stored<StaffSignInSettings> | undefined> {
    return findSettings(this.read, organizationId);
  }

  put(
    organizationId: string,
    change: (current: Stored<StaffSignInSettings> | undefined) => StaffSignInSettings,
  ): Promise<Stored<StaffSignInSettings>> {
    return inTransaction(this.connections, { organizationId }, async (tx) => {
      const current = await findSettings(tx, organizationId);
      const value = change(current);
      const { signIn, secret } = value;
      const isSame = current?.value.secret === secret;
      if (isSame && equals(StaffSignInSchema, signIn, current.value.signIn)) return current;
      const revision = await nextOrganizationRevision(tx, organizationId);
      const row = { revision, doc: toBinary(StaffSignInSchema, signIn), secret };
      await tx.run(
        build
          .insertInto("staff_sign_in")
          .values({ organization_id: organizationId, ...row })
          .onConflict((it) => it.column("organization_id").doUpdateSet(row)),
      );
      return { value, revision };
    });
  }

  async findAccount(
    organizationId: string,
    by: { readonly identity: string } | { readonly email: string },
  ): Promise<Account | undefined> {
    const [column, value] = "identity" in by ? ["identity", by.identity] : ["email", by.email];
    const [row] = await this.read.all(
      build
        .selectFrom("account")
        .select("doc")
        .where("organization_id", "=", organizationId)
        .where(column as "email" | "identity", "=", value as string)
        // The index has no others, which SQLite does not see from a parameter.
        .where(column as "email" | "identity", "<>", sql.lit("")),
    );
    return row && readDocument(AccountSchema, row.doc);
  }
}

async function findSettings(
  db: Db,
  organizationId: string,
): Promise<Stored<StaffSignInSettings> | undefined> {
  const [row] = await db.all(
    build.selectFrom("staff_sign_in").selectAll().where("organization_id", "=", organizationId),
  );
  if (row === undefined) return undefined;
  const { revision, doc, secret } = row;
  return { value: { signIn: readDocument(StaffSignInSchema, doc), secret }, revision };
}

/** Deletes the sign-in of an organization. */
export async function eraseStaffSignIn(tx: Tx, organizationId: string): Promise<void> {
  await tx.run(build.deleteFrom("staff_sign_in").where("organization_id", "=", organizationId));
}

/** Checks that no other account of the organization has the e-mail of one. ALREADY_EXISTS `EMAIL_TAKEN`. */
export async function checkEmailFree(
  tx: Tx,
  { id, organizationId, email }: Account,
): Promise<void> {
  if (email === "") return;
  const [holder] = await tx.all(
    build
      .selectFrom("account")
      .select("id")
      .where("organization_id", "=", organizationId)
      .where("email", "=", foldEmail(email))
      .where("email", "<>", sql.lit(""))
      .where("id", "<>", id),
  );
  if (holder === undefined) return;
  const message = "another account of the organization has this e-mail";
  const fields = [{ field: "account.email", description: message }];
  throw new DomainError(Code.ALREADY_EXISTS, "EMAIL_TAKEN", message, {
    fields,
    metadata: { account: holder.id },
  });
}
