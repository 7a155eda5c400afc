import type { Message } from "@bufbuild/protobuf";
import type { Kysely } from "kysely";
import {
  listRequiredOfAnnotation,
  listRequiredOfPageComponent,
  type RequiredReference,
  referenceNotFound,
} from "../../../domain/messages/required-references.ts";
import { blameLine } from "../../../domain/transfer/line-fault.ts";
import { type DocumentRecordKind, pathOf } from "../../../domain/transfer/record.ts";
import type { PreparedDocument } from "../../record-import.ts";
import type { Schema } from "../schema.ts";
import { findStoredDocuments } from "./stored-documents.ts";

/** Checks the references of an import's records, as the management interface does. */
export interface ReferenceCheck {
  /** Adds a record of the file, and its references if it is written. */
  add(document: PreparedDocument, value: Message, isWritten: boolean): void;
  /**
   * INVALID_ARGUMENT `REFERENCE_NOT_FOUND`, with the line, for a reference of a written record to a resource
   * that is neither in the file nor in the project.
   */
  end(): Promise<void>;
}

const REQUIRED: {
  readonly [Kind in DocumentRecordKind]?: (message: never) => RequiredReference[];
} = { annotation: listRequiredOfAnnotation, page_component: listRequiredOfPageComponent };

/** The IDs that one statement looks for. */
const PORTION = 500;

/** A reference and the record that holds it. */
interface Asked extends Pick<PreparedDocument, "kind" | "line"> {
  readonly projectId: string;
  readonly reference: RequiredReference;
}

/** Creates the check for one import; `db` is its transaction. */
export function createReferenceCheck(db: Kysely<Schema>): ReferenceCheck {
  const asked = new Map<string, readonly Asked[]>();
  /** The project IDs of the file's records. */
  const inFile = new Map<string, string>();
  const isInFile = ({ projectId, reference: { type, id } }: Asked) =>
    inFile.get(`${type} ${id}`) === projectId;

  async function findMissing(type: RequiredReference["type"], all: readonly Asked[]) {
    const ids = [...new Set(all.map(({ reference }) => reference.id))];
    const owners = new Map<string, string>();
    for (let at = 0; at < ids.length; at += PORTION) {
      const found = await findStoredDocuments(db, type, ids.slice(at, at + PORTION));
      for (const { id, ownerId } of found.values()) owners.set(id, ownerId);
    }
    return all.find(({ projectId, reference: { id } }) => owners.get(id) !== projectId);
  }

  return {
    add(document, value, isWritten) {
      const { kind, id, line, owner } = document;
      const projectId = owner?.id ?? "";
      const key = `${kind} ${id}`;
      if (kind === "annotation_type" || kind === "banner_collection") inFile.set(key, projectId);
      if (!isWritten) return;
      const references = REQUIRED[kind]?.(value as never) ?? [];
      const open = references
        .map((reference) => ({ kind, line, projectId, reference }))
        .filter((it) => !isInFile(it));
      // Of two records with one ID the later one is stored.
      if (open.length > 0) asked.set(key, open);
      else asked.delete(key);
    },

    async end() {
      const all = [...asked.values()].flat().filter((it) => !isInFile(it));
      for (const [type, own] of Map.groupBy(all, ({ reference }) => reference.type)) {
        const missing = await findMissing(type, own);
        if (missing === undefined) continue;
        const { kind, line, reference } = missing;
        throw blameLine(line, referenceNotFound(reference, pathOf(kind)));
      }
    },
  };
}
