import { type DescField, type DescMessage, getOption, ScalarType } from "@bufbuild/protobuf";
import { StructSchema, ValueSchema } from "@bufbuild/protobuf/wkt";
import { TextKind, text as textOption } from "../../../gen/svc/options/v1/text_pb.ts";
import { KQL_LIMITS } from "../kql/index.ts";

/** Default limits of request fields by their kind; {@link FieldLimits} defines what each number counts. */
export const INPUT_LIMITS = {
  id: { characters: 512 },
  filter: { characters: KQL_LIMITS.bytes },
  token: { characters: 16_384 },
  description: { characters: 65_536 },
  text: { characters: 4_096 },
  bytes: { bytes: 262_144 },
  list: { items: 1_000 },
  messages: { items: 200 },
  map: { entries: 100, key: 256 },
  json: { values: 5_000, jsonCharacters: 524_288, key: 256, path: 1_024, levels: 100 },
} as const satisfies Readonly<Record<string, FieldLimits>>;

/** Maximum sizes of one field, all inclusive; an absent one does not apply. */
export interface FieldLimits {
  /** Code points of the string, or of each string of a list or map. */
  readonly characters?: number;
  readonly bytes?: number;
  readonly items?: number;
  /** Entries of a map. */
  readonly entries?: number;
  /** Code points of a key of a map or JSON object. */
  readonly key?: number;
  /** Values in a JSON value, including itself. */
  readonly values?: number;
  /** UTF-16 units of all keys and strings of a JSON value together. */
  readonly jsonCharacters?: number;
  /** UTF-16 units of the keys that lead to one value inside a JSON value, together. */
  readonly path?: number;
  /** Nesting depth of objects and arrays in a JSON value, the outermost included. */
  readonly levels?: number;
}

/** Limits of single fields, by full name; they override the limits of the field's kind. */
export const FIELD_LIMITS: Readonly<Record<string, FieldLimits>> = {
  ...ofRendering("svc.cda.ott.page.v1.GetPageRequest"),
  ...ofRendering("svc.cda.ott.page_component.v2.GetPageComponentRequest"),
  ...ofRendering("svc.cda.ott.page_component.v2.ListPageComponentItemsRequest"),
  ...ofRendering("svc.studio.ott.rendering.v1.RenderPageComponentRequest"),
  "svc.cda.monetization.offer.v1.ListOffersRequest.ids": { items: 100 },
  "svc.studio.annotations.annotation_type.v1.UpdateActionConfigurationRequest.configuration": {
    values: 1_000,
  },
  "svc.studio.annotations.annotation_type.v1.ActionConfiguration.configuration": { values: 1_000 },
  "svc.studio.cms.record.v1.WriteRecordsRequest.records": { items: 500 },
  "svc.studio.ott.page.v1.Page.parameters": { items: 100 },
  "svc.studio.ott.page.v1.ReorderPageComponentsRequest.page_component_ids": { items: 5_000 },
  "svc.studio.ott.page_component.v2.Rail.pinned": { items: 200 },
  "svc.studio.streaming.ruleset.v2.Target.video_ids": { items: 10_000 },
};

/** Limits URL parameters, because each text of a page may repeat their values. */
function ofRendering(request: string): Readonly<Record<string, FieldLimits>> {
  return {
    [`${request}.parameters`]: { characters: 1_024 },
    [`${request}.session`]: { values: 1_000, jsonCharacters: 65_536 },
  };
}

/** Returns the limits of a field: the limits of its kind, overridden by its own. */
export function limitsOf(field: DescField): FieldLimits {
  return { ...limitsOfKind(field), ...FIELD_LIMITS[fullNameOf(field)] };
}

/** Reports whether a field contains KQL, whose size is counted in bytes. */
export function isKqlField(field: DescField): boolean {
  return KQL_KINDS.has(getOption(field, textOption)) || field.name === "filter";
}

const KQL_KINDS: ReadonlySet<TextKind> = new Set([
  TextKind.KQL,
  TextKind.KQL_CLAUSE,
  TextKind.KQL_LITERAL,
]);

function fullNameOf({ parent, name }: DescField): string {
  return `${parent.typeName}.${name}`;
}

/** Reports whether a message is free JSON. */
export function isJsonType(message: DescMessage | undefined): boolean {
  return message?.typeName === StructSchema.typeName || message?.typeName === ValueSchema.typeName;
}

function limitsOfKind(field: DescField): FieldLimits {
  const { list, messages, map, json } = INPUT_LIMITS;
  return {
    ...(field.fieldKind === "list" && (field.message === undefined ? list : messages)),
    ...(isJsonType(field.message) && json),
    ...(field.fieldKind === "map" && map),
    ...limitsOfScalar(field),
  };
}

function limitsOfScalar(field: DescField): FieldLimits {
  if (field.scalar === ScalarType.BYTES) return INPUT_LIMITS.bytes;
  if (field.scalar !== ScalarType.STRING) return {};
  const { name } = field;
  if (isKqlField(field)) return INPUT_LIMITS.filter;
  if (/(?:^|_)ids?$/.test(name)) return INPUT_LIMITS.id;
  if (/(?:^|_)token$/.test(name)) return INPUT_LIMITS.token;
  if (/(?:^|_)description$/.test(name)) return INPUT_LIMITS.description;
  return INPUT_LIMITS.text;
}
