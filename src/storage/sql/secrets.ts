import { build } from "../db/query.ts";
import { ConnectedStore } from "./connections.ts";
import { inTransaction } from "./in-transaction.ts";

/** Secrets of the installation, shared by all of its processes. */
export class SecretStore extends ConnectedStore {
  /** Returns the secret with a name, created by `create` if missing; concurrent callers all get the same. */
  getOrCreate(name: string, create: () => Uint8Array): Promise<Uint8Array> {
    return inTransaction(this.connections, "installation", async (tx) => {
      const row = await tx.first(
        build.selectFrom("secret").select("value").where("name", "=", name),
      );
      if (row !== undefined) return row.value;
      const value = create();
      await tx.run(build.insertInto("secret").values({ name, value }));
      return value;
    });
  }
}
