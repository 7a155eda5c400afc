import { type DescField, type DescMessage, getOption, ScalarType } from "@bufbuild/protobuf";
import type { Random } from "../../demo/data/random.ts";
import { FieldBehavior, field_behavior } from "../../gen/google/api/field_behavior_pb.ts";
import { TextKind, text as textOption } from "../../gen/svc/options/v1/text_pb.ts";
import type { MessageSource } from "./messages.ts";
import { createMessage } from "./messages.ts";
import type { Json } from "./valid-requests.ts";
import { chance, createJson, createKql, pick } from "./values.ts";

/** A field that may be changed: its message, its name in the message, and its descriptor. */
interface Site {
  readonly holder: Json;
  readonly field: DescField;
}

/**
 * Changes a request in one to three fields, each by what its type makes of interest. Most changes leave the message
 * valid in form, so that they reach what lies behind the checks of fields.
 */
export function mutate(schema: DescMessage, valid: Json, source: MessageSource): Json {
  const { random } = source;
  const message = structuredClone(valid);
  const count = 1 + random.below(3);
  for (let index = 0; index < count; index += 1) {
    const sites = listSites(schema, message);
    const inside = sites.filter(
      ({ holder, field }) => (holder !== message || !isName(field)) && !isOutput(field),
    );
    if (sites.length === 0) break;
    // What does nothing but name a resource has nothing else to change.
    if (inside.length === 0 && chance(random, 70)) continue;
    // Names of resources and output-only fields are mostly left unchanged: the first checks would reject them.
    const { holder, field } = pick(
      random,
      inside.length === 0 || chance(random, 8) ? sites : inside,
    );
    mutateField(holder, field, source);
  }
  return message;
}

/** Lists every field that a message has or could have, also of those inside of it. */
function listSites(schema: DescMessage, holder: Json): Site[] {
  return schema.fields.flatMap((field): Site[] => {
    if (FIXED.includes(field.localName)) return [];
    const value = holder[field.jsonName];
    const own: Site[] = [{ holder, field }];
    const { message } = field;
    if (
      message === undefined ||
      message.typeName.startsWith("google.") ||
      typeof value !== "object"
    )
      return own;
    const inside = field.fieldKind === "message" ? [value] : Object.values(value ?? {});
    return [...own, ...inside.filter(isJson).flatMap((it) => listSites(message, it))];
  });
}

function isName({ name }: DescField): boolean {
  return /_id$|^(resource_key|page_token|update_mask)$/.test(name);
}

function isOutput(field: DescField): boolean {
  return getOption(field, field_behavior).includes(FieldBehavior.OUTPUT_ONLY);
}

/** Fields that keep the tenant alive, and make a request a dry run. */
const FIXED = ["validateOnly", "requestId"];

function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function mutateField(holder: Json, field: DescField, source: MessageSource): void {
  const { random } = source;
  const { jsonName: name } = field;
  const value = holder[name];
  if (field.oneof !== undefined && chance(random, 60)) {
    // Mostly one member instead of another, sometimes one in addition to another.
    if (!chance(random, 15)) for (const it of field.oneof.fields) delete holder[it.jsonName];
    holder[name] = createValue(field, source);
    return;
  }
  if (value !== undefined && chance(random, 10)) {
    delete holder[name];
    return;
  }
  if (chance(random, 3)) {
    holder[name] = pick<unknown>(random, [null, "", 0, [], {}, false, "x", -1, [null]]);
    return;
  }
  holder[name] =
    field.fieldKind === "list"
      ? mutateList(Array.isArray(value) ? value : [], field, source)
      : field.fieldKind === "map"
        ? mutateMap(isJson(value) ? value : {}, field, source)
        : mutateValue(value, field, source);
}

