import { equals } from "@bufbuild/protobuf";
import { RecordSchema } from "../../../../gen/svc/transfer/v1/record_pb.ts";
import { ReleaseSchema, ReleaseState } from "../../../../gen/svc/type/v1/release_pb.ts";
import { notFound } from "../../../domain/base/errors.ts";
import { printKey } from "../../../domain/changes/resource-change.ts";
import type { Holder } from "../../../domain/quotas.ts";
import { atLine } from "../../../domain/records/line-error.ts";
import {
  findOwner,
  type RecordItem,
  recordIdOf,
  wrapRecord,
} from "../../../domain/records/record.ts";
import { checkWritable } from "../../../domain/releases/release.ts";
import type { ReleaseDraft, ReleaseItemStore } from "../../contract/releases.ts";
import { readDocument } from "../base/stored-document.ts";
import type { WriteUnit } from "../stores/write-unit.ts";
import type { ImportCount } from "./import-count.ts";
import type { DocumentImport } from "./import-documents.ts";
import type { MissingReferences } from "./missing-references.ts";
import { findStoredDocuments } from "./stored-documents.ts";

/** A draft of a release, or the base of one. */
export type DraftItem = RecordItem & { readonly releaseId: string };

/** The parts of an import that writes drafts. */
interface DraftImportParts {
  readonly items: ReleaseItemStore;
  /** Opens a release that could not be applied. */
  readonly documents: DocumentImport;
  readonly missing: MissingReferences;
  readonly count: ImportCount;
  /** The time of the drafts. */
  readonly now: Date;
}

/** Writes the drafts of an import into their releases, which exist. */
export class DraftImport {
  readonly #unit: WriteUnit;
  readonly #parts: DraftImportParts;
  /** The last record if it is a base, whose draft may follow. */
  #base: DraftItem | undefined;

  constructor(unit: WriteUnit, parts: DraftImportParts) {
    this.#unit = unit;
    this.#parts = parts;
  }

  /** Writes drafts. A draft follows its base. */
  async write(records: readonly DraftItem[]): Promise<void> {
    for (const draft of records) {
      const base = this.#base;
      const isPair = base !== undefined && isBaseOf(base, draft);
      if (!isPair) await this.end();
      this.#base = draft.isBase ? draft : undefined;
      const states = { draft: toState(draft), ...(isPair && { base: toState(base) }) };
      if (!draft.isBase) await this.#put(draft, states);
    }
  }

  /** Writes the last draft: a base without a draft deletes its resource. */
  async end(): Promise<void> {
    const base = this.#base;
    this.#base = undefined;
    if (base !== undefined) await this.#put(base, { base: toState(base) });
  }

  #put(record: DraftItem, states: Pick<ReleaseDraft, "base" | "draft">): Promise<void> {
    const { releaseId, kind, line, isForced = false } = record;
    const { items, documents, missing, count, now } = this.#parts;
    return atLine(line, async () => {
      const scope = await this.#unit.open(findOwner(record) as Holder);
      const { organizationId, id: projectId } = scope;
      const place = { organizationId, releaseId, kind, id: recordIdOf(record) };
      const found = await findStoredDocuments(
        this.#unit.tx,
        "release",
        [releaseId],
        organizationId,
      );
      const stored = found.get(releaseId);
      if (stored?.ownerId !== projectId) throw notFound("release", releaseId);
      const [former] = await items.list(place, { kind, ids: [place.id] });
      const isSame =
        isSameState(former?.base, states.base) &&
        isSameState(former?.draft, states.draft) &&
        former?.isForced === isForced;
      if (!isSame) {
        const release = readDocument(ReleaseSchema, stored.doc);
        checkWritable(release);
        if (release.state === ReleaseState.FAILED) {
          await documents.write([{ kind: "release", message: release, line }], scope);
        }
        const written = { isForced, accountId: "", updateTime: now };
        await items.put({ ...place, projectId, ...states, ...written });
      }
      if (!isSame && states.draft) missing.add(record, printPlace(record), scope);
      const outcome = former === undefined ? "created" : isSame ? "unchanged" : "updated";
      count.add({ kind: "draft", id: printPlace(record), line }, outcome);
    });
  }
}

/** Reports whether a base belongs to a draft: the same resource, in the same release and project. */
function isBaseOf(base: DraftItem, draft: DraftItem): boolean {
  const [owner, other] = [base, draft].map((it) => findOwner(it)?.id);
  return !draft.isBase && owner === other && printPlace(base) === printPlace(draft);
}

/** Prints the release and the resource of a draft, such as `finals/event:match-1`. */
function printPlace(record: DraftItem): string {
  return `${record.releaseId}/${printKey({ kind: record.kind, id: recordIdOf(record) })}`;
}

/** Returns the resource of a record, without its release. */
function toState({ releaseId: _release, isBase: _base, isForced: _forced, ...state }: DraftItem) {
  return state;
}

function isSameState(a: RecordItem | undefined, b: RecordItem | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return equals(RecordSchema, wrapRecord(a), wrapRecord(b));
}
