import { listReferencesOf } from "../../../domain/kinds.ts";
import type { RecordItem } from "../../../domain/records/record.ts";
import { listRequiredOf } from "../../../domain/references.ts";
import type { ImportOptions } from "../../contract/record-import.ts";
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
}

/**
 * Finds the references of written records to resources that their project lacks, except the required ones. Looks each
 * resource up once for many records, and again at the end, because a file may contain it after its first reference.
 */
export class MissingReferences {
  readonly #tx: Tx;
  readonly #onMissing: ImportOptions["onMissing"];
  readonly #open = new Map<string, OpenReference>();
  /** The resources of {@link #open} that were not looked up yet. */
  #added: OpenReference[] = [];

  constructor(tx: Tx, onMissing: ImportOptions["onMissing"]) {
    this.#tx = tx;
    this.#onMissing = onMissing;
  }

  /** Adds the references of a written record. */
  add(
    { kind, message }: Pick<RecordItem, "kind" | "message">,
    id: string,
    scope: OpenHolder,
  ): void {
    if (this.#onMissing === undefined) return;
    const required = listRequiredOf(kind, message);
    for (const { type, id: to, field } of listReferencesOf(kind, message)) {
      const key = `${scope.id} ${type} ${to}`;
      if (this.#open.has(key) || this.#open.size >= MOST_OPEN) continue;
      if (required.some((it) => it.type === type && it.id === to)) continue;
      const reference = { kind, id, to: { type, id: to }, field, scope };
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
    for (const { scope: _, ...missing } of this.#open.values()) this.#onMissing?.(missing);
  }

  async #close(references: readonly OpenReference[]): Promise<void> {
    const byKind = Map.groupBy(references, ({ scope, to }) => `${scope.id} ${to.type}`);
    for (const [key, ofKind] of byKind) {
      for (let from = 0; from < ofKind.length; from += PORTION) {
        const part = ofKind.slice(from, from + PORTION);
        const [{ scope, to } = { scope: undefined, to: undefined }] = part;
        if (scope === undefined) continue;
        const ids = part.map((it) => it.to.id);
        const located = await locateResources(this.#tx, to.type, ids, scope.organizationId);
        for (const { id, projectId } of located) {
          if (projectId === scope.id) this.#open.delete(`${key} ${id}`);
        }
      }
    }
  }
}
