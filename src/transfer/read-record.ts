import type { Message } from "@bufbuild/protobuf";
import {
  RecordSchema,
  type Record as TransferRecord,
} from "../../gen/svc/transfer/v1/record_pb.ts";
import { Code, DomainError } from "../domain/base/errors.ts";
import { checkField, invalidField } from "../domain/base/field-errors.ts";
import { toSnakeCase } from "../domain/base/text.ts";
import { isContentKind, isReleasable } from "../domain/kinds.ts";
import {
  type DocumentRecordKind,
  findOwner,
  isPartOfProject,
  isRecordKind,
  openRecord,
  pathOf,
  RECORD_KINDS,
  type RecordItem,
  type RecordKind,
  recordIdOf,
} from "../domain/records/record.ts";
import { checkContentRecord, checkRecord } from "../domain/records/record-checks.ts";
import { checkInput } from "../domain/validation/input-checks.ts";
import {
  isObject,
  type JsonObject,
  type JsonValue,
  MAX_DEPTH,
  readJson,
} from "../protojson/read-json.ts";
import { readMessage } from "../protojson/read-message.ts";
import { type CopyIds, copyRecord } from "./copy-record.ts";

/**
 * Reads one line of an import, `{"<kind>": {…}}` with a message in proto JSON, or the same with the fields of a draft;
 * `projectId` replaces a missing project. With `ids`, the record is converted to the record of a copy. INVALID_ARGUMENT
 * with the field for invalid JSON, an unknown kind or field, a missing id or project, and a project other than
 * `projectId`. Also for a role, account or binding if `projectId` is given, and for a record that grants the role
 * `operator`. Also for a draft of a kind that releases cannot contain, and a resource that the Studio API would reject.
 */
export function readRecord(
  text: string,
  line: number,
  projectId: string | undefined,
  ids?: CopyIds,
): RecordItem {
  const { kind, json } = readEnvelope(text);
  const options = { acceptsEnumNumbers: true };
  const message = readMessage(RecordSchema, json, "", options) as TransferRecord;
  checkInput(RecordSchema, message);
  const record = openRecord(message, line);
  if (record === undefined) throw missing(pathOf(kind));
  if (Object.keys(json).length > 1) checkDraft(record);
  checkIds(record, projectId);
  if (isContentKind(kind)) checkContentRecord(kind, record.message, text.length);
  const own = ids === undefined ? record : copyRecord(record, ids);
  return isContentKind(kind) ? own : checkRecord(own as RecordItem<DocumentRecordKind>);
}

function checkDraft({ kind, releaseId }: RecordItem): void {
  if (releaseId === undefined) throw missing("release_id");
  const rule = "releases cannot contain drafts of this kind";
  checkField(isReleasable(kind), kind, "RECORD_KIND_INVALID", rule);
}

/** Reads only the names of one line, which a copy needs to find references to it. INVALID_ARGUMENT unless it is a record. */
export function readNames(text: string) {
  const { kind, json } = readEnvelope(text);
  const resource = pathOf(kind)
    .split(".")
    .slice(1)
    .reduce((it, name) => readMember(it, name), json[kind] ?? null);
  const read = (name: string) => String(readMember(resource, name) ?? "");
  const id = read("id");
  return { kind, id, projectId: kind === "project" ? id : read("project_id"), slug: read("slug") };
}

/** Reads a member in snake_case or camelCase. */
function readMember(json: JsonValue, name: string): JsonValue {
  if (!isObject(json)) return null;
  const camel = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const own = [name, camel].find((it) => Object.hasOwn(json, it));
  return own === undefined ? null : (json[own] ?? null);
}

/**
 * The most bytes of an id, in UTF-8: on PostgreSQL, three ids with a type each, or one with the start of a value,
 * fit into an index entry.
 */
const MOST_ID_BYTES = 800;

/** Sets a missing project, and checks the ids of a record. */
function checkIds(record: RecordItem, projectId: string | undefined): void {
  const { kind, message, pageId } = record;
  const path = pathOf(kind);
  const isOfProject = findOwner(record)?.kind === "project";
  if (isOfProject && projectId !== undefined) {
    const inProject = message as Message & { projectId: string };
    inProject.projectId ||= projectId;
  }
  const owner = findOwner(record);
  if (kind !== "sign_in_integration" && recordIdOf(record) === "") throw missing(`${path}.id`);
  const bytes = Buffer.byteLength(recordIdOf(record));
  if (bytes > MOST_ID_BYTES) {
    const description = `must have at most ${MOST_ID_BYTES} bytes in UTF-8, not ${bytes}`;
    throw invalidField(`${path}.id`, "ID_TOO_LONG", description);
  }
  if (owner?.id === "") {
    const hint = isOfProject ? "; set it or pass --project" : "";
    throw missing(`${path}.${owner.kind}_id`, hint);
  }
  // The draft of a component may leave out its page, which an update cannot change.
  if (pageId === "" && record.releaseId === undefined) throw missing(`${kind}.page_id`);
  if (projectId !== undefined && !isPartOfProject(kind)) {
    const description = "does not belong to a project; import it without --project";
    throw invalidField(path, "NOT_OF_PROJECT", description);
  }
  const own = kind === "project" ? recordIdOf(record) : isOfProject ? owner?.id : undefined;
  if (projectId !== undefined && own !== undefined && own !== projectId) {
    const field = kind === "project" ? "id" : "project_id";
    const description = `is ${own}, but --project is ${projectId}`;
    throw invalidField(`${path}.${field}`, "PROJECT_DIFFERENT", description);
  }
}

function missing(path: string, hint = ""): DomainError {
  return invalidField(path, "FIELD_REQUIRED", `is required${hint}`);
}

/** A record encloses the message of one request. */
const RECORD_DEPTH = MAX_DEPTH + 1;

/** The fields of a record that only drafts have. */
const DRAFT_FIELDS = ["release_id", "base", "force", "page_component_ids"];

/** Reads the JSON of a line, and the kind of its resource. */
function readEnvelope(text: string): { readonly kind: RecordKind; readonly json: JsonObject } {
  const kinds = RECORD_KINDS.join(", ");
  if (!text.trimStart().startsWith("{")) {
    throw rejection(`must be a JSON object with one key of ${kinds}; for CSV pass --csv`);
  }
  const json = readJson(text, RECORD_DEPTH) as JsonObject;
  const isOfDraft = (name: string) => DRAFT_FIELDS.includes(toSnakeCase(name));
  const [kind, ...others] = Object.keys(json).filter((name) => !isOfDraft(name));
  if (kind === undefined || others.length > 0)
    throw rejection(`must have exactly one key of ${kinds}`);
  if (!isRecordKind(kind)) throw rejection(`unknown kind '${kind}'; known: ${kinds}`);
  return { kind, json };
}

function rejection(description: string): DomainError {
  return new DomainError(Code.INVALID_ARGUMENT, "LINE_INVALID", description);
}