function mutateList(list: readonly unknown[], field: DescField, source: MessageSource): unknown[] {
  const { random } = source;
  const [first] = list;
  const added = createItem(field, source);
  switch (random.below(7)) {
    case 0:
      return [];
    case 1:
      return first === undefined ? [added, added] : [...list, first];
    case 2:
      return [...list].reverse();
    case 3:
      return list.slice(1);
    case 4: {
      const count = pick(random, [99, 100, 200, 201, 1_000]);
      return Array.from({ length: count }, (_, index) =>
        typeof added === "string" && field.message === undefined && field.enum === undefined
          ? `${added}-${index}`
          : added,
      );
    }
    default:
      return [...list, added];
  }
}

/** Keys that objects and paths stumble over. */
const KEYS = [
  ...["", " ", ".", "a.b", "*", "a*b", "__proto__", "constructor", "toString", "en", "pt-BR", "EN"],
  ...[
    "\u0000",
    "a\u0000b",
    "\ud800",
    "\u{1f3c6}",
    "e\u0301",
    "\u00e9",
    "'",
    '"',
    "\\",
    "{q}",
    "0",
    "10",
    "$",
    "a/b",
  ],
  "k".repeat(256),
  "k".repeat(257),
];

function mutateMap(map: Json, field: DescField, source: MessageSource): Json {
  const { random } = source;
  const key = pick(random, KEYS);
  const changed = { ...map };
  if (chance(random, 15)) return {};
  if (chance(random, 10)) {
    const count = pick(random, [99, 100, 101]);
    const value = createItem(field, source);
    return Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, value]));
  }
  Object.defineProperty(changed, key, {
    value: createItem(field, source),
    ...{ enumerable: true, configurable: true, writable: true },
  });
  return changed;
}

function mutateValue(value: unknown, field: DescField, source: MessageSource): unknown {
  const { random } = source;
  if (typeof value === "string" && field.scalar === ScalarType.STRING && chance(random, 20)) {
    return pick(random, [
      ...[value.toUpperCase(), value.slice(1), `${value} `, ` ${value}`, `${value}\u0000`],
      ...[
        `${value}\ud800`,
        value + value,
        `${value}\u{1f3c6}`,
        value.replaceAll("e", "%65"),
        `${value}/`,
      ],
    ]);
  }
  return createValue(field, source);
}

/** Creates a value of a field of any form. */
function createValue(field: DescField, source: MessageSource): unknown {
  if (field.fieldKind === "list") return mutateList([], field, source);
  if (field.fieldKind === "map") return mutateMap({}, field, source);
  return createItem(field, source);
}

function createItem(field: DescField, source: MessageSource): unknown {
  const { random } = source;
  if (field.message !== undefined) return createWellKnown(field.message, source);
  if (field.enum !== undefined) {
    const names = field.enum.values.map(({ name }) => name);
    return chance(random, 6)
      ? pick<unknown>(random, ["NO_SUCH_NAME", 99, -1, 0])
      : pick(random, names);
  }
  switch (field.scalar) {
    case ScalarType.BOOL:
      return chance(random, 50);
    case ScalarType.BYTES:
      return pick(random, [
        "",
        "AA==",
        "AAH/",
        Buffer.alloc(4_096, 7).toString("base64"),
        "AAH_",
        "A",
      ]);
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return pick<unknown>(random, [
        0,
        -0,
        0.1,
        0.5,
        1,
        1.0000001,
        -1,
        2,
        1e308,
        5e-324,
        "NaN",
        "Infinity",
      ]);
    case ScalarType.STRING:
      return createString(field, source);
    default:
      return pick<unknown>(random, [
        ...[0, 1, 2, 7, 99, 100, 101, 1_000, 1_001, -1, 2_147_483_647, -2_147_483_648, 1e3],
        ...(field.scalar === ScalarType.INT64
          ? [
              "9223372036854775807",
              "-9223372036854775808",
              "9223372036854775808",
              "9007199254740993",
            ]
          : [2_147_483_648, 1.5]),
      ]);
  }
}

