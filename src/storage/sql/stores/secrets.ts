import type { SecretStore } from "../../contract/store.ts";
import { build } from "../../db/query.ts";
import { ConnectedStore } from "../base/connections.ts";
import { inTransaction } from "../base/in-transaction.ts";

/** Secrets of the installation, shared by all of its processes. */
export class SqlSecretStore extends ConnectedStore implements SecretStore {
  getOrCreate(name: string, create: () => Uint8Array): Promise<Uint8Array> {
    return inTransaction(this.connections, "installation", async (tx) => {
      const [row] = await tx.all(
        build.selectFrom("secret").select("value").where("name", "=", name),
      );
      if (row !== undefined) return row.value;
      const value = create();
      await tx.run(build.insertInto("secret").values({ name, value }));
      return value;
    });
  }

  clear(): Promise<void> {
    return inTransaction(this.connections, "installation", async (tx) => {
      await tx.run(build.deleteFrom("secret"));
    });
  }
}
