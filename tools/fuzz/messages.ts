import { type DescField, type DescMessage, getOption, ScalarType } from "@bufbuild/protobuf";
import type { Random } from "../../demo/data/random.ts";
import { FieldBehavior, field_behavior } from "../../gen/google/api/field_behavior_pb.ts";
import { TextKind, text as textOption } from "../../gen/svc/options/v1/text_pb.ts";
import type { Tenant } from "./tenants.ts";
import { chance, createJsonObject, createKql, createText, pick } from "./values.ts";

/** The ingredients of messages. */
export interface MessageSource {
  readonly random: Random;
  /** The sender of the message; of a request without credentials, the tenant it concerns. */
  readonly tenant: Tenant;
  readonly other: Tenant;
  /** Page tokens and ETags of the latest responses. */
  readonly tokens: readonly string[];
  /** About how many characters the message may still grow by; it then ends with what is short. */
  readonly room: { left: number };
}

/**
 * Creates a message in protobuf JSON from its descriptor. Many are valid: required fields are mostly set, ids mostly
 * name a resource of the right kind, and masks name fields.
 */
export function createMessage(
  schema: DescMessage,
  source: MessageSource,
  depth = 0,
): Record<string, unknown> {
  const { random } = source;
  const json: Record<string, unknown> = {};
  const isSparse = chance(random, 50);
  const taken = new Set<string>();
  for (const field of schema.fields) {
    const behaviors = getOption(field, field_behavior);
    const isRequired = behaviors.includes(FieldBehavior.REQUIRED);
    const isOutput = behaviors.includes(FieldBehavior.OUTPUT_ONLY);
    const percent = isRequired ? 97 : isOutput ? 3 : isSparse ? 15 : 60;
    if (!chance(random, depth > 4 ? percent / 4 : percent)) continue;
    if (source.room.left < 0 && !isRequired) continue;
    if (field.oneof !== undefined) {
      if (taken.has(field.oneof.name) && !chance(random, 3)) continue;
      taken.add(field.oneof.name);
    }
    const value = createField(field, source, depth);
    source.room.left -= 20 + (typeof value === "string" ? value.length : 0);
    json[chance(random, 50) ? field.jsonName : field.name] = value;
  }
  if (chance(random, 1)) json[createText(random, "noSuchField")] = 1;
  return json;
}

function createField(field: DescField, source: MessageSource, depth: number): unknown {
  const { random } = source;
  if (chance(random, 2)) return pick(random, [null, "", 0, {}, [], "x", true, -1]);
  switch (field.fieldKind) {
    case "list":
      return Array.from({ length: createLength(source) }, () =>
        createCounted(field, source, depth),
      );
    case "map":
      return Object.fromEntries(
        Array.from({ length: createLength(source) }, (_, index) => [
          createText(random, pick(random, ["en", "de", "id", "q", `key${index}`])),
          createCounted(field, source, depth),
        ]),
      );
    default:
      return createItem(field, source, depth);
  }
}

function createLength({ random, room }: MessageSource): number {
  if (room.left < 0) return 0;
  return chance(random, 1) ? pick(random, [100, 101, 1_000, 5_000]) : random.below(4);
}

/** Creates an item of a list or map; where there is no more room, a short one. */
function createCounted(field: DescField, source: MessageSource, depth: number): unknown {
  if (source.room.left < 0) return "x";
  const value = createItem(field, source, depth);
  source.room.left -= 20 + (typeof value === "string" ? value.length : 0);
  return value;
}

function createItem(field: DescField, source: MessageSource, depth: number): unknown {
  if (field.message !== undefined) return createWellKnown(field.message, source, depth);
  if (field.enum !== undefined) {
    const names = field.enum.values.map(({ name }) => name);
    return pick(source.random, [...names, ...names, "NO_SUCH_NAME", 99]);
  }
  return createScalar(field, source);
}

function createWellKnown(schema: DescMessage, source: MessageSource, depth: number): unknown {
  const { random, tenant } = source;
  switch (schema.typeName) {
    case "google.protobuf.Timestamp":
      return createText(random, pick(random, ["2026-01-02T03:04:05Z", "2030-01-01T00:00:00.5Z"]));
    case "google.protobuf.Duration":
      return createText(random, pick(random, ["0s", "1.5s", "3600s"]));
    case "google.protobuf.FieldMask":
      return createText(random, pick(random, MASKS));
    case "google.protobuf.Struct":
      return createJsonObject(random, tenant.canary);
    case "google.protobuf.Value":
      return pick(random, [tenant.canary, 1, null, ["a", "b"], { path: ["x", 1] }]);
    default:
      return createMessage(schema, source, depth + 1);
  }
}