function createWellKnown(schema: DescMessage, source: MessageSource): unknown {
  const { random } = source;
  switch (schema.typeName) {
    case "google.protobuf.Timestamp":
      return pick(random, [
        ...["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.999999999Z", "1969-12-31T23:59:59.5Z"],
        ...["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z", "2016-12-31T23:59:60Z"],
        ...[
          "2026-02-30T00:00:00Z",
          "2026-01-02T03:04:05+14:00",
          "2255-06-05T23:47:34.740993Z",
          "2300-01-01T00:00:00.000001Z",
        ],
      ]);
    case "google.protobuf.Duration":
      return pick(random, [
        "0s",
        "1.5s",
        "-1s",
        "0.000000001s",
        "315576000000s",
        "-315576000001s",
        "86400s",
      ]);
    case "google.protobuf.FieldMask":
      return pick(random, [
        "name",
        "title",
        "name,name",
        "*",
        "",
        "visibility",
        "id",
        "projectId",
        "a.b",
        "fields",
      ]);
    case "google.protobuf.Struct":
      return createStruct(random);
    case "google.protobuf.Value":
      return pick<unknown>(random, ["x", 1, null, ["a"], { a: ["x", 1] }, createStruct(random)]);
    default:
      return createMessage(schema, { ...source, room: { left: 4_000 } }, 2);
  }
}

/** Creates a JSON object that is deep, wide or strange, at the limits and one past them. */
function createStruct(random: Random): unknown {
  const depth = pick(random, [2, 28, 29, 30, 31, 98, 99, 100, 101]);
  const wide = pick(random, [10, 999, 1_000, 4_999, 5_000, 5_001]);
  switch (random.below(6)) {
    case 0:
      return nest(depth, (inner) => ({ a: inner }));
    case 1:
      return { a: nest(depth, (inner) => [inner]) };
    case 2:
      return { a: Array.from({ length: wide }, (_, index) => index) };
    case 3:
      return Object.fromEntries(
        Array.from({ length: wide }, (_, index) => [`k${index}`, index % 7]),
      );
    case 4:
      return JSON.parse(`{${KEYS.map((key, index) => `${JSON.stringify(key)}:${index}`).join()}}`);
    default:
      return { value: createJson(random, "fuzz"), text: pick(random, TEXTS) };
  }
}

function nest(depth: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 1;
  for (let level = 1; level < depth; level += 1) value = wrap(value);
  return typeof value === "object" ? value : { a: value };
}

/** Texts that pass as texts but that databases, headers, indexes and logs stumble over. */
const TEXTS: readonly string[] = [
  ...[
    "",
    " ",
    "\u0000",
    "a\u0000b",
    "\ud800",
    "a\udc00b",
    "\u{1f3c6}",
    "\uFEFFx",
    "\u202Eabc",
    "e\u0301",
    "\u00e9",
  ],
  ...[
    "İstanbul",
    "GRÖSSE",
    "ﬀ",
    "\r\n",
    "a\r\nSet-Cookie: x=y",
    "' or 1=1 --",
    "%",
    "_",
    "\\",
    '"',
    "null",
    "true",
  ],
  ...[
    "__proto__",
    "now",
    "2026-01-02T03:04:05Z",
    "1e400",
    "-0",
    "9223372036854775808",
    "{id}",
    "{q}",
    "{{",
    "*",
  ],
  ...[
    "a".repeat(255),
    "a".repeat(4_096),
    "a".repeat(4_097),
    "\u{1f3c6}".repeat(2_048),
    "ä ".repeat(2_000),
  ],
  ...["\u0000".repeat(1_000), "\ud800".repeat(1_000), "a".repeat(65_536), "word ".repeat(13_000)],
];

