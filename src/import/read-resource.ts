import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { Code, DomainError, invalidField } from "../domain/errors.ts";
import { type ContentKind, isContentKind } from "../domain/order.ts";
import type { Content } from "../storage/prepare-content.ts";
import { readJson } from "../transcoding/json-reader.ts";
import { isObject } from "../transcoding/json-value.ts";
import { readMessage } from "../transcoding/read-message.ts";
import { RESOURCE_KINDS, type Resource } from "./resource-kinds.ts";

/**
 * Reads one line of an import, `{"<kind>": {…}}` with a message in proto JSON; `projectId` fills in for
 * one that is missing. INVALID_ARGUMENT that names the field: for what is no such JSON, an unknown kind
 * or field, a missing id or project, a project other than `projectId`.
 */
export function readResource(text: string, line: number, projectId: string | undefined): Content {
  const { kind, json } = readEnvelope(text);
  const message = readFast(kind, json) ?? readStrictly(kind, text);
  if (message.id === "") throw invalidField(`${kind}.id`, "FIELD_REQUIRED", "it is missing");
  if (message.projectId === "") message.projectId = projectId ?? "";
  const path = `${kind}.project_id`;
  if (message.projectId === "") {
    throw invalidField(path, "FIELD_REQUIRED", "it is missing, and --project does not fill it");
  }
  if (projectId !== undefined && message.projectId !== projectId) {
    const description = `it is ${message.projectId}, and --project is ${projectId}`;
    throw invalidField(path, "PROJECT_DIFFERENT", description);
  }
  return { kind, message, line };
}

function readEnvelope(text: string): { readonly kind: ContentKind; readonly json: JsonValue } {
  const json = parseJson(text);
  const kinds = Object.keys(RESOURCE_KINDS).join(", ");
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    throw refuse(`it is no object with one key of ${kinds}`);
  }
  const [kind, ...others] = Object.keys(json);
  if (kind === undefined || others.length > 0) throw refuse(`it has not one key of ${kinds}`);
  if (!isContentKind(kind)) throw refuse(`the kind '${kind}' is unknown; there are ${kinds}`);
  return { kind, json: json[kind] ?? null };
}

function parseJson(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (cause) {
    // The slow reader says where the fault is.
    readJson(text);
    throw refuse("it is no JSON", cause);
  }
}

/** Reads a message that has no fault. */
function readFast(kind: ContentKind, json: JsonValue): Resource | undefined {
  try {
    return fromJson(RESOURCE_KINDS[kind], json);
  } catch {
    return undefined;
  }
}

/** Reads a message that has a fault once more, to name its field. */
function readStrictly(kind: ContentKind, text: string): never {
  const json = readJson(text);
  readMessage(RESOURCE_KINDS[kind], (isObject(json) ? json[kind] : undefined) ?? null, kind);
  throw invalidField(kind, "VALUE_INVALID", "it cannot be read");
}

function refuse(description: string, cause?: unknown): DomainError {
  return new DomainError(Code.INVALID_ARGUMENT, "LINE_INVALID", description, { cause });
}
