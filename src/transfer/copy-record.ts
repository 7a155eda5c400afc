import {
  type DescField,
  type DescMessage,
  getOption,
  type JsonObject,
  type Message,
} from "@bufbuild/protobuf";
import { StructSchema } from "@bufbuild/protobuf/wkt";
import { TextKind, text as textOption } from "../../gen/svc/options/v1/text_pb.ts";
import { readField, writeField } from "../domain/base/descriptors.ts";
import { RECORD_SCHEMAS, type RecordItem, type RecordKind } from "../domain/records/record.ts";
import type { CopyIds } from "./copy-ids.ts";
import { copyJson, copyKql, copyLink, type JsonPlace } from "./copy-texts.ts";

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