function createString(field: DescField, source: MessageSource): string {
  const { random, tenant, other } = source;
  const { name } = field;
  const kind = getOption(field, textOption);
  if (name === "resource_key") {
    return pick(random, [
      ...[
        `${tenant.organizationId}/organization`,
        `${tenant.projectId}/${tenant.projectId}/project`,
      ],
      ...[
        `${other.organizationId}/organization`,
        `event-00-red/${tenant.projectId}/event`,
        "a/b",
        "a/b/c/d",
        "",
      ],
    ]);
  }
  if (name === "id" || /_ids?$/.test(name)) return createId(field, source);
  if (name === "slug")
    return pick(random, ["slug-00-red", "new", "a/b", "A", "", "a//b", "x".repeat(300)]);
  if (name === "order")
    return pick(random, [
      "id asc",
      "id desc",
      "create_time desc",
      "title.en desc",
      "start_time asc",
      "",
    ]);
  if (name === "filter" || (kind !== TextKind.UNSPECIFIED && kind !== TextKind.VARIABLES))
    return createKql(random);
  if (name === "permissions")
    return pick(random, [
      "cms.events.get",
      "iam.roles.update",
      "iam.organizations.create",
      "a.b.c",
      "x",
    ]);
  if (name === "country_codes" || name === "country_code")
    return pick(random, ["DE", "de", "XX", "", "D", "DEU"]);
  if (name === "currency_code") return pick(random, ["EUR", "USD", "JPY", "eur", "", "XXXX"]);
  if (name === "domains")
    return pick(random, [
      "a.example",
      "A.EXAMPLE",
      "*.a.example",
      "münchen.example",
      "a.example/",
      "127.0.0.1",
      "[::1]",
      "",
    ]);
  if (name === "ip_address")
    return pick(random, ["192.0.2.1", "::1", "::ffff:1.2.3.4", "1.2.3", "x", ""]);
  if (/url|uri|link|href|referrer/.test(name)) return pick(random, URLS);
  if (kind === TextKind.VARIABLES)
    return pick(random, [
      "{id}",
      "{q}",
      "{event.fields.a}",
      "{",
      "{a",
      "}",
      tenant.canary,
      ...TEXTS,
    ]);
  return chance(random, 30) ? tenant.canary : pick(random, TEXTS);
}

const URLS = [
  ...[
    "https://example.com/a/b.m3u8",
    "https://example.com/a/b.m3u8?x=1",
    "https://example.com/",
    "https://EXAMPLE.com:443/a/b",
  ],
  ...[
    "https://user:pass@h.example/a/b",
    "http://127.0.0.1/x/y",
    "https://[::1]/a/b",
    "https://münchen.example/ä/ö",
    "/path",
    "//h/x",
  ],
  ...[
    "javascript:alert(1)",
    "",
    "https://",
    "https://h.example/a/../b.m3u8",
    `https://h.example/${"a".repeat(4_000)}`,
  ],
];

/** Names something of the tenant's of the right kind, of another kind, something of the other tenant's, or nothing. */
function createId(field: DescField, { random, tenant, other }: MessageSource): string {
  const draw = random.below(100);
  const word = field.name.replace(/_ids?$/, "");
  const kinds = [...tenant.knownIds.keys()];
  const right = tenant.knownIds.get(word) ?? tenant.knownIds.get(pick(random, kinds)) ?? ["x"];
  if (field.name === "project_id")
    return draw < 85 ? tenant.projectId : draw < 95 ? other.projectId : "x";
  if (field.name === "organization_id")
    return draw < 70 ? tenant.organizationId : draw < 90 ? other.organizationId : "";
  if (draw < 45) return pick(random, [...right, ...(tenant.secretIds.get(word) ?? [])]);
  if (draw < 60) return pick(random, tenant.knownIds.get(pick(random, kinds)) ?? right);
  if (draw < 75)
    return pick(
      random,
      other.knownIds.get(word) ?? other.knownIds.get(pick(random, kinds)) ?? right,
    );
  return pick(random, [
    "",
    "no-such-thing",
    "{id}",
    "a/b",
    "A",
    "-",
    "~",
    "..",
    "x".repeat(64),
    "x".repeat(65),
    "\u0000",
    "\ud800",
    "é",
  ]);
}
