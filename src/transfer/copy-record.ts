import { createHash } from "node:crypto";
import {
  type DescField,
  type DescMessage,
  getOption,
  type JsonObject,
  type JsonValue,
  type Message,
} from "@bufbuild/protobuf";
import { StructSchema } from "@bufbuild/protobuf/wkt";
import { TextKind, text as textOption } from "../../gen/svc/options/v1/text_pb.ts";
import { readField, writeField } from "../domain/base/descriptors.ts";
import { rewriteKqlValues } from "../domain/kql/index.ts";
import { RECORD_SCHEMAS, type RecordItem, type RecordKind } from "../domain/records/record.ts";
import { isSitePath } from "../domain/validation/url-fields.ts";

/** The conversion of a field in a copy. */
export type CopyRule =
  /** The id of the resource, or of a referenced resource. */
  | "id"
  /** An id if the file contains it, otherwise a plain name. */
  | "id_or_name"
  /** The project, replaced by the project of the copy. */
  | "project"
  /** Free JSON. */
  | "json"
  /** Free JSON whose keys may be ids. */
  | "json_by_id"
  | "kql"
  | "link"
  /** A message, some of whose fields have rules. */
  | "message";

/** The rules of fields whose names do not show whether they contain ids of the project. */
const BY_NAME: Readonly<Record<string, CopyRule | "kept">> = {
  group_id: "id_or_name",
  link: "link",
  offer_price_id: "kept",
  organization_id: "kept",
  payment_method_id: "kept",
  pinned: "id",
  project_id: "project",
  source_id: "kept",
  subscription_id: "kept",
  user_id: "kept",
  "svc.cda.monetization.offer.v1.OfferPrice.id": "kept",
  "svc.studio.annotations.annotation.v1.Annotation.action_overrides": "json_by_id",
  "svc.studio.annotations.annotation_type.v1.ActionConfiguration.configuration": "json_by_id",
  "svc.studio.iam.project.v1.Project.id": "project",
};

const KQL_KINDS: ReadonlySet<TextKind> = new Set([
  TextKind.KQL,
  TextKind.KQL_CLAUSE,
  TextKind.KQL_LITERAL,
]);

/** Decides how a field is converted; undefined: copied unchanged. */
export function decideCopyRule(field: DescField): CopyRule | undefined {
  const named = BY_NAME[`${field.parent.typeName}.${field.name}`] ?? BY_NAME[field.name];
  if (named !== undefined) return named === "kept" ? undefined : named;
  if (KQL_KINDS.has(getOption(field, textOption))) return "kql";
  if (field.message !== undefined) return decideMessageRule(field.message);
  return field.scalar !== undefined && /^(?:id|\w+_ids?)$/.test(field.name) ? "id" : undefined;
}

function decideMessageRule(message: DescMessage): CopyRule | undefined {
  if (message.typeName === StructSchema.typeName) return "json";
  if (message.typeName.startsWith("google.")) return undefined;
  return message.fields.some((it) => decideCopyRule(it) !== undefined) ? "message" : undefined;
}

type Step = (message: Message, ids: CopyIds) => void;

const STEPS = new Map<string, readonly Step[]>();

/** Converts a record to the copy's: its id, its project and its references. */
export function copyRecord(record: RecordItem, ids: CopyIds): RecordItem {
  const { kind, message, componentIds } = record;
  const place = kind === "page_component" ? "component" : "elsewhere";
  copyMessage(RECORD_SCHEMAS[kind as RecordKind], message, place, ids);
  const copied = (["pageId", "predecessorId", "releaseId"] as const).flatMap((name) => {
    const id = record[name];
    return id === undefined ? [] : [[name, ids.toCopy(id)] as const];
  });
  return {
    ...record,
    ...Object.fromEntries(copied),
    ...(componentIds && { componentIds: componentIds.map((it) => ids.toCopy(it)) }),
  };
}

function copyMessage(schema: DescMessage, message: Message, place: JsonPlace, ids: CopyIds): void {
  const key = `${place} ${schema.typeName}`;
  let steps = STEPS.get(key);
  if (steps === undefined) {
    steps = schema.fields.flatMap((field) => {
      const rule = decideCopyRule(field);
      return rule === undefined ? [] : [createStep(field, rule, place)];
    });
    STEPS.set(key, steps);
  }
  for (const step of steps) step(message, ids);
}

/** Creates the step that converts one field, whether singular, repeated, a map or a oneof member. */
function createStep(field: DescField, rule: CopyRule, place: JsonPlace): Step {
  const change = (value: unknown, ids: CopyIds) => copyValue(field, rule, value, place, ids);
  return (message, ids) => {
    const value = readField(message, field);
    if (value === undefined) return;
    if (field.fieldKind === "list") {
      const items = (value as unknown[]).map((it) => change(it, ids));
      writeField(message, field, items);
    } else if (field.fieldKind === "map") {
      const entries = Object.entries(value ?? {}).map(([name, it]) => [name, change(it, ids)]);
      writeField(message, field, Object.fromEntries(entries));
    } else {
      writeField(message, field, change(value, ids));
    }
  };
}

function copyValue(
  { message }: DescField,
  rule: CopyRule,
  value: unknown,
  place: JsonPlace,
  ids: CopyIds,
): unknown {
  switch (rule) {
    case "project":
      return ids.projectId;
    case "id":
      return copyId(String(value), ids);
    case "id_or_name":
      return ids.find(String(value)) ?? value;
    case "kql":
      return copyKql(String(value), ids);
    case "link":
      return copyLink(String(value), ids);
    case "json":
      return copyJson(value as JsonObject, place, ids);
    case "json_by_id": {
      const json = copyJson(value as JsonObject, place, ids);
      return Object.fromEntries(Object.entries(json).map(([id, it]) => [ids.find(id) ?? id, it]));
    }
    case "message":
      if (message !== undefined) copyMessage(message, value as Message, place, ids);
      return value;
    default:
      return rule satisfies never;
  }
}

