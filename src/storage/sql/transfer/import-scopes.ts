import type { Kysely, Transaction } from "kysely";
import { notFound } from "../../../domain/errors.ts";
import type { RecordOwner } from "../../../domain/transfer/record.ts";
import { nextOrganizationRevision, nextRevision } from "../revisions.ts";
import type { Schema } from "../schema.ts";

/** The organizations and projects that an import touches. */
export interface ImportScopes {
  /** NOT_FOUND for one that does not exist. */
  check(scope: RecordOwner): Promise<void>;
  /** Adds one that the import created, with its first revision. */
  add(scope: RecordOwner, revision: number): void;
  /** Returns the revision of all changes that the import makes in one. */
  move(scope: RecordOwner): Promise<number>;
}

/** Creates the scopes of one import; `db` is its transaction. */
export function createImportScopes(db: Kysely<Schema>): ImportScopes {
  const known = { organization: new Set<string>(), project: new Set<string>() };
  const revisions = {
    organization: new Map<string, number>(),
    project: new Map<string, number>(),
  };
  const next = { organization: nextOrganizationRevision, project: nextRevision };
  return {
    async check({ type, id }) {
      if (known[type].has(id)) return;
      const row = await db.selectFrom(type).select("id").where("id", "=", id).executeTakeFirst();
      if (row === undefined) throw notFound(`${type} ${id}`);
      known[type].add(id);
    },
    add({ type, id }, revision) {
      known[type].add(id);
      revisions[type].set(id, revision);
    },
    async move({ type, id }) {
      const moved = revisions[type].get(id);
      if (moved !== undefined) return moved;
      const revision = await next[type](db as Transaction<Schema>, id);
      revisions[type].set(id, revision);
      return revision;
    },
  };
}
