import {
  type DescField,
  type DescMessage,
  getOption,
  type JsonObject,
  type JsonValue,
  ScalarType,
} from "@bufbuild/protobuf";
import { TextKind, text as textOption } from "../../gen/svc/options/v1/text_pb.ts";
import { VideoService } from "../../gen/svc/studio/streaming/video/v1/video_service_pb.ts";
import { RecordSchema } from "../../gen/svc/transfer/v1/record_pb.ts";
import { isUrlField } from "../../src/domain/validation/url-fields.ts";
import { toDescriptorSet } from "../domain/actions/descriptor-set.ts";

/** The organization and the project that every filled record lies in. */
export const ORGANIZATION = "org-1";
export const PROJECT = "project-1";

/**
 * Creates the lines of a file that holds every kind of record with every field set, and of each oneof every
 * member in some line. It is made from the descriptors: a field or a kind that is added is in it.
 */
export function createFilledLines(): string[] {
  return RecordSchema.fields.flatMap((field) => {
    if (field.message === undefined) return [];
    const schema = field.message;
    return Array.from({ length: countVariants(schema) }, (_, variant) => {
      const message = toFilled(schema, { kind: field.name, variant, above: [] });
      return JSON.stringify({ [field.name]: message });
    });
  });
}

interface Place {
  readonly kind: string;
  /** Which member of each oneof is set. */
  readonly variant: number;
  /** The names of the messages that the value lies in. */
  readonly above: readonly string[];
}

/** There is one of these in the file. */
const SINGLE: readonly string[] = [
  "svc.studio.iam.organization.v1.Organization",
  "svc.studio.iam.project.v1.Project",
  "svc.studio.iam.sign_in_integration.v1.SignInIntegration",
];

function countVariants(schema: DescMessage): number {
  if (SINGLE.includes(schema.typeName)) return 1;
  const sizes = reachable(schema).flatMap((it) => it.oneofs.map((oneof) => oneof.fields.length));
  // Two at least: an order shows only then.
  return Math.max(2, ...sizes);
}

function reachable(root: DescMessage, seen = new Set<DescMessage>()): DescMessage[] {
  if (seen.has(root) || root.typeName.startsWith("google.")) return [...seen];
  seen.add(root);
  for (const field of root.fields) if (field.message) reachable(field.message, seen);
  return [...seen];
}

function toFilled(schema: DescMessage, place: Place): JsonObject {
  const below = { ...place, above: [...place.above, schema.typeName] };
  const json: JsonObject = {};
  for (const field of schema.fields) {
    if (field.oneof && !isPicked(field, place.variant)) continue;
    if (isDerived(field)) continue;
    const value = fixedValue(field, place) ?? toValue(field, below);
    if (value !== undefined) json[field.name] = value;
  }
  return json;
}

function isPicked(field: DescField, variant: number): boolean {
  const members = field.oneof?.fields ?? [];
  return members[variant % members.length] === field;
}

/** What an offer says of an entitlement is read from the offer; quotas and usage are the installation's. */
function isDerived({ name, parent }: DescField): boolean {
  const isOfHolder = parent.name === "Organization" || parent.name === "Project";
  if (isOfHolder) return ["quotas", "usage"].includes(name);
  return parent.name === "Entitlement" && ["opens", "max_streams"].includes(name);
}

/** Values that rules demand, by the field's name. */
function fixedValue(field: DescField, { kind, variant }: Place): JsonValue | undefined {
  const number = String(variant).padStart(2, "0");
  switch (field.name) {
    case "id":
      return idOf(field.parent, kind, number);
    case "account_organization_id":
    case "organization_id":
      return ORGANIZATION;
    case "project_id":
      return PROJECT;
    case "account_id":
    case "role_id":
      return `${field.name.slice(0, -3)}-00`;
    case "configuration":
      // The actions of a type must be there.
      return { "action-01": { b: [1, null], a: "" }, "action-00": {} };
    case "types":
      return ["SOURCE_TYPE_MANUAL", "SOURCE_TYPE_IMPORT"];
    case "type_id":
      return "annotation_type-00";
    case "email":
      return `user-${number}@example.com`;
    case "subject":
      return `subject-${number}`;
    case "page_id":
      return variant < 10 ? "page-00" : "page-01";
    case "slug":
      return `slug-${number}`;
    case "resource_key":
      return `${PROJECT}/${PROJECT}/project`;
    case "type":
      return field.parent.name === "PageComponent" ? memberName(field, variant) : undefined;
    case "environments":
      return ["web", "ios"];
    case "country_codes":
      return ["DE", "FR"];
    case "domains":
      return field.fieldKind === "list" ? ["a.example", "b.example"] : undefined;
    case "playlist_url":
      return "https://origin.example/a/a.m3u8";
    case "permissions":
      return ["cms.events.get", "cms.events.list"];
    case "parameters":
      return ["id", "season"];
    case "link":
      return "/matches";
    case "images":
      return ["PHONE", "TV"].map((it) => ({
        form_factor: `FORM_FACTOR_${it}`,
        url: `${SITE}/${it}`,
      }));
    case "prices":
      return ["a", "b"].map((id) => ({ ...toPrice(field), id }));
    case "kinds":
      return field.parent.name === "Webhook" ? ["event", "page"] : undefined;
    case "webhook":
      return { url: `${SITE}/hook` };
    case "connect_call":
      return {
        base_url: SITE,
        method: METHOD,
        descriptor_set: DESCRIPTORS,
        request: { video_id: "{annotation.video_id}" },
      };
    case "order":
      return field.scalar === ScalarType.STRING ? "id asc" : undefined;
    default:
      return undefined;
  }
}

