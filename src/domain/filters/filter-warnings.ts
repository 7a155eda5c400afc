import type { DescField, DescMessage, Message } from "@bufbuild/protobuf";
import { TextKind } from "../../../gen/svc/options/v1/text_pb.ts";
import {
  ChangedResourceSchema,
  ChangeSchema,
} from "../../../gen/svc/studio/cms/change/v1/change_pb.ts";
import { type Webhook, WebhookSchema } from "../../../gen/svc/studio/cms/webhook/v1/webhook_pb.ts";
import type { Page } from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import { ReleaseSchema } from "../../../gen/svc/type/v1/release_pb.ts";
import { readField } from "../base/descriptors.ts";
import { listNearNames, quote, toSnakeCase } from "../base/text.ts";
import type { Warning } from "../base/warnings.ts";
import { isContentKind, KIND_NAMES, type KindName, kindOf, listAnnouncedKinds } from "../kinds.ts";
import { type KqlNode, listPlaceholders, parseKqlTemplate } from "../kql/index.ts";
import { declaresVariable } from "../pages/rendering/page-scope.ts";
import { listTexts } from "../variables/message-texts.ts";
import { objectKindOf } from "../variables/text-template.ts";

/** The fields of the resources that a filter tests, by name. */
type Fields = ReadonlyMap<string, DescField>;

const CONTENT_FIELDS = toFieldsOf(KIND_NAMES.filter(isContentKind));

/** The fields of a release that are not stored with it. */
const COUNTS = ["item_count", "conflict_count"];

/** Operators of other languages, and how KQL writes them. */
const OPERATORS: ReadonlyMap<string, string> = new Map([
  ["=", "field: value"],
  ["==", "field: value"],
  ["!=", "not field: value"],
  ["&&", "and"],
  ["||", "or"],
]);

/** A filter of a message, and the path of its field. */
export interface MessageFilter {
  readonly path: string;
  readonly text: string;
  /** True if its placeholders are variables of a page, not keys of the session as in an additional filter. */
  readonly hasVariables: boolean;
}

/**
 * Lists warnings about the filters of a message that cannot mean what they say, although they are valid KQL:
 * `FILTER_OPERATOR`, `FILTER_FIELD_UNKNOWN` and `FILTER_LANGUAGE_MISSING`. The message is checked.
 */
export function* listFilterWarnings(
  schema: DescMessage,
  message: Message,
  path: string,
): Generator<Warning> {
  const fields =
    schema === WebhookSchema ? listAnnouncedFields(message as Webhook) : CONTENT_FIELDS;
  for (const { path: filterPath, text } of listFilters(schema, message, path)) {
    yield* warnOf(parseKqlTemplate(text), filterPath, fields);
  }
}

/** Lists warnings about the filter of a list of messages, like {@link listFilterWarnings}. */
export function listWarningsOf(
  node: KqlNode,
  path: string,
  schema: DescMessage,
): readonly Warning[] {
  const fields = toFields([schema]);
  // A filter of changes finds the key of any changed resource by a shorter name.
  if (schema === ChangeSchema) fields.set("resource", ChangedResourceSchema.field.key);
  // Releases are filtered before their drafts are counted.
  if (schema === ReleaseSchema) for (const name of COUNTS) fields.delete(name);
  return [...warnOf(node, path, fields)];
}

/** Lists the filters of a message; those with a text that `before` has, too, are omitted. */
export function listAddedFilters(
  schema: DescMessage,
  { after, before }: { readonly after: Message; readonly before?: Message | undefined },
  path: string,
): readonly MessageFilter[] {
  const added = [...listFilters(schema, after, path)];
  if (added.length === 0 || before === undefined) return added;
  const texts = new Set([...listFilters(schema, before, path)].map(({ text }) => text));
  return added.filter(({ text }) => !texts.has(text));
}

/** Lists warnings about variables that a page does not declare: `FILTER_VARIABLE_UNDECLARED`. */
export function* listVariableWarnings(
  { path, text }: MessageFilter,
  page: Page,
): Generator<Warning> {
  for (const variable of listPlaceholders(parseKqlTemplate(text))) {
    if (declaresVariable(page, variable)) continue;
    const kind = objectKindOf(variable);
    const remedy =
      kind === undefined
        ? `declares no parameter ${quote(variable)}; add it to its parameters`
        : `is not about one ${kind}; change its object`;
    const description = `the page ${quote(page.id)} ${remedy}`;
    yield {
      code: "FILTER_VARIABLE_UNDECLARED",
      fields: [path],
      message: `${path}: ${description}`,
    };
  }
}

