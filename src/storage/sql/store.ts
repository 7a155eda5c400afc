import type { Tx } from "../db/db.ts";
import { build } from "../db/query.ts";
import type { Readiness, Store } from "../store.ts";
import { type Connections, inside } from "./connections.ts";
import { createCollections } from "./content/collections.ts";
import { inTransaction } from "./in-transaction.ts";
import { openOrganization } from "./organization.ts";
import { createRecordExport } from "./records/export-records.ts";
import { createRecordImport } from "./records/import-records.ts";
import { createStores, STORE_NAMES, type StoreName } from "./stores.ts";

/** The connections of an engine and its specific operations. */
export interface Engine extends Omit<Connections, "collections" | "tx"> {
  readonly pools: Store["pools"];
  readiness(): Promise<Readiness>;
  close(): Promise<void>;
}

/** Creates a store over an engine; all engines share its queries. */
export function createSqlStore(engine: Engine): Store {
  const collections = createCollections(engine.changes);
  const store = createStore(engine, { ...engine, collections });
  // A getter becomes a property on first use, so that the store can be copied into another object.
  for (const name of STORE_NAMES) store[name];
  return store;
}

/** Creates the store of an engine's own connections, or of one transaction. */
function createStore(engine: Engine, connections: Connections): Store {
  const { read, changes } = connections;
  const { accessVersion, catchUp, knownRevision } = changes;
  const createInside = (within: Tx) => createStore(engine, inside(connections, within));
  return Object.assign(createStores(connections), {
    in: (organizationId) => openOrganization(connections, organizationId),
    ...createRecordExport(connections),
    ...createRecordImport(connections),
    ...{ accessVersion, catchUp, knownRevision },
    transaction: (scope, run) =>
      inTransaction(connections, scope, (unit) => run(createInside(unit))),
    async isEmpty() {
      const row = await read.first(build.selectFrom("organization").select("id").limit(1));
      return row === undefined;
    },
    pools: engine.pools,
    readiness: engine.readiness,
    close: engine.close,
  } satisfies Omit<Store, StoreName>);
}