/** Maps whose keys are languages. */
const LANGUAGE_MAPS = ["description", "title"];

const SITE = "https://site.example";

/** A method that a call can name, and what describes it. */
const METHOD = "svc.studio.streaming.video.v1.VideoService/GetVideo";
const DESCRIPTORS = Buffer.from(toDescriptorSet(VideoService.file)).toString("base64");

/** Every field of a price but the id. */
function toPrice(field: DescField): JsonObject {
  const schema = field.message;
  if (schema === undefined) throw new Error(`${field.name} holds no messages`);
  return toFilled(schema, { kind: "offer", variant: 0, above: [] });
}

function idOf(message: DescMessage, kind: string, number: string): string {
  switch (message.typeName.split(".").at(-1)) {
    case "Organization":
      return ORGANIZATION;
    case "Project":
      return PROJECT;
    case "BannerCollection":
    case "BannerCollectionV2":
      // What a component shows must be there.
      return kind === "page_component" ? "banner_collection-00" : `${kind}-${number}`;
    default:
      return `${kind}-${number}`;
  }
}

function memberName(field: DescField, variant: number): string {
  const members = field.parent.oneofs.find(({ name }) => name === "data")?.fields ?? [];
  return members[variant % members.length]?.name ?? "";
}

function toValue(field: DescField, place: Place): JsonValue | undefined {
  switch (field.fieldKind) {
    case "scalar":
      return toScalar(field.scalar, field);
    case "enum":
      return field.enum.values.at(-1)?.name;
    case "message":
      return toMessage(field.message, place);
    case "list": {
      const values = [1, 2].map((count) => toItem(field, place, count));
      return values.some((value) => value === undefined) ? undefined : (values as JsonValue[]);
    }
    case "map": {
      const value = toItem(field, place, 1);
      // Neither the order of code points nor that in which JavaScript lists such names.
      if (value === undefined) return undefined;
      return LANGUAGE_MAPS.includes(field.name)
        ? { z: value, B: value, a: value }
        : { z: value, "10": value, a: value, "9": value };
    }
  }
}

function toItem(
  field: DescField & { fieldKind: "list" | "map" },
  place: Place,
  count: number,
): JsonValue | undefined {
  if (field.message !== undefined) return toMessage(field.message, place);
  if (field.enum !== undefined) return field.enum.values.at(-1)?.name;
  const value = toScalar(field.scalar ?? ScalarType.STRING, field);
  return typeof value === "string" && !isKql(field) ? `${value} ${count}` : value;
}

function isKql(field: DescField): boolean {
  const kind = getOption(field, textOption);
  return kind !== TextKind.UNSPECIFIED && kind !== TextKind.VARIABLES;
}

function toScalar(type: ScalarType, field: DescField): JsonValue {
  switch (type) {
    case ScalarType.STRING:
      if (isUrlField(field)) return `${SITE}/${field.name}`;
      return isKql(field) ? 'fields.a: "b"' : `${field.name} "ä\u{1f3c6}`;
    case ScalarType.BOOL:
      return true;
    case ScalarType.BYTES:
      return "AAH/";
    case ScalarType.DOUBLE:
      return 0.1;
    case ScalarType.INT64:
      return "9007199254740993";
    default:
      return 7;
  }
}

/** Messages that hold themselves end at the second level. */
function toMessage(schema: DescMessage, place: Place): JsonValue | undefined {
  if (place.above.filter((name) => name === schema.typeName).length > 1) return undefined;
  switch (schema.typeName) {
    case "google.protobuf.Timestamp":
      return "2026-01-02T03:04:05.123456Z";
    case "google.protobuf.Duration":
      return "1.000000005s";
    case "google.type.Money":
      return { currency_code: "EUR", units: "9007199254740993", nanos: 7 };
    case "google.protobuf.Struct":
      return { b: [1, null, { d: false, c: "x" }], "10": -0.5, "9": {}, a: "" };
    case "svc.type.v1.Window":
      return { start_time: "2026-01-02T03:04:05.123456Z", end_time: "2026-01-02T03:04:05.123457Z" };
    default:
      return toFilled(schema, place);
  }
}
