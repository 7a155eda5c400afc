import type { DescField, DescMessage, JsonObject, JsonValue, Message } from "@bufbuild/protobuf";
import { TextKind } from "../../../gen/svc/options/v1/text_pb.ts";
import { listTextFields, readField, type TextField, writeField } from "../base/descriptors.ts";
import { blameField, checkField } from "../base/field-errors.ts";
import type { Steps } from "../base/steps.ts";
import { KqlTemplate, parseKql } from "../kql/index.ts";
import {
  parseFreeTemplate,
  parseTextTemplate,
  type ResolvedText,
  resolveTemplate,
  type Scope,
  type TextTemplate,
} from "./text-template.ts";

/** A text of a message that its descriptor marks; in a query, one of its strings. */
export interface MessageText {
  /** In a query: KQL, or QUERY, where braces that do not enclose a variable are literal. */
  readonly kind: TextField["kind"];
  /** Its path, such as `rail.filter` or `event_player.query.ids[0]`. */
  readonly path: string;
  readonly text: string;
  /** Replaces the text in its message. */
  replace(text: string): void;
}

/**
 * Parses every field of a message that its descriptor marks as KQL or as a text with variables, so that
 * malformed ones are rejected on write. INVALID_ARGUMENT `KQL_SYNTAX`, `KQL_LIMIT` or
 * `VARIABLE_MALFORMED` with the field's path and the column; `QUERY_TOO_LARGE`.
 */
export function checkTexts(schema: DescMessage, message: Message, path: string): void {
  for (const { kind, path: textPath, text } of listTexts(schema, message, path)) {
    blameField(textPath, () => parseText(kind, text));
  }
}

/** Returns a text with its variables replaced. */
type Resolve = (scope: Scope) => ResolvedText;

function parseText(kind: TextField["kind"], text: string): Resolve {
  switch (kind) {
    case TextKind.QUERY:
      return toResolve(parseFreeTemplate(text));
    case TextKind.KQL:
    case TextKind.KQL_CLAUSE:
      return toFill(new KqlTemplate(text));
    case TextKind.KQL_LITERAL:
      parseKql(text);
      return () => ({ kind: "resolved", text });
    default:
      return toResolve(parseTextTemplate(text));
  }
}

function toResolve(template: TextTemplate): Resolve {
  return (scope) => resolveTemplate(template, scope);
}

function toFill(template: KqlTemplate): Resolve {
  return (scope) => {
    const filled = template.fill(scope);
    return filled.kind === "failed"
      ? { kind: "unresolved", variable: filled.placeholder }
      : { kind: "resolved", text: filled.text };
  };
}

/** A field with a variable that has no value. */
export interface UnresolvedField {
  readonly kind: "dropped";
  /** The proto path of the field, such as `rail.filter`; in a query, the path of the string. */
  readonly field: string;
  /** The variable's path without braces, such as `event.fields.season.id`. */
  readonly variable: string;
  readonly reason: "VARIABLE_UNRESOLVED";
}

/** The texts and filters of a message that may have variables, each parsed once for all copies of the message. */
export class TextTemplates {
  readonly #schema: DescMessage;
  readonly #path: string;
  /** In the order of the texts. */
  readonly #parsed: Resolve[] = [];

  /** `path` is the path of the message. */
  constructor(schema: DescMessage, path: string) {
    this.#schema = schema;
    this.#path = path;
  }

  /**
   * Resolves the variables of a copy, in place; returns the first field with a missing value. Throws
   * `VARIABLE_MALFORMED`, `KQL_SYNTAX` or `KQL_LIMIT` for a template that `checkTexts` rejects; the error names the
   * field like `field`.
   */
  *resolve(copy: Message, scope: Scope): Steps<UnresolvedField | undefined> {
    for (const [index, { kind, path, text, replace }] of this.#listTexts(copy).entries()) {
      yield;
      const resolved = blameField(path, () => {
        this.#parsed[index] ??= parseText(kind, text);
        return this.#parsed[index](scope);
      });
      if (resolved.kind === "unresolved") {
        const { variable } = resolved;
        return { kind: "dropped", field: path, variable, reason: "VARIABLE_UNRESOLVED" };
      }
      replace(resolved.text.toWellFormed());
    }
    return undefined;
  }

  /** Reports whether no text of the message has a variable. */
  isConstant(message: Message): boolean {
    return this.#listTexts(message).every(({ text }) => !text.includes("{"));
  }

  /** Lists the texts with variables; the placeholders of clauses are for the session. */
  #listTexts(message: Message): readonly MessageText[] {
    return [...listTexts(this.#schema, message, this.#path)].filter(
      ({ kind }) => kind !== TextKind.KQL_CLAUSE && kind !== TextKind.KQL_LITERAL,
    );
  }
}

/** Lists the texts of a message in the order of its fields, without empty ones. */
export function* listTexts(
  schema: DescMessage,
  message: Message,
  path: string,
): Generator<MessageText> {
  for (const { field, kind } of listTextFields(schema)) {
    const value = readField(message, field);
    if (value === undefined || value === "") continue;
    yield* listFieldTexts(message, field, kind, value, `${path}.${field.name}`);
  }
}

function listFieldTexts(
  message: Message,
  field: DescField,
  kind: TextField["kind"],
  value: unknown,
  path: string,
): readonly MessageText[] {
  if (kind === TextKind.QUERY) return listQueryTexts(value as JsonObject, path);
  if (field.fieldKind !== "map") {
    const replace = (text: string) => writeField(message, field, text);
    return [{ kind, path, text: String(value), replace }];
  }
  const map = value as Record<string, string>;
  return Object.entries(map).map(([key, text]) => {
    const replace = (changed: string) => {
      map[key] = changed;
    };
    return { kind, path: `${path}["${key}"]`, text, replace };
  });
}

/** Maximum number of filters and other strings with braces in a query; each is resolved at every read. */
const MOST_QUERY_TEXTS = 100;

/**
 * Lists the strings of a query that may have variables, at any depth, in order. Strings named `filter`, also in a
 * list, are KQL; other strings are listed if they contain a brace. Keys are not included. INVALID_ARGUMENT
 * `QUERY_TOO_LARGE` for more than {@link MOST_QUERY_TEXTS}.
 */
function listQueryTexts(query: JsonObject, path: string): readonly MessageText[] {
  const texts = [...listMembers(query, path)].filter(
    ({ kind, text }) => kind === TextKind.KQL || text.includes("{"),
  );
  const description = `must have at most ${MOST_QUERY_TEXTS} filters and strings with braces, not ${texts.length}`;
  checkField(texts.length <= MOST_QUERY_TEXTS, path, "QUERY_TOO_LARGE", description);
  return texts;
}

function* listMembers(object: JsonObject, path: string): Generator<MessageText> {
  for (const [name, value] of Object.entries(object)) {
    const kind = name === "filter" ? TextKind.KQL : TextKind.QUERY;
    yield* listValueTexts(object, name, value, kind, `${path}.${name}`);
  }
}

function* listValueTexts<Key extends string | number>(
  parent: Record<Key, JsonValue>,
  key: Key,
  value: JsonValue,
  kind: TextField["kind"],
  path: string,
): Generator<MessageText> {
  if (typeof value === "string") {
    const replace = (text: string) => {
      parent[key] = text;
    };
    yield { kind, path, text: value, replace };
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield* listValueTexts(value, index, item, kind, `${path}[${index}]`);
    }
  } else if (typeof value === "object" && value !== null) {
    yield* listMembers(value, path);
  }
}
