import type { ImportSummary, RecordExport, RecordImport } from "../contract/records.ts";
import type { DraftTarget } from "../contract/releases.ts";
import type { OrganizationStore, Store } from "../contract/store.ts";
import type { WriteScope } from "../contract/write-scope.ts";
import type { Tx } from "../db/db.ts";
import { build } from "../db/query.ts";
import { openDraftOrganization } from "../releases/draft-organization.ts";
import { Drafts } from "../releases/drafts.ts";
import { type Connections, inside } from "./base/connections.ts";
import { inPart } from "./base/in-transaction.ts";
import { createCollections } from "./content/index/collections.ts";
import { Organization } from "./organization.ts";
import { exportRecords } from "./records/export-records.ts";
import { importRecords } from "./records/import-records.ts";
import { emptyProject } from "./stores/empty-project.ts";
import { SqlStores } from "./stores.ts";

/** The connections of an engine and its specific operations. */
export interface Engine extends Omit<Connections, "collections" | "tx"> {
  readonly pools: Store["pools"];
  readonly readiness: Store["readiness"];
  readonly measureTables: Store["measureTables"];
  readonly close: Store["close"];
}

/** The store of an engine's connections or, in a transaction, of that transaction. All engines share its queries. */
export class SqlStore extends SqlStores implements Store {
  readonly accessVersion: Store["accessVersion"];
  readonly catchUp: Store["catchUp"];
  readonly knownRevision: Store["knownRevision"];
  readonly pools: Store["pools"];
  readonly readiness: Store["readiness"];
  readonly measureTables: Store["measureTables"];
  readonly close: Store["close"];
  readonly #engine: Engine;

  constructor(engine: Engine, connections?: Connections) {
    super(connections ?? { ...engine, collections: createCollections(engine.changes) });
    this.#engine = engine;
    const { changes } = engine;
    this.accessVersion = changes.accessVersion.bind(changes);
    this.catchUp = changes.catchUp.bind(changes);
    this.knownRevision = changes.knownRevision.bind(changes);
    this.pools = engine.pools;
    this.readiness = engine.readiness;
    this.measureTables = engine.measureTables;
    this.close = engine.close;
  }

  in(organizationId: string, target?: DraftTarget): OrganizationStore {
    const current = new Organization(this.connections, organizationId);
    return target === undefined
      ? current
      : openDraftOrganization(new Drafts(this, current, target));
  }

  transaction<T>(scope: WriteScope, run: (store: Store) => Promise<T>): Promise<T> {
    return inPart(this.connections, scope, (tx: Tx) =>
      run(new SqlStore(this.#engine, inside(this.connections, tx))),
    );
  }

  emptyProject(project: Parameters<Store["emptyProject"]>[0]): Promise<void> {
    return emptyProject(this.connections, project);
  }

  async isEmpty(): Promise<boolean> {
    const query = build.selectFrom("organization").select("id").limit(1);
    return (await this.read.all(query)).length === 0;
  }

  exportRecords(...args: Parameters<RecordExport["exportRecords"]>): Promise<void> {
    return exportRecords(this.connections, ...args);
  }

  importRecords(
    ...[batches, options = {}]: Parameters<RecordImport["importRecords"]>
  ): Promise<ImportSummary> {
    return importRecords(this.connections, batches, options);
  }
}
