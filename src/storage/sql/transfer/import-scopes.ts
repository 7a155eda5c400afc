import { notFound } from "../../../domain/errors.ts";
import type { RecordOwner } from "../../../domain/transfer/record.ts";
import type { Db, Tx } from "../../db/db.ts";
import { build } from "../../db/query.ts";
import { nextOrganizationRevision, nextProjectRevision } from "../revisions.ts";

/** The organizations and projects that an import encounters. */
export interface ImportScopes {
  /** Finds the organization of a scope; NOT_FOUND if the scope does not exist. */
  find(scope: RecordOwner): Promise<string>;
  /** Finds the organization of a scope; undefined if the scope does not exist. */
  organizationOf(scope: RecordOwner): Promise<string | undefined>;
  /** Records a scope that the import created, with its organization and first revision. */
  add(scope: RecordOwner, organizationId: string, revision: number): void;
  /** Returns the revision for changes in a scope: the same for all of them. */
  move(scope: RecordOwner): Promise<number>;
  /** Lists the projects that were changed, with their revisions. */
  listProjects(): readonly (readonly [id: string, revision: number])[];
}

/** Creates the scopes of one import; `db` is its transaction. */
export function createImportScopes(db: Db): ImportScopes {
  /** The organizations of existing scopes. */
  const known = { organization: new Map<string, string>(), project: new Map<string, string>() };
  const revisions = {
    organization: new Map<string, number>(),
    project: new Map<string, number>(),
  };
  const next = { organization: nextOrganizationRevision, project: nextProjectRevision };

  async function organizationOf({ type, id }: RecordOwner): Promise<string | undefined> {
    const found = known[type].get(id);
    if (found !== undefined) return found;
    const column = type === "project" ? "organization_id" : "id";
    const row = await db.first(
      build
        .selectFrom(type as "project")
        .select(`${column} as organizationId`)
        .where("id", "=", id),
    );
    if (row !== undefined) known[type].set(id, row.organizationId);
    return row?.organizationId;
  }

  return {
    async find(scope) {
      const organizationId = await organizationOf(scope);
      if (organizationId === undefined) throw notFound(`${scope.type} ${scope.id}`);
      return organizationId;
    },
    organizationOf,
    add({ type, id }, organizationId, revision) {
      known[type].set(id, organizationId);
      revisions[type].set(id, revision);
    },
    async move({ type, id }) {
      const moved = revisions[type].get(id);
      if (moved !== undefined) return moved;
      const revision = await next[type](db as Tx, id);
      revisions[type].set(id, revision);
      return revision;
    },
    listProjects: () => [...revisions.project],
  };
}
