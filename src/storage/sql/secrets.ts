import type { SecretStore } from "../store.ts";
import { inTransaction } from "./in-transaction.ts";
import type { Connections } from "./schema.ts";

/** Creates the store of the installation's secrets. */
export function createSecretStore({ write }: Connections): SecretStore {
  return {
    getOrCreate: (name, create) =>
      inTransaction(write, async (tx) => {
        const row = await tx
          .selectFrom("secret")
          .select("value")
          .where("name", "=", name)
          .executeTakeFirst();
        if (row !== undefined) return row.value;
        const value = create();
        await tx.insertInto("secret").values({ name, value }).execute();
        return value;
      }),
  };
}
