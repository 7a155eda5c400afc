import { sql } from "kysely";
import { AnnotationTypeSchema } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_pb.ts";
import { notFound } from "../../domain/errors.ts";
import type { Store } from "../store.ts";
import { createAccessStore } from "./access.ts";
import { createAnnotationStore } from "./annotations.ts";
import { createBannerCollectionStore } from "./banner-collections.ts";
import { createContentStore } from "./content/content-store.ts";
import { createContentImport } from "./content/import-content.ts";
import { createGetStore } from "./documents.ts";
import { createEntitlementStore } from "./entitlements.ts";
import { createLeaseStore } from "./leases.ts";
import { loadDataset } from "./load.ts";
import { createOfferStore } from "./offers.ts";
import { createPageComponentStore } from "./page-components.ts";
import { createPageStore } from "./pages.ts";
import { createRulesetStore } from "./rulesets.ts";
import type { Connections } from "./schema.ts";
import { createSecretStore } from "./secrets.ts";
import { createSignInIntegrationStore } from "./sign-in-integrations.ts";
import { createTransactionStore } from "./transactions.ts";
import { createVideoStore } from "./videos.ts";
import { createViewerTokenKeyStore } from "./viewer-token-keys.ts";

/**
 * Creates a store over an engine's connections; its queries are written once for all engines. How the
 * engine tells that something changed is its own affair: `version`.
 */
export function createSqlStore(connections: Connections, version: () => number): Store {
  const { read, write, leases } = connections;
  return {
    access: createAccessStore(connections, version),
    annotations: createAnnotationStore(connections),
    annotationTypes: createGetStore(connections, "annotation_type", AnnotationTypeSchema),
    bannerCollections: createBannerCollectionStore(connections),
    creativeWorks: createContentStore(connections, "creative_work"),
    entities: createContentStore(connections, "entity"),
    entitlements: createEntitlementStore(connections),
    events: createContentStore(connections, "event"),
    leases: createLeaseStore(connections),
    offers: createOfferStore(connections),
    pageComponents: createPageComponentStore(connections),
    pages: createPageStore(connections),
    rulesets: createRulesetStore(connections),
    secrets: createSecretStore(connections),
    signInIntegrations: createSignInIntegrationStore(connections),
    transactions: createTransactionStore(connections),
    viewerTokenKeys: createViewerTokenKeyStore(connections),
    videos: createVideoStore(connections),

    ...createContentImport(connections),
    load: (dataset) => write.transaction().execute((tx) => loadDataset(tx, dataset)),
    async isEmpty() {
      const row = await read.selectFrom("organization").select("id").limit(1).executeTakeFirst();
      return row === undefined;
    },
    version,
    async projectRevision(projectId) {
      const row = await read
        .selectFrom("project")
        .select("revision")
        .where("id", "=", projectId)
        .executeTakeFirst();
      if (row === undefined) throw notFound(`project ${projectId}`);
      return row.revision;
    },
    async ping() {
      await sql`select 1`.execute(read);
    },
    async close() {
      await read.destroy();
      await write.destroy();
      await leases?.destroy();
    },
  };
}
