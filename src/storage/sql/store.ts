import type { Kysely, Transaction } from "kysely";
import { notFound } from "../../domain/errors.ts";
import type { Readiness, SnapshotScope, Store } from "../store.ts";
import { type Connections, inside } from "./connections.ts";
import { inTransaction } from "./in-transaction.ts";
import { loadDataset } from "./load.ts";
import { openOrganization } from "./organization.ts";
import type { Schema } from "./schema.ts";
import { createStores, STORE_NAMES, type StoreName } from "./stores.ts";
import { createRecordExport } from "./transfer/export-records.ts";
import { createRecordImport } from "./transfer/import-records.ts";

/** The connections of an engine and its specific operations. */
export interface Engine extends Connections {
  /** Runs reads in a transaction that does not block other reads, at least as new as the scope requires. */
  snapshot<T>(scope: SnapshotScope, run: (tx: Transaction<Schema>) => Promise<T>): Promise<T>;
  readonly pools: Store["pools"];
  readiness(): Promise<Readiness>;
  close(): Promise<void>;
}

/** Creates a store over an engine; all engines share its queries. */
export function createSqlStore(engine: Engine): Store {
  const store = createStore(engine, engine);
  // A getter becomes a property on first use, so that the store can be copied into another object.
  for (const name of STORE_NAMES) store[name];
  return store;
}

/** Creates the store of an engine's own connections, or of one transaction. */
function createStore(engine: Engine, connections: Connections): Store {
  const { read, changes } = connections;
  const { accessVersion, catchUp, knownRevision } = changes;
  const createInside = (tx: Transaction<Schema>) => createStore(engine, inside(connections, tx));
  return Object.assign(createStores(connections), {
    in: (organizationId) => openOrganization(connections, organizationId),
    ...createRecordExport(connections),
    ...createRecordImport(connections),
    ...{ accessVersion, catchUp, knownRevision },
    transaction: (scope, run) => inTransaction(connections, scope, (tx) => run(createInside(tx))),
    snapshot(scope, run) {
      const runIn = async (tx: Transaction<Schema>) =>
        run(createStores(inside(connections, tx)), await readRevision(tx, scope.projectId));
      return read.isTransaction
        ? runIn(read as Transaction<Schema>)
        : engine.snapshot(scope, runIn);
    },
    load: (dataset, createSecret) =>
      inTransaction(connections, "installation", (tx) =>
        loadDataset(connections, tx, dataset, createSecret),
      ),
    async isEmpty() {
      const row = await read.selectFrom("organization").select("id").limit(1).executeTakeFirst();
      return row === undefined;
    },
    pools: engine.pools,
    readiness: engine.readiness,
    close: engine.close,
  } satisfies Omit<Store, StoreName>);
}

async function readRevision(db: Kysely<Schema>, projectId: string): Promise<number> {
  const row = await db
    .selectFrom("project")
    .select("change_count")
    .where("id", "=", projectId)
    .executeTakeFirst();
  if (row === undefined) throw notFound(`project ${projectId}`);
  return row.change_count;
}
