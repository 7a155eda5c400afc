import { build } from "../db/query.ts";
import type { SecretStore } from "../store.ts";
import type { Connections } from "./connections.ts";
import { inTransaction } from "./in-transaction.ts";

/** Creates the store of the installation's secrets. */
export function createSecretStore(connections: Connections): SecretStore {
  return {
    getOrCreate: (name, create) =>
      inTransaction(connections, "installation", async (tx) => {
        const row = await tx.first(
          build.selectFrom("secret").select("value").where("name", "=", name),
        );
        if (row !== undefined) return row.value;
        const value = create();
        await tx.run(build.insertInto("secret").values({ name, value }));
        return value;
      }),
  };
}
