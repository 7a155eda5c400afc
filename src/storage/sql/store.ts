import { sql } from "kysely";
import { AnnotationSchema } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { AnnotationTypeSchema } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_pb.ts";
import { VideoProtectionRulesetSchema } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { notFound } from "../../domain/errors.ts";
import type { Store } from "../store.ts";
import { createAccessStore } from "./access.ts";
import { createGetStore, createUpdateStore, insertDocument } from "./documents.ts";
import { createEventStore } from "./events.ts";
import { loadDataset } from "./load.ts";
import { createPageComponentStore } from "./page-components.ts";
import type { Connections } from "./schema.ts";
import { createSecretStore } from "./secrets.ts";
import { createSignInIntegrationStore } from "./sign-in-integrations.ts";
import { createTransactionStore } from "./transactions.ts";

/**
 * Creates a store over an engine's connections; its queries are written once for all engines. How the
 * engine tells that something changed is its own affair: `version`.
 */
export function createSqlStore(connections: Connections, version: () => number): Store {
  const { read, write } = connections;
  return {
    access: createAccessStore(connections),
    annotations: createUpdateStore(connections, "annotation", AnnotationSchema),
    annotationTypes: createGetStore(connections, "annotation_type", AnnotationTypeSchema),
    events: createEventStore(connections),
    pageComponents: createPageComponentStore(connections),
    rulesets: {
      ...createGetStore(connections, "ruleset", VideoProtectionRulesetSchema),
      create: (ruleset) =>
        write
          .transaction()
          .execute((tx) => insertDocument(tx, "ruleset", VideoProtectionRulesetSchema, ruleset)),
    },
    secrets: createSecretStore(connections),
    signInIntegrations: createSignInIntegrationStore(connections),
    transactions: createTransactionStore(connections),

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
    },
  };
}
