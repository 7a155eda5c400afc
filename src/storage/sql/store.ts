import type { Tx } from "../db/db.ts";
import { build } from "../db/query.ts";
import type { Readiness, Store } from "../store.ts";
import type { WriteScope } from "../write-scope.ts";
import { type Connections, inside } from "./connections.ts";
import { createCollections } from "./content/collections.ts";
import { inTransaction } from "./in-transaction.ts";
import { openOrganization } from "./organization.ts";
import { createRecordExport } from "./records/export-records.ts";
import { createRecordImport } from "./records/import-records.ts";
import { Stores } from "./stores.ts";

/** The connections of an engine and its specific operations. */
export interface Engine extends Omit<Connections, "collections" | "tx"> {
  readonly pools: Store["pools"];
  readiness(): Promise<Readiness>;
  close(): Promise<void>;
}

/** Creates a store over an engine; all engines share its queries. */
export function createSqlStore(engine: Engine): Store {
  return createStore(engine, { ...engine, collections: createCollections(engine.changes) });
}

/** Creates the store of an engine's own connections, or of one transaction. */
function createStore(engine: Engine, connections: Connections): Store {
  const { read, changes } = connections;
  const createInside = (within: Tx) => createStore(engine, inside(connections, within));
  return Object.assign(new Stores(connections), {
    in: (organizationId: string) => openOrganization(connections, organizationId),
    ...createRecordExport(connections),
    ...createRecordImport(connections),
    accessVersion: changes.accessVersion,
    catchUp: changes.catchUp,
    knownRevision: changes.knownRevision,
    transaction: <T>(scope: WriteScope, run: (store: Store) => Promise<T>) =>
      inTransaction(connections, scope, (unit) => run(createInside(unit))),
    async isEmpty() {
      const row = await read.first(build.selectFrom("organization").select("id").limit(1));
      return row === undefined;
    },
    pools: engine.pools,
    readiness: engine.readiness,
    close: engine.close,
  });
}
