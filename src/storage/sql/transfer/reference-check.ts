import type { Message } from "@bufbuild/protobuf";
import {
  listRequiredOfAnnotation,
  listRequiredOfPageComponent,
  type RequiredReference,
  referenceNotFound,
} from "../../../domain/messages/required-references.ts";
import { blameLine } from "../../../domain/transfer/line-fault.ts";
import { type DocumentRecordKind, pathOf } from "../../../domain/transfer/record.ts";
import type { Db } from "../../db/db.ts";
import type { PreparedDocument } from "../../record-import.ts";
import { findStoredDocuments } from "./stored-documents.ts";

/** The organization of a record, and whether the record is written. */
export interface RecordPlace {
  readonly organizationId: string;
  readonly isWritten: boolean;
}

/** Checks the references of an import's records, as the management interface does. */
export interface ReferenceCheck {
  /** Adds a record of the file, and its references if it is written. */
  add(document: PreparedDocument, value: Message, place: RecordPlace): void;
  /**
   * INVALID_ARGUMENT `REFERENCE_NOT_FOUND`, with the line, for a reference of a written record to a resource
   * that is neither in the file nor in the project.
   */
  end(): Promise<void>;
}

const REQUIRED: {
  readonly [Kind in DocumentRecordKind]?: (message: never) => RequiredReference[];
} = { annotation: listRequiredOfAnnotation, page_component: listRequiredOfPageComponent };

/** The ids looked up per statement. */
const PORTION = 500;

/** A reference and the record that holds it. */
interface Asked extends Pick<PreparedDocument, "kind" | "line"> {
  readonly organizationId: string;
  readonly projectId: string;
  readonly reference: RequiredReference;
}

/** Creates the check for one import; `db` is its transaction. */
export function createReferenceCheck(db: Db): ReferenceCheck {
  const asked = new Map<string, readonly Asked[]>();
  /** The file's records, by project, kind and id. */
  const inFile = new Set<string>();
  const isInFile = ({ projectId, reference: { type, id } }: Asked) =>
    inFile.has(`${projectId} ${type} ${id}`);

  /** Finds the first broken reference; all are of one organization and one type. */
  async function findMissing(all: readonly Asked[]) {
    const [first] = all;
    if (first === undefined) return undefined;
    const { organizationId, reference } = first;
    const ids = [...new Set(all.map(({ reference }) => reference.id))];
    const owners = new Map<string, string>();
    for (let at = 0; at < ids.length; at += PORTION) {
      const portion = ids.slice(at, at + PORTION);
      const found = await findStoredDocuments(db, reference.type, portion, organizationId);
      for (const { id, ownerId } of found.values()) owners.set(id, ownerId);
    }
    return all.find(({ projectId, reference: { id } }) => owners.get(id) !== projectId);
  }

  return {
    add(document, value, { organizationId, isWritten }) {
      const { kind, id, line, owner } = document;
      const projectId = owner?.id ?? "";
      const key = `${projectId} ${kind} ${id}`;
      if (kind === "annotation_type" || kind === "banner_collection") inFile.add(key);
      if (!isWritten) return;
      const references = REQUIRED[kind]?.(value as never) ?? [];
      const open = references
        .map((reference) => ({ kind, line, organizationId, projectId, reference }))
        .filter((it) => !isInFile(it));
      // Of two records with one id the later one is stored.
      if (open.length > 0) asked.set(key, open);
      else asked.delete(key);
    },

    async end() {
      const all = [...asked.values()].flat().filter((it) => !isInFile(it));
      const groups = Map.groupBy(all, (it) => `${it.organizationId} ${it.reference.type}`);
      for (const own of groups.values()) {
        const missing = await findMissing(own);
        if (missing === undefined) continue;
        const { kind, line, reference } = missing;
        throw blameLine(line, referenceNotFound(reference, pathOf(kind)));
      }
    },
  };
}
