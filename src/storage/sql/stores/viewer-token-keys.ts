import type { Insertable, Selectable } from "kysely";
import type { Schema } from "../../../../gen/tables.ts";
import type {
  NewViewerTokenKey,
  Rotation,
  ViewerTokenKey,
  ViewerTokenKeyStore,
  ViewerTokenKeys,
} from "../../contract/sign-in.ts";
import { build } from "../../db/query.ts";
import { dateToMicros, microsToDate } from "../../db/times.ts";
import { ConnectedStore } from "../base/connections.ts";
import { inTransaction } from "../base/in-transaction.ts";

type Row = Selectable<Schema["viewer_token_key"]>;

/** The keys of viewer tokens. One of them signs in all processes of the installation. */
export class SqlViewerTokenKeyStore extends ConnectedStore implements ViewerTokenKeyStore {
  async get(): Promise<ViewerTokenKeys> {
    const rows = await this.read.all(
      build
        .selectFrom("viewer_token_key")
        .selectAll()
        .orderBy("retire_time", "desc")
        .orderBy("create_time", "desc")
        .orderBy("id"),
    );
    const [signing] = rows.filter((row) => row.retire_time === null);
    return {
      ...(signing !== undefined && { signing: toSigningKey(signing) }),
      retired: rows.filter((row) => row.retire_time !== null).map(toKey),
    };
  }

  begin(create: () => NewViewerTokenKey): Promise<void> {
    return inTransaction(this.connections, "installation", async (tx) => {
      const [known] = await tx.all(
        build.selectFrom("viewer_token_key").select("id").where("retire_time", "is", null),
      );
      if (known !== undefined) return;
      await tx.run(build.insertInto("viewer_token_key").values(toRow(create())));
    });
  }

  rotate({ key, now, dropBefore }: Rotation): Promise<void> {
    return inTransaction(this.connections, "installation", async (tx) => {
      await tx.run(
        build
          .updateTable("viewer_token_key")
          .set({ private_key: null, retire_time: dateToMicros(now) })
          .where("retire_time", "is", null),
      );
      await tx.run(
        build.deleteFrom("viewer_token_key").where("retire_time", "<", dateToMicros(dropBefore)),
      );
      await tx.run(build.insertInto("viewer_token_key").values(toRow(key)));
    });
  }
}

function toRow(key: NewViewerTokenKey): Insertable<Schema["viewer_token_key"]> {
  return {
    id: key.id,
    public_key: key.publicKey,
    private_key: key.privateKey,
    create_time: dateToMicros(key.createTime),
    retire_time: null,
  };
}

function toKey({ id, public_key, create_time, retire_time }: Row): ViewerTokenKey {
  return {
    id,
    publicKey: public_key,
    createTime: microsToDate(create_time),
    ...(retire_time !== null && { retireTime: microsToDate(retire_time) }),
  };
}

function toSigningKey(row: Row): NewViewerTokenKey {
  if (row.private_key === null) throw new Error(`signing key ${row.id} has no private key`);
  return { ...toKey(row), privateKey: row.private_key };
}