/** Converts an id, unless it contains variables, whose values are ids of the copy already. */
function copyId(id: string, ids: CopyIds): string {
  return /[{}]/.test(id) ? id : ids.toCopy(id);
}

/** The maximum length of an id, also of a copy. */
const MOST_CHARACTERS = 64;

/** The characters of the hash that replaces the end of a long id. */
const HASH = 16;

/**
 * Derives the ids of a copy: `<id>~<project>` or, if that is longer than 64 characters, the beginning of the id,
 * `~` and a hash of both. Deterministic, so that repeating a copy updates it.
 */
export class CopyIds {
  readonly projectId: string;
  /** The ids of the resources in the file. */
  readonly known = new Set<string>();
  /** The slugs of its pages. */
  readonly slugs = new Set<string>();

  constructor(projectId: string) {
    this.projectId = projectId;
  }

  /** Returns the id of the copy of a resource, whether or not it is in the file; an empty id stays empty. */
  toCopy(id: string): string {
    if (id === "") return id;
    const copy = `${id}~${this.projectId}`;
    if (copy.length <= MOST_CHARACTERS) return copy;
    const hash = createHash("sha256").update(`${id} ${this.projectId}`).digest("hex");
    const kept = id.slice(0, MOST_CHARACTERS - HASH - 1).toWellFormed();
    return `${kept}~${hash.slice(0, HASH)}`;
  }

  /** Returns the id of the copy if the text is the id of a resource in the file. */
  find(text: string): string | undefined {
    return this.known.has(text) ? this.toCopy(text) : undefined;
  }
}

/** Names whose value is an id or a list of ids: `id`, `offer_id`, `entityIds`, `pinned`. */
const ID_NAME = /^(?:ids?|pinned|\w*(?:_ids?|[a-z]Ids?))$/;

/** A text that is neither a plain word nor a number; only such texts are taken for ids under other names. */
const ID_FORM = /[a-z].*[^a-z]|[^a-z].*[a-z]/i;

/** The settings of a rail that contain KQL; in a grid they are free JSON. */
const KQL_NAME = /^(?:filter|additional_filters|additionalFilters)$/;

/**
 * Replaces ids in a filter by the ids of the copy, by the rule of {@link copyJson}. Only values that equal the id of a
 * resource in the file are replaced.
 */
export function copyKql(text: string, ids: CopyIds): string {
  return rewriteKqlValues(text, (path, value) =>
    findCopy(path.slice(path.lastIndexOf(".") + 1), value, ids),
  );
}

/**
 * Replaces ids in a link by the ids of the copy: in the path after the slug of a page, and in the values of the query.
 * An absolute URL stays unchanged.
 */
export function copyLink(link: string, ids: CopyIds): string {
  if (!isSitePath(link)) return link;
  const [, path = "", query = "", fragment = ""] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(link) ?? [];
  const copyValueOf = (_: string, value: string) => `=${copyEncoded(value, ids)}`;
  return copyPath(path, ids) + query.replace(/=([^&]*)/g, copyValueOf) + fragment;
}

function copyPath(path: string, ids: CopyIds): string {
  const segments = path.split("/").slice(1);
  const slugs = segments.map((_, at) => ids.slugs.has(segments.slice(0, at + 1).join("/")));
  const behind = slugs.lastIndexOf(true) + 1;
  const copied = segments.map((it, at) => (at < behind ? it : copyEncoded(it, ids)));
  return `/${copied.join("/")}`;
}

function copyEncoded(text: string, ids: CopyIds): string {
  try {
    const found = ids.find(decodeURIComponent(text));
    return found === undefined ? text : encodeURIComponent(found);
  } catch {
    return text;
  }
}

function findCopy(name: string, text: string, ids: CopyIds): string | undefined {
  return ID_NAME.test(name) || ID_FORM.test(text) ? ids.find(text) : undefined;
}

/** The location of free JSON; only page components contain filters. */
export type JsonPlace = "component" | "elsewhere";

/**
 * Replaces ids in free JSON by the ids of the copy. Ids are in links, in the filters of page components, and in strings
 * that equal the id of a resource in the file. A plain word or number counts as an id only if its name says so. So
 * `{"side": "home"}` stays unchanged although there is a page with the id `home`.
 */
export function copyJson(json: JsonObject, place: JsonPlace, ids: CopyIds): JsonObject {
  return copyJsonValue(json, "", place, ids) as JsonObject;
}

function copyJsonValue(value: JsonValue, name: string, place: JsonPlace, ids: CopyIds): JsonValue {
  if (typeof value === "string") return copyText(value, name, place, ids);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((it) => copyJsonValue(it, name, place, ids));
  const isClauses = place === "component" && KQL_NAME.test(name);
  return Object.fromEntries(
    Object.entries(value).map(([key, it]) => [
      key,
      copyJsonValue(it, isClauses && typeof it === "string" ? name : key, place, ids),
    ]),
  );
}

function copyText(text: string, name: string, place: JsonPlace, ids: CopyIds): string {
  if (text.startsWith("/")) return copyLink(text, ids);
  if (place === "component" && KQL_NAME.test(name)) return copyKql(text, ids);
  return findCopy(name, text, ids) ?? text;
}