/** Lists the distinct paths below `fields` that a filter tests. */
export function listFieldPaths({ text }: MessageFilter): readonly string[] {
  const paths = [...listPaths(parseKqlTemplate(text))];
  return [...new Set(paths)].filter((path) => path.startsWith("fields."));
}

/** Lists the paths that a filter tests, without names below a nested clause. */
function* listPaths(node: KqlNode): Generator<string> {
  switch (node.type) {
    case "all":
      return;
    case "and":
    case "or":
      for (const item of node.items) yield* listPaths(item);
      return;
    case "not":
      yield* listPaths(node.item);
      return;
    case "nested":
      yield node.path;
      return;
    default:
      if (node.name?.kind === "exact") yield node.name.path;
  }
}

function* listFilters(
  schema: DescMessage,
  message: Message,
  path: string,
): Generator<MessageFilter> {
  for (const text of listTexts(schema, message, path)) {
    if (!KQL_KINDS.includes(text.kind)) continue;
    const hasVariables = text.kind === TextKind.KQL && text.text.includes("{");
    yield { path: text.path, text: text.text, hasVariables };
  }
  for (const field of schema.fields) {
    if (field.fieldKind !== "message" || field.message.typeName.startsWith("google.")) continue;
    const below = readField(message, field) as Message | undefined;
    if (below === undefined) continue;
    yield* listFilters(field.message, below, `${path}.${field.name}`);
  }
}

function* warnOf(node: KqlNode, path: string, fields: Fields): Generator<Warning> {
  for (const { code, description } of listProblems(node, fields)) {
    yield { code, fields: [path], message: `${path}: ${description}` };
  }
}

function listAnnouncedFields({ kinds }: Webhook): Fields {
  return toFieldsOf((kinds.length > 0 ? kinds : listAnnouncedKinds()) as KindName[]);
}

function toFieldsOf(kinds: readonly KindName[]): Fields {
  return toFields(kinds.map((kind) => kindOf(kind).schema));
}

function toFields(schemas: readonly DescMessage[]): Map<string, DescField> {
  return new Map(schemas.flatMap(({ fields }) => fields.map((field) => [field.name, field])));
}

const KQL_KINDS: readonly TextKind[] = [TextKind.KQL, TextKind.KQL_CLAUSE, TextKind.KQL_LITERAL];

interface Problem {
  readonly code: string;
  readonly description: string;
}

/** Lists the problems of a filter; no fields: its names are below a nested clause. */
function* listProblems(node: KqlNode, fields: Fields | undefined): Generator<Problem> {
  switch (node.type) {
    case "all":
      return;
    case "and":
    case "or":
      for (const item of node.items) yield* listProblems(item, fields);
      return;
    case "not":
      yield* listProblems(node.item, fields);
      return;
    case "nested":
      if (fields !== undefined) yield* listNameProblems(node.path, node.type, fields);
      yield* listProblems(node.item, undefined);
      return;
    case "is":
      yield* listOperators(node);
      break;
    default:
  }
  if (fields === undefined || node.name?.kind !== "exact") return;
  yield* listNameProblems(node.name.path, node.type, fields);
}

/** Lists the first operator of another language in an unquoted text: KQL takes it for a part of the text. */
function* listOperators({ name, value }: KqlNode & { readonly type: "is" }): Generator<Problem> {
  if (value.kind !== "text" || value.quoted) return;
  const [operator = ""] = /[!=]?=|&&|\|\|/.exec(value.text) ?? [];
  const form = OPERATORS.get(operator);
  if (form === undefined || (name !== null && operator.endsWith("="))) return;
  const description = `${quote(value.text)} is one text, and ${quote(operator)} a part of it; write ${form}`;
  yield { code: "FILTER_OPERATOR", description };
}

function* listNameProblems(
  path: string,
  type: KqlNode["type"],
  fields: Fields,
): Generator<Problem> {
  const [root = "", ...keys] = path.split(".");
  const field = fields.get(root);
  if (field === undefined) {
    const near = listNearNames(toSnakeCase(root), fields.keys()).map((name) => quote(name));
    const remedy = near.length === 0 ? "" : `; did you mean ${near.join(" or ")}?`;
    const description = `no resource has a field ${quote(root)}${remedy}`;
    yield { code: "FILTER_FIELD_UNKNOWN", description };
  } else if (field.fieldKind === "map" && keys.length === 0 && type === "is") {
    const description = `${root} is a map by language; write ${root}.en: value`;
    yield { code: "FILTER_LANGUAGE_MISSING", description };
  }
}
