import { sql } from "kysely";
import { listReferencesOf, listRequiredOf, REQUIRED_REFERENCES } from "../../../domain/kinds.ts";
import type { RecordItem } from "../../../domain/records/record.ts";
import type { DanglingReference, ImportOptions } from "../../contract/records.ts";
import type { ReleaseItemStore } from "../../contract/releases.ts";
import type { Tx } from "../../db/db.ts";
import { locateResources } from "../stores/locate.ts";
import type { OpenHolder } from "../stores/write-unit.ts";

/** How many references are looked up at a time, and from how many new ones on. */
const PORTION = 1_000;

/** The maximum number of resources that are remembered because they do not exist yet. */
const MOST_OPEN = 100_000;

type Missing = Parameters<NonNullable<ImportOptions["onMissing"]>>[0];

/** A reference whose resource is not found yet, and the record that is the first to have it. */
interface OpenReference extends Missing {
  readonly scope: OpenHolder;
  /** The release of a draft, which may have a draft of the resource. */
  readonly releaseId: string | undefined;
}

/**
 * Finds the references of written records to resources that their project lacks, and for a draft its release too,
 * except the required ones. Looks each resource up once for many records, and again at the end, because a file may
 * contain it after its first reference.
 */
export class MissingReferences {
  readonly #tx: Tx;
  readonly #drafts: Pick<ReleaseItemStore, "locate">;
  readonly #onMissing: ImportOptions["onMissing"];
  readonly #open = new Map<string, OpenReference>();
  /** The resources of {@link #open} that were not looked up yet. */
  #added: OpenReference[] = [];

  constructor(
    tx: Tx,
    drafts: Pick<ReleaseItemStore, "locate">,
    onMissing: ImportOptions["onMissing"],
  ) {
    this.#tx = tx;
    this.#drafts = drafts;
    this.#onMissing = onMissing;
  }

  /** Adds the references of a written record. */
  add(
    { kind, message, releaseId }: Pick<RecordItem, "kind" | "message" | "releaseId">,
    id: string,
    scope: OpenHolder,
  ): void {
    if (this.#onMissing === undefined) return;
    const required = listRequiredOf(kind, message);
    for (const { kind: target, id: to, field } of listReferencesOf(kind, message)) {
      const key = `${scope.id} ${releaseId} ${target} ${to}`;
      if (this.#open.has(key) || this.#open.size >= MOST_OPEN) continue;
      if (required.some((it) => it.kind === target && it.id === to)) continue;
      const holder = releaseId === undefined ? { kind, id } : { kind: "draft" as const, id };
      const reference = { ...holder, to: { kind: target, id: to }, field, scope, releaseId };
      this.#open.set(key, reference);
      this.#added.push(reference);
    }
  }

  /** Forgets the references to what exists, once there are many new ones. */
  async settle(): Promise<void> {
    if (this.#added.length < PORTION) return;
    await this.#close(this.#added);
    this.#added = [];
  }

  /** Reports the references whose resource does not exist. Everything must be written. */
  async end(): Promise<void> {
    await this.#close([...this.#open.values()]);
    for (const { kind, id, to, field } of this.#open.values()) {
      this.#onMissing?.({ kind, id, to, field });
    }
  }

  async #close(references: readonly OpenReference[]): Promise<void> {
    const byKind = Map.groupBy(
      references,
      ({ scope, releaseId, to }) => `${scope.id} ${releaseId} ${to.kind}`,
    );
    for (const [key, ofKind] of byKind) {
      for (let from = 0; from < ofKind.length; from += PORTION) {
        const part = ofKind.slice(from, from + PORTION);
        for (const id of await this.#locate(part)) this.#open.delete(`${key} ${id}`);
      }
    }
  }

  /** Returns the ids that exist, of references of one project and release to one kind. */
  async #locate(references: readonly OpenReference[]): Promise<readonly string[]> {
    const [first] = references;
    if (first === undefined) return [];
    const { scope, to, releaseId } = first;
    const { organizationId, id: projectId } = scope;
    const ids = references.map((it) => it.to.id);
    const located = await locateResources(this.#tx, to.kind, ids, organizationId);
    const inProject = located.filter((it) => it.projectId === projectId);
    if (releaseId === undefined) return inProject.map(({ id }) => id);
    const release = { kind: "release", id: releaseId, organizationId, projectId };
    const drafts = await this.#drafts.locate(release, to.kind, ids);
    return [...inProject, ...drafts].map(({ id }) => id);
  }
}

/** Lists the references of written records to resources that their project lacks, by kind and id. */
export async function* listDanglingReferences(
  tx: Tx,
  projects: readonly (readonly [id: string, revision: number])[],
): AsyncGenerator<DanglingReference> {
  for (const [projectId, revision] of projects) {
    for (const [from, to] of REQUIRED_REFERENCES) {
      const rows = await tx.all(sql<{ readonly from_id: string; readonly to_id: string }>`
        select from_id, to_id from reference
        join ${sql.table(from)} as written
          on written.project_id = reference.project_id and written.id = from_id
        where reference.project_id = ${projectId} and from_type = ${from} and to_type = ${to}
          and written.revision = ${revision}
          and not exists (
            select 1 from ${sql.table(to)} as target
            where target.project_id = reference.project_id and target.id = to_id
          )
        order by from_id, to_id
      `);
      for (const row of rows) {
        yield { kind: from, id: row.from_id, to: { kind: to, id: row.to_id } };
      }
    }
  }
}