const MASKS = [
  "name",
  "title",
  "type,rail",
  "data",
  "visibility",
  "fields",
  "permissions",
  "name,name",
  "*",
];

function createScalar(field: DescField, source: MessageSource): unknown {
  const { random, tenant } = source;
  switch (field.scalar) {
    case ScalarType.STRING:
      return createString(field, source);
    case ScalarType.BOOL:
      return field.name === "force" ? chance(random, 20) : chance(random, 50);
    case ScalarType.BYTES:
      return Buffer.from(tenant.canary).toString("base64");
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return pick(random, [0, 0.5, 1, -1, 1e308, "NaN", "Infinity", 2]);
    default:
      return pick(random, [
        0,
        1,
        2,
        7,
        20,
        100,
        1_001,
        -1,
        2_147_483_647,
        "9223372036854775807",
        1.5,
      ]);
  }
}

/** The fields that name a resource by another word than its kind. */
const KINDS: Readonly<Record<string, string>> = {
  page_component_ids: "page_component",
  annotation_type: "annotation_type",
  type: "annotation_type",
  video_protection_ruleset: "ruleset",
  banner_collection_v2: "banner_collection",
};

function createString(field: DescField, source: MessageSource): string {
  const { random, tenant, other, tokens } = source;
  const kind = getOption(field, textOption);
  if (kind === TextKind.VARIABLES)
    return createText(random, pick(random, ["{id}", "{q}", tenant.canary]));
  if (kind !== TextKind.UNSPECIFIED || field.name === "filter") return createKql(random);
  if (field.name === "page_token" || field.name === "etag") {
    return createText(random, tokens.length > 0 ? pick(random, tokens) : "token");
  }
  if (field.name === "resource_key") return createResourceKey(source);
  if (field.name === "id" || /_ids?$/.test(field.name)) return createId(field, source);
  if (field.name === "slug")
    return createText(random, pick(random, ["slug-00-red", "slug-00-blue", "new"]));
  if (field.name === "request_id") return createText(random, `request-${random.below(200)}`);
  if (/url|uri/.test(field.name)) {
    return createText(
      random,
      pick(random, ["https://example.com/a/b.m3u8", "https://h.example/x"]),
    );
  }
  if (field.name === "permissions") {
    return pick(random, ["cms.events.get", "iam.bindings.create", "cms.*.*", "x"]);
  }
  if (field.name === "order_by" || field.name === "order") {
    return pick(random, [
      "",
      "id asc",
      "title.en desc",
      "start_time asc",
      "name asc",
      other.canary.length > 0 ? "1" : "",
    ]);
  }
  return createText(random, tenant.canary);
}

/** Names a resource of the right kind: the tenant's own, the other's, or a missing one. */
function createId(field: DescField, { random, tenant, other }: MessageSource): string {
  const draw = random.below(100);
  if (draw < 4) return createText(random, "x");
  if (draw < 15) return `new-${random.below(50)}`;
  const owner = draw < 80 ? tenant : other;
  if (field.name === "project_id") return owner.projectId;
  if (field.name === "organization_id") return owner.organizationId;
  const word = field.name.replace(/_ids?$/, "");
  const isOwn = field.name === "id" || !owner.knownIds.has(KINDS[word] ?? word);
  const kind = isOwn ? pick(random, [...owner.knownIds.keys()]) : (KINDS[word] ?? word);
  const hidden = owner === tenant && chance(random, 50) ? owner.secretIds.get(kind) : undefined;
  return pick(random, hidden ?? owner.knownIds.get(kind) ?? ["x"]);
}

function createResourceKey({ random, tenant, other }: MessageSource): string {
  const owner = chance(random, 70) ? tenant : other;
  const kind = pick(random, [...owner.knownIds.keys()]);
  const id = pick(random, owner.knownIds.get(kind) ?? ["x"]);
  return pick(random, [
    `${owner.organizationId}/organization`,
    `${owner.projectId}/${owner.projectId}/project`,
    `${id}/${owner.projectId}/${kind}`,
    createText(random, "a/b"),
  ]);
}
